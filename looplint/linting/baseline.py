"""A baseline: the findings an old repository lives with, so that only new ones are reported.

An entry names no row. It is a file, a rule, the functions around the line, and the line's text; two equal findings are two entries.
A finding that moves stays in the baseline, and one on a changed line leaves it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from looplint.dataclass import dataclass, names, replace
from looplint.errors import UserError
from looplint.escaping import json_text
from looplint.finding import Finding
from looplint.linting.files import LintResult
from looplint.linting.fingerprint import Identity, identify
from looplint.sources.writing import write_atomic

VERSION = 1


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One accepted finding; `file` is relative to the baseline's own folder, with forward slashes."""

    file: str
    code: str
    function: str
    line: str


@dataclass(frozen=True, slots=True)
class Looked:
    """What a run could have found: in the paths it was given, by the rules it ran. Entries beyond that are not judged."""

    paths: Sequence[str]
    codes: Callable[[], Collection[str]]


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
        raise UserError(f"{path}:{error.lineno}:{error.colno}: is not a baseline: {error.msg}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is not a baseline: it is not UTF-8") from None
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise UserError(f'{path}: is not a baseline: it has no list "findings"')
    if document.get("version") != VERSION:
        raise UserError(
            f"{path}: is a baseline of version {document.get('version')}; this looplint reads version {VERSION}: write a new one"
        )
    return [_entry(path, number, value) for number, value in enumerate(document["findings"], 1)]


def _entry(path: str, number: int, value: object) -> Entry:
    wanted = names(Entry)
    if not isinstance(value, dict) or value.keys() != set(wanted) or not all(isinstance(v, str) for v in value.values()):
        raise UserError(f"{path}: is not a baseline: finding {number} must have {', '.join(wanted)}, each a string")
    return Entry(**value)


def hide(path: str, result: LintResult, looked: Looked) -> LintResult:
    """Take the findings that a baseline knows out of a result, and remark on it.

    Raises:
        UserError: see `read`.
    """
    left = Counter(read(path))
    new = []
    for finding, entry in zip(result.findings, _entries(path, result.findings)):
        if left[entry] > 0:
            left[entry] -= 1
        else:
            new.append(finding)
    judged = _Judged(path, looked)
    gone = sorted(e for e in left.elements() if judged(e))
    return replace(result, findings=tuple(new), remarks=(*result.remarks, *_remarks(path, len(result.findings) - len(new), gone)))


def write(path: str, findings: Sequence[Finding], looked: Looked) -> str:
    """Write a baseline of these findings; entries of an older one stay where this run did not look.

    Returns:
        A sentence that says what was written.

    Raises:
        UserError: it cannot be written, or the file that stands there is no baseline and would be lost.
    """
    judged = _Judged(path, looked)
    kept = [e for e in read(path) if not judged(e)] if os.path.exists(path) else []
    entries = sorted([*kept, *_entries(path, findings)])
    # A line per entry, so that two branches that change it can be merged.
    lines = ",\n".join(f"    {json_text({name: getattr(e, name) for name in names(e)})}" for e in entries)
    listed = f"[\n{lines}\n  ]" if entries else "[]"
    write_atomic(path, f'{{\n  "version": {VERSION},\n  "findings": {listed}\n}}\n'.encode("utf-8", "surrogateescape"))
    others = f" (with {len(kept)} of files and rules that were not looked at)" if kept else ""
    return f"Wrote {_count(len(entries), 'known problem')} to {path}{others}."


class _Judged:
    """Whether a run says something about an entry: it ran the rule on that file; or the file is not there any more."""

    def __init__(self, path: str, looked: Looked) -> None:
        self._folder = Path(path).parent
        self._looked = looked
        self._paths = [PurePath(os.path.abspath(name)) for name in looked.paths if name != "-"]
        self._codes: Collection[str] | None = None

    def __call__(self, entry: Entry) -> bool:
        if self._codes is None:
            self._codes = self._looked.codes()
        file = PurePath(os.path.abspath(self._folder / entry.file))
        return entry.code in self._codes and (any(p == file or p in file.parents for p in self._paths) or not Path(file).exists())


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


def _remarks(path: str, known: int, gone: Sequence[Entry]) -> Iterator[str]:
    if known:
        yield f"{_count(known, 'known problem')} of {path} {'is' if known == 1 else 'are'} not shown."
    if gone:
        places = list(dict.fromkeys(f"{e.code} in {e.file}" for e in gone))
        shown = ", ".join([*places[:3], *(["..."] if len(places) > 3 else [])])
        occurs = "no longer occurs" if len(gone) == 1 else "no longer occur"
        yield f"{_count(len(gone), 'problem')} of {path} {occurs} ({shown}): --write-baseline {path} drops what is gone."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"
