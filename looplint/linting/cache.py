"""Results kept between runs, found again by everything they rest on; a warm run parses nothing and imports no parser.

An entry is a file whose name is a digest of what is known before the analysis: this version of looplint and of its parser, the rules' files, how the
file is judged, where it lies and what is in it. In the entry stands what the analysis asked of the file system besides (`Reads`), which is asked again.
Entries are written under a name of their own and then moved, so that processes can share a folder; one that cannot be read is none.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from looplint import __version__
from looplint.dataclass import names
from looplint.errors import UserError
from looplint.finding import Call, Edit, Finding, Fix, Location, Problem, Related
from looplint.linting.catalogue import folder, read_by_rules, rule_files
from looplint.linting.coverage import FoundLoop
from looplint.linting.results import FileResult
from looplint.linting.selection import Selection
from looplint.settings.values import Settings
from looplint.sources.import_roots import import_roots, is_file
from looplint.sources.reading import Source
from looplint.sources.reads import Reads, digest
from looplint.sources.regular import read_regular

FOLDER = ".looplint_cache"
_TAG = "CACHEDIR.TAG"
_SIGNATURE = "Signature: 8a477f597d28d172789f06886806bc55\n# Results that looplint keeps between runs; `looplint clean` removes them.\n"
_KEPT_FOR = 30 * 24 * 3600
_GIVEN_UP = 3600
# The fields of results that hold values of a class, alone or in a tuple.
_CLASSES: dict[str, type] = {
    "location": Location, "end_location": Location, "related": Related, "fix": Fix, "edits": Edit, "findings": Finding, "problems": Problem, "reads": Reads,
    "loops": FoundLoop, "ways": Call, "left": Call,
}  # fmt: skip
T = TypeVar("T")


def place(settings: Settings, here: Path) -> Path:
    """The folder of the cache: the configured one, else beside the configuration, else in the current folder.

    Raises:
        UserError: what lies there is a link, which a linted tree may have brought along.
    """
    if settings.cache_dir:
        return Path(settings.cache_dir)
    path = (settings.file.parent if settings.file else here) / FOLDER
    if path.is_symlink():
        raise UserError(f"{path}: is a link, and nothing is written where it leads; remove it, or use --cache-dir or --no-cache")
    return path


def clean(path: Path) -> bool:
    """Remove a cache.

    Returns:
        Whether there was one.

    Raises:
        UserError: the folder is no cache of looplint's, or cannot be removed.
    """
    if not path.is_dir():
        return False
    try:
        if (path / _TAG).read_bytes() != _SIGNATURE.encode():
            raise UserError(f"{path}: is not a cache of looplint; it was not removed")
    except OSError:
        raise UserError(f"{path}: is not a cache of looplint (it has no {_TAG}); it was not removed") from None
    import shutil

    try:
        shutil.rmtree(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be removed: {error.strerror or error}") from None
    return True


class Cache:
    """The results of earlier runs, as far as they still hold."""

    def __init__(self, path: Path) -> None:
        """Use the cache in a folder, which need not exist yet; where it cannot be written, nothing is kept."""
        self._path = path
        self._rules: dict[tuple[tuple[str, ...], ...], str] = {}
        self._digests: dict[str, str | None] = {}
        self._prepared = False

    def get(self, source: Source, selection: Selection) -> FileResult | None:
        """What an earlier run found in a file, if that still holds."""
        if source.path is None:
            return None
        import json

        try:
            checksum, _, text = self._entry(source, selection).read_bytes().partition(b"\n")
            # A disk that flips a bit must not change what is found.
            if checksum.decode("ascii") != digest(text):
                return None
            result = _build(FileResult, json.loads(text))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return result if result.reads is not None and holds(result.reads, self._digest) else None

    def put(self, source: Source, selection: Selection, result: FileResult) -> None:
        """Keep what was found in a file."""
        if source.path is None or result.reads is None:
            return
        import json

        entry = self._entry(source, selection)
        text = json.dumps(_plain(result), ensure_ascii=True, separators=(",", ":"))
        new = entry.with_name(f"{entry.name}.{os.getpid()}")
        try:
            self._prepare(entry.parent)
            new.write_text(f"{digest(text.encode('ascii'))}\n{text}", encoding="ascii")
            os.replace(new, entry)
        except OSError:  # a cache that cannot be written is no reason to say anything
            with suppress(OSError):
                new.unlink()

    @cached_property
    def _version(self) -> str:
        return f"{__version__}-{_engine()}"

    def _entry(self, source: Source, selection: Selection) -> Path:
        assert source.path is not None
        folders = selection.rule_folders, selection.unexecuted
        rules = self._rules.get(folders)
        if rules is None:
            project = _digest_of(rule_files(folder()))
            rules = self._rules[folders] = f"{project} {digest_of_rules(*folders)}"
        key = "\0".join([rules, repr(selection), os.getcwd(), str(source.path), source.display, source.language, digest(source.raw)])
        return self._path / self._version / f"{digest(key.encode('utf-8', 'surrogateescape'))}.json"

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            try:
                self._digests[path] = digest(read_regular(Path(path)))
            except OSError:
                self._digests[path] = None
        return self._digests[path]

    def _prepare(self, folder: Path) -> None:
        if self._prepared:
            return
        self._prepared = True
        if not self._path.is_dir():
            self._path.mkdir(parents=True)
            (self._path / ".gitignore").write_text("*\n", encoding="ascii")
            (self._path / _TAG).write_bytes(_SIGNATURE.encode())
        if folder.is_dir():
            os.utime(folder)
            _clean(folder)
            return
        folder.mkdir(exist_ok=True)
        for other in self._path.iterdir():
            if other.is_dir() and other != folder and time.time() - other.stat().st_mtime > _KEPT_FOR:
                import shutil

                shutil.rmtree(other, ignore_errors=True)


def _clean(folder: Path) -> None:
    """Remove entries that a process was killed over while it wrote them."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(".json") and time.time() - entry.stat().st_mtime > _GIVEN_UP:
                with suppress(OSError):
                    os.unlink(entry.path)


def holds(reads: Reads, digest_of: Callable[[str], str | None]) -> bool:
    """Whether what a result rests on is still so; `digest_of` gives the digest of what is in a file now."""
    return (
        all(digest_of(path) == expected for path, expected in reads.files)
        and not any(is_file(Path(path)) for path in reads.absent)
        and all(tuple(map(str, import_roots(Path(path)))) == roots for path, roots in reads.roots)
    )


def _engine() -> str:
    """What stands for the code that analyses: this package's files and the parser's, by size and time of change, and Python's version."""
    marks = [sys.version.encode()]
    package = Path(__file__).parents[1]
    spec = find_spec("libcst")
    files = [
        *sorted(f for f in package.rglob("*.py") if "runtime" not in f.parts),
        *([Path(spec.origin).with_name("_version.py")] if spec and spec.origin else []),
    ]
    for file in files:
        with suppress(OSError):
            status = file.stat()
            marks.append(f"{file.name} {status.st_size} {status.st_mtime_ns}".encode())
    return digest(b"\0".join(marks))[:12]


def digest_of_rules(folders: Sequence[str], unexecuted: Sequence[str] = ()) -> str:
    """What stands for the rules of folders: what is in their files, in those beside them that they may import, and in those that they say they read.

    What rules read that are not executed is left alone: a linted tree that nobody trusts has no say in which files are opened.

    Raises:
        UserError: a rule does not write out what it reads.
    """
    files = [file for name in folders for file in sorted(Path(name).rglob("*.py"))]
    return _digest_of([*files, *read_by_rules(name for name in folders if name not in unexecuted)])


def _digest_of(files: Sequence[Path]) -> str:
    return digest(b"\0".join(part for f in files for part in (str(f).encode("utf-8", "surrogateescape"), _content(f))))


def _content(file: Path) -> bytes:
    """What is in a file; of one that is no text of a reasonable size, its size and when it was changed."""
    try:
        return read_regular(file)
    except OSError:
        with suppress(OSError):
            status = file.stat()
            return f"\0{status.st_size} {status.st_mtime_ns}".encode()
        return b"\0"


def _plain(value: Any) -> Any:
    """A result as JSON can hold it."""
    if type(value) in _DATACLASSES:
        return {name: _plain(getattr(value, name)) for name in names(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value]
    return sorted(value) if isinstance(value, frozenset) else value


def _build(cls: type[T], data: dict[str, Any]) -> T:
    """A value of a class from what `_plain` made of it."""
    values = {name: _value(name, value) for name, value in data.items()}
    if cls is FileResult:
        values["followed"], values["unanswered"] = frozenset(values["followed"]), frozenset(values["unanswered"])
    return cls(**values)


def _value(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_value(name, v) for v in value)
    if isinstance(value, dict):
        return _build(_CLASSES[name], value)
    return value


_DATACLASSES = frozenset({FileResult, *_CLASSES.values()})
