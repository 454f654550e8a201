"""A baseline: the findings an old repository lives with, so that only new ones are reported.

An entry names no row. It is a file, a rule, the functions around the line, and the line's text; two equal findings are two entries. A finding
that moves stays in the baseline, and one on a changed line leaves it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path, PurePath

from looplint.errors import UserError
from looplint.finding import Finding
from looplint.fingerprint import Identity, identify
from looplint.writing import write_atomic

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One accepted finding; `file` is relative to the baseline's own folder, with forward slashes."""

    file: str
    code: str
    function: str
    line: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A result held against a baseline: the findings that are new, how many were known, and the entries nothing answers to any more."""

    new: tuple[Finding, ...]
    known: int
    gone: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a run could have found: the names of its files, and the codes it asked. Entries beyond that are not judged."""

    files: Collection[str]
    codes: Collection[str]


def read(path: str) -> list[Entry]:
    """The entries of a baseline.

    Raises:
        UserError: the file cannot be read, or is no baseline.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}; `--write-baseline {path}` writes it") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}:{error.colno}: is no baseline: {error.msg}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no baseline: it is not UTF-8") from None
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise UserError(f'{path}: is no baseline: it has no list "findings"')
    if document.get("version") != VERSION:
        raise UserError(f"{path}: is a baseline of version {document.get('version')}; this looplint reads version {VERSION}, write it anew")
    return [_entry(path, number, value) for number, value in enumerate(document["findings"], 1)]


def _entry(path: str, number: int, value: object) -> Entry:
    names = [f.name for f in fields(Entry)]
    if not isinstance(value, dict) or value.keys() != set(names) or not all(isinstance(v, str) for v in value.values()):
        raise UserError(f"{path}: is no baseline: finding {number} must have {', '.join(names)}, each a string")
    return Entry(**value)


def compare(path: str, findings: Sequence[Finding], looked: Looked) -> Compared:
    """Take the findings that a baseline knows out of a result.

    Raises:
        UserError: see `read`.
    """
    left = Counter(read(path))
    new = []
    for finding, entry in zip(findings, _entries(path, findings)):
        if left[entry] > 0:
            left[entry] -= 1
        else:
            new.append(finding)
    judged = _Judged(path, looked)
    gone = tuple(sorted(e for e in left.elements() if judged(e)))
    return Compared(tuple(new), len(findings) - len(new), gone)


def write(path: str, findings: Sequence[Finding], looked: Looked) -> int:
    """Write a baseline of these findings; entries of an older one stay where this run did not look.

    Returns:
        How many entries it has.

    Raises:
        UserError: it cannot be written, or the file that stands there is no baseline and would be lost.
    """
    judged = _Judged(path, looked)
    kept = [e for e in read(path) if not judged(e)] if os.path.exists(path) else []
    entries = sorted([*kept, *_entries(path, findings)])
    # A line per entry, so that two branches that change it can be merged.
    lines = ",\n".join(f"    {json.dumps(asdict(e), ensure_ascii=False)}" for e in entries)
    listed = f"[\n{lines}\n  ]" if entries else "[]"
    write_atomic(path, f'{{\n  "version": {VERSION},\n  "findings": {listed}\n}}\n'.encode("utf-8", "surrogateescape"))
    return len(entries)


class _Judged:
    """Whether a run says something about an entry: it asked the rule, in that file; or the file is not there any more."""

    def __init__(self, path: str, looked: Looked) -> None:
        self._folder = Path(path).parent
        self._codes = looked.codes
        self._files = {_relative(path, name) for name in looked.files}

    def __call__(self, entry: Entry) -> bool:
        return entry.code in self._codes and (entry.file in self._files or not (self._folder / entry.file).exists())


def _entries(path: str, findings: Iterable[Finding]) -> list[Entry]:
    return [_of(path, identity) for identity in identify(findings)]


def _of(path: str, identity: Identity) -> Entry:
    return Entry(_relative(path, identity.file), identity.code, identity.function, identity.line)


def _relative(path: str, name: str) -> str:
    """A file's name as seen from the baseline's folder."""
    if name.startswith("<"):
        return name
    try:
        return PurePath(os.path.relpath(name, Path(path).parent)).as_posix()
    except ValueError:
        # Another drive.
        return PurePath(os.path.abspath(name)).as_posix()


def sentences(path: str, compared: Compared) -> tuple[str, ...]:
    """What the closing lines of a report say of it."""
    said = []
    if compared.known:
        said.append(f"{_count(compared.known, 'known problem')} of {path} {'is' if compared.known == 1 else 'are'} not shown.")
    if compared.gone:
        shown = ", ".join(f"{e.code} in {e.file}" for e in list(dict.fromkeys(replace(e, function="", line="") for e in compared.gone))[:3])
        more = ", ..." if len({(e.code, e.file) for e in compared.gone}) > 3 else ""
        occurs = "no longer occurs" if len(compared.gone) == 1 else "no longer occur"
        said.append(f"{_count(len(compared.gone), 'problem')} of {path} {occurs} ({shown}{more}): --write-baseline {path} drops what is gone.")
    return tuple(said)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
