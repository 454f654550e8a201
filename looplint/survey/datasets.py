"""The results of a survey as Parquet datasets: a folder for each kind of row, in it a file for each repository.

A repository is known when its row stands in `repositories/`, which is written last. Each file takes the place of an older one at once, so that a survey
that is killed at any moment leaves nothing half, and one that goes on leaves nothing twice.
"""

from __future__ import annotations

import fcntl
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.escaping import json_text
from looplint.linting.coverage import FoundLoop
from looplint.report.records import as_dict
from looplint.sources.writing import write_atomic
from looplint.survey.judging import Surveyed

Row = dict[str, Any]
# Each row names its repository, and the key under which that was judged.
_OWN = [("repository", pa.string()), ("key", pa.string())]
SCHEMAS = {
    "files": pa.schema(
        [
            *_OWN,
            ("id", pa.string()),
            ("file", pa.string()),
            ("language", pa.string()),
            ("lines", pa.int64()),
            ("loops", pa.int64()),
            ("judged", pa.int64()),
            ("findings", pa.int64()),
            ("seconds", pa.float64()),
            ("problem", pa.string()),
        ]
    ),
    "loops": pa.schema(
        [
            *_OWN,
            ("file", pa.string()),
            ("number", pa.int64()),
            ("function", pa.string()),
            ("cell", pa.int64()),
            ("row", pa.int64()),
            ("state", pa.string()),
            ("reason", pa.string()),
        ]
    ),
    "findings": pa.schema(
        [
            *_OWN,
            ("file", pa.string()),
            ("cell", pa.int64()),
            ("row", pa.int64()),
            ("column", pa.int64()),
            ("code", pa.string()),
            ("rule", pa.string()),
            ("severity", pa.string()),
            ("certainty", pa.string()),
            ("repair", pa.string()),
            ("message", pa.string()),
            ("record", pa.string()),
        ]
    ),
    "repositories": pa.schema(
        [
            *_OWN,
            ("kind", pa.string()),
            ("year", pa.int64()),
            ("content", pa.string()),
            ("state", pa.string()),
            ("reason", pa.string()),
            *((name, pa.int64()) for name in ("files", "programs", "lines", "loops", "judged", "lost", "owned", "findings", "problems")),
            ("seconds", pa.float64()),
            ("megabytes", pa.int64()),
            ("tasks", pa.int64()),
            ("looplint", pa.string()),
            ("settings", pa.string()),
            ("limits", pa.string()),
        ]
    ),
}


@dataclass(frozen=True, slots=True)
class Header:
    """What is known of a repository however it went: its name, what it held, and how it was judged."""

    name: str
    key: str
    kind: str
    year: int
    content: str
    looplint: str
    settings: str
    limits: str


class Store:
    """The folder of a survey. One survey writes at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder, and leave in it what belongs to its repositories alone.

        Raises:
            UserError: it cannot be written, or another survey writes to it.
        """
        try:
            for name in SCHEMAS:
                (self._folder / name).mkdir(parents=True, exist_ok=True)
            lock = open(self._folder / ".lock", "w")  # noqa: SIM115 - held until the survey ends
        except OSError as error:
            raise UserError(f"{self._folder}: cannot be written: {error.strerror}") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UserError(f"{self._folder}: another survey writes to it") from None
            self._sweep()
            yield
            self._sweep()

    def known(self) -> dict[str, Row]:
        """The rows of the repositories that are done, or have failed, by their names."""
        return {row["repository"]: row for row in self.rows("repositories")}

    def rows(self, kind: str, columns: Sequence[str] | None = None) -> list[Row]:
        """The rows of a dataset."""
        return [row for path in sorted((self._folder / kind).glob("*.parquet")) for row in _read(path, columns)]

    def put(self, header: Header, surveyed: Surveyed) -> None:
        """Write what was found in a repository."""
        own = {"repository": text(header.name), "key": header.key}
        judged = Counter(loop.filename for loop in surveyed.loops if loop.judged)
        loops = Counter(loop.filename for loop in surveyed.loops)
        found = Counter(finding.filename for finding in surveyed.findings)
        files = [
            {
                **own,
                "id": blake2b(f"{header.name}\0{p.file}".encode("utf-8", "surrogateescape"), digest_size=5).hexdigest(),
                "file": text(p.file),
                "language": p.language or None,
                "lines": p.lines,
                "loops": loops[p.file],
                "judged": judged[p.file],
                "findings": found[p.file],
                "seconds": p.seconds,
                "problem": text(p.problem) or None,
            }
            for p in surveyed.programs
        ]
        self._write("files", header.name, files)
        self._write("loops", header.name, [{**own, **_loop(loop)} for loop in surveyed.loops])
        findings = [
            {
                **own,
                "file": text(f.filename),
                "cell": f.cell,
                "row": f.location.row,
                "column": f.location.column,
                "code": f.code,
                "rule": f.name,
                "severity": f.severity,
                "certainty": f.certainty,
                "repair": f.fix.applicability if f.fix else None,
                "message": text(f.message),
                "record": json_text(as_dict(f)),
            }
            for f in surveyed.findings
        ]
        self._write("findings", header.name, findings)
        states = Counter(_state(loop) for loop in surveyed.loops)
        row = {
            **_header(header),
            "state": "done",
            "kind": surveyed.kind,
            "year": surveyed.year or None,
            "files": surveyed.files,
            "programs": sum(bool(p.language) for p in surveyed.programs),
            "lines": sum(p.lines for p in surveyed.programs),
            "loops": len(surveyed.loops),
            **{state: states[state] for state in ("judged", "lost", "owned")},
            "findings": len(surveyed.findings),
            "problems": len(surveyed.problems),
            "seconds": surveyed.seconds,
            "megabytes": surveyed.peak >> 20,
            "tasks": surveyed.tasks,
        }
        self._write("repositories", header.name, [row])

    def fail(self, header: Header, reason: str) -> None:
        """Write why nothing was found out about a repository."""
        for kind in ("files", "loops", "findings"):
            self._write(kind, header.name, [])
        self._write("repositories", header.name, [{**_header(header), "state": "failed", "reason": text(reason)}])

    def _write(self, kind: str, name: str, rows: Sequence[Row]) -> None:
        table, file = pa.Table.from_pylist(list(rows), schema=SCHEMAS[kind]), BytesIO()
        pq.write_table(table, file)
        write_atomic(self._folder / kind / f"{_slug(name)}.parquet", file.getvalue())

    def _sweep(self) -> None:
        """Remove what was written of repositories of which no row was."""
        names = {path.name for path in (self._folder / "repositories").glob("*.parquet")}
        for kind in SCHEMAS:
            for path in (self._folder / kind).glob("*.parquet"):
                if path.name not in names:
                    path.unlink()


def text(value: str) -> str:
    """Text that is UTF-8 whatever is in it."""
    return value.encode("utf-8", "backslashreplace").decode()


def _header(header: Header) -> Row:
    return {
        "repository": text(header.name),
        "key": header.key,
        "kind": header.kind or None,
        "year": header.year or None,
        "content": header.content,
        "looplint": header.looplint,
        "settings": header.settings,
        "limits": header.limits,
    }


def _state(loop: FoundLoop) -> str:
    return "judged" if loop.judged else "lost" if loop.reason else "owned"


def _loop(loop: FoundLoop) -> Mapping[str, Any]:
    return {
        "file": text(loop.filename),
        "number": loop.number,
        "function": text(loop.function),
        "cell": loop.cell,
        "row": loop.location.row if loop.location else None,
        "state": _state(loop),
        "reason": text(loop.reason or loop.owner) or None,
    }


def _slug(name: str) -> str:
    """A name for files: readable, and another one for every repository."""
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=5).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '_', name)[:60].lstrip('.')}-{digest}"


def _read(path: Path, columns: Sequence[str] | None) -> list[Row]:
    try:
        rows: list[Row] = pq.ParquetFile(path).read(columns=list(columns) if columns else None).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: is no result of a survey: {error}; remove it, and survey again") from error
    return rows
