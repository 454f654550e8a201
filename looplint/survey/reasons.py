"""Why a repository failed or a loop was not understood: in a line that is stored, and without what it names for tables and pages."""

from __future__ import annotations

import re
from pathlib import Path, PurePath

import looplint
from looplint.survey.judging import Refused
from looplint.survey.limits import Exceeded

# A line of a traceback: the file, and the place in it.
_FRAME = re.compile(r'^ *File "(.+)"(, line .+)$', re.MULTILINE)
# What a reason names: what is quoted, paths up to where the reason goes on behind a colon, names of files, and numbers.
_NAMED = re.compile(r"""`[^`]*`|'[^']*'|"[^"]*"|(?:[^\s:]*[/\\]|[^\s:]+\.\w+:).*?(?=: |$)|\d+""")
# What nobody foresaw, as `stored` has it. The text of such an error may have anything of the program that was read.
_UNFORESEEN = re.compile(r"([A-Z]\w*): .*?(?: \(((?:looplint|rules)/[\w/]+\.py, line \d+, in [\w.<>]+)\))?")


def stored(cause: BaseException, trace: str) -> str:
    """Why a task has failed, in a line; of what nobody foresaw also where.

    Args:
        cause: what ended it.
        trace: the traceback that a worker printed of it, or nothing.
    """
    if isinstance(cause, Refused | Exceeded):
        return str(cause)
    lines, places = str(cause).strip().splitlines() or [""], _FRAME.findall(trace)
    return f"{type(cause).__name__}: {lines[0]}{f' ({_inside(places[-1][0])}{places[-1][1]})' if places else ''}"


def _inside(path: str) -> str:
    """A file of a traceback by its place beside the code of looplint, or by its name: where somebody has installed it tells who that is."""
    parts, here = PurePath(path).parts, Path(looplint.__file__).parents[1]
    return next((each for number in range(1, len(parts)) if (here / (each := "/".join(parts[number:]))).is_file()), parts[-1])


def general(reason: str) -> str:
    """A reason without what it names: the same for every repository."""
    line = reason.splitlines()[0]
    if line.startswith("/"):
        return "the repository cannot be read"
    if unforeseen := _UNFORESEEN.fullmatch(line):
        return re.sub(r"\d+", "…", f"{unforeseen[1]} in {unforeseen[2]}" if unforeseen[2] else unforeseen[1])
    return _NAMED.sub("…", line)
