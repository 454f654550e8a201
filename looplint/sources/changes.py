"""Which lines have changed since a revision, as git tells."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from looplint.dataclass import dataclass, field
from looplint.errors import UserError
from looplint.finding import Finding, Problem
from looplint.regex import regex
from looplint.sources.regular import read_regular

_HUNK = regex(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_DIFF = (
    "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
_WHOLE = range(1 << 60)


@dataclass(slots=True)
class Changes:
    """The changed rows of the files of one repository."""

    rows: dict[Path, list[range]] = field(default_factory=dict)

    def touches(self, finding: Finding) -> bool:
        """Whether a finding, or one of the places that take part in it, stands on a changed row."""
        places = [(finding.filename, finding.location.row, finding.end_location.row)]
        places += [(r.filename, r.location.row, r.location.row) for r in finding.related]
        return any(self._hit(filename, first, last) for filename, first, last in places)

    def concerns(self, problem: Problem) -> bool:
        """Whether a problem is with a changed file, with none that exists, or with a configuration, which holds for all files."""
        return problem.filename.endswith(".toml") or not Path(problem.filename).is_file() or Path(problem.filename).resolve() in self.rows

    def _hit(self, filename: str, first: int, last: int) -> bool:
        rows = self.rows.get(Path(filename).resolve(), ())
        return any(r.start <= last and first < r.stop for r in rows)


def changes_since(revision: str) -> Changes:
    """The rows that were added or changed since a revision, in the working tree and in new files that git does not ignore.

    The revision is the point where the current branch left it, so that what others did there meanwhile does not count. Where rows were taken away and
    fewer were put in their place, the block that lost them counts as changed: a missing `zero_grad()` is seen elsewhere than where it stood.

    Raises:
        UserError: there is no git, no repository here, or no such revision.
    """
    top = Path(_git("rev-parse", "--show-toplevel").rstrip("\n"))
    base = _base(revision)
    diff = _git(*_DIFF, base, "--", cwd=top)
    changes = Changes()
    for name, rows in _by_file(diff.split("\n"), top):
        changes.rows[(top / name).resolve()] = rows
    for name in _git("ls-files", "--others", "--exclude-standard", "-z", cwd=top).split("\0"):
        if name:
            changes.rows[(top / name).resolve()] = [_WHOLE]
    return changes


def _base(revision: str) -> str:
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}", unknown=revision).strip()
    try:
        return _git("merge-base", commit, "HEAD").strip()
    except UserError:  # no common ancestor, as in a shallow clone: the revision itself is the best there is
        return commit


def _git(*arguments: str, cwd: Path | None = None, unknown: str = "") -> str:
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, env=environment, check=False)
    except OSError as error:
        raise UserError(f"git is needed to tell what has changed, and cannot be run: {error.strerror or error}") from None
    if done.returncode:
        if unknown:
            raise UserError(f"git knows no revision {unknown!r} here; a shallow clone may have to fetch it first")
        errors = done.stderr.decode(errors="replace").strip().splitlines()
        raise UserError(f"git cannot list what has changed: {errors[-1] if errors else f'git {arguments[0]} failed'}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _by_file(lines: Sequence[str], top: Path) -> Iterator[tuple[str, list[range]]]:
    """Each file of a diff with its changed rows; files that are gone are left out."""
    name: str | None = None
    rows: list[range] = []
    for number, line in enumerate(lines):
        if line.startswith("--- ") and number + 1 < len(lines) and lines[number + 1].startswith("+++ "):
            if name is not None:
                yield name, rows
            name, rows = _name(lines[number + 1][4:]), []
        elif name is not None and (hunk := _HUNK.match(line)):
            taken, first, put = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            if name.endswith(".ipynb"):
                rows = [_WHOLE]
                continue
            rows.append(range(first, first + put))
            if taken > put:
                gone = [row[1:] for row in lines[number + 1 : number + 1 + taken]]
                start = first if put else first + 1  # where nothing was put in, git names the row above the gap
                rows.append(_block(top / name, start, start + put, gone))
    if name is not None:
        yield name, rows


def _name(text: str) -> str | None:
    """A name as a diff writes it, or None for a file that is gone."""
    text = text.rstrip("\t")
    if text.startswith('"'):
        import codecs

        text = codecs.escape_decode(text[1:-1].encode("utf-8", "surrogateescape"))[0].decode("utf-8", "surrogateescape")
    return None if text == "/dev/null" else text.removeprefix("b/")


def _block(path: Path, first: int, end: int, gone: Iterable[str]) -> range:
    """The rows around a gap that are indented at least as deeply as what was taken out of it; at the top level only its neighbours."""
    indent = min((_indent(row) for row in gone if row.strip()), default=0)
    try:
        lines = read_regular(path).decode("utf-8", "replace").split("\n")
    except OSError:
        return range(0)
    if not indent:
        return range(first - 1, end + 1)

    def belongs(row: int) -> bool:
        return 1 <= row <= len(lines) and (not lines[row - 1].strip() or _indent(lines[row - 1]) >= indent)

    while belongs(first - 1):
        first -= 1
    while belongs(end):
        end += 1
    return range(first, end)


def _indent(line: str) -> int:
    expanded = line.expandtabs(8)
    return len(expanded) - len(expanded.lstrip())
