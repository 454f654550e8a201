"""Run as a script, with a checkout on PYTHONPATH: what its looplint says of programs, asked through the public API alone.

Standard input is a JSON object with the checkout (`root`), the further outputs wanted (`texts`) and the `programs`; each answer is a line
of JSON, in their order.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

import looplint

COMMANDS = {"loop": ("loop", "--isolated", "--width", "120"), "debug": ("debug",)}


def main() -> None:
    request = json.load(sys.stdin)
    root = Path(request["root"])
    if not Path(looplint.__file__).resolve().is_relative_to(root):
        sys.exit(f"{root}: looplint was imported from {looplint.__file__}")
    for program in request["programs"]:
        folder = program["folder"]
        os.chdir(folder)
        reply = json.dumps(answer(program["what"], request["texts"] if program["alone"] else ()), default=str)
        # Where the programs and the checkout lie differs from run to run.
        for path, name in ((folder, "."), (str(root), "<looplint>")):
            reply = reply.replace(json.dumps(path)[1:-1], name)
        print(reply, flush=True)


def answer(what: str, texts: Sequence[str]) -> dict[str, Any]:
    """All that is said of a file or folder; an internal error is an answer, too."""
    problems: Sequence[Any] = ()
    error = ""
    findings: Sequence[looplint.Finding] = ()
    try:
        findings = looplint.lint(what, select=("ALL",), isolated=True)
    except looplint.UnreadError as unread:
        findings, problems = unread.findings, unread.problems
    except Exception as other:  # noqa: BLE001 - a bug of one version is a difference to be shown
        error = f"{type(other).__name__}: {other}"
    outputs = {f"{kind} {file}": output(kind, file) for kind in texts for file in files(kind, what)}
    return {"findings": [asdict(f) for f in findings], "problems": [asdict(p) for p in problems], "error": error, "texts": outputs}


def files(kind: str, what: str) -> Iterator[str]:
    """What a further output is about: `fix` takes a folder as a whole, the commands one file."""
    path = Path(what)
    if kind == "fix" or not path.is_dir():
        yield what
    else:
        yield from (str(p) for p in sorted(path.rglob("*.py")))


def output(kind: str, file: str) -> str:
    """The text of one command on one file, or the file as all repairs leave it."""
    try:
        return fixed(file) if kind == "fix" else printed([*COMMANDS[kind], file])
    except Exception as error:  # noqa: BLE001 - as above
        return f"{type(error).__name__}: {error}"


def fixed(file: str) -> str:
    """The diffs of the safe repairs and of all, and what is said of them."""
    lines = []
    for unsafe in (False, True):
        result = looplint.fix(file, unsafe=unsafe, select=("ALL",), isolated=True)
        lines += ["all repairs" if unsafe else "safe repairs", result.diff, *(repr(a) for a in result.applied)]
        lines += [f"{f.place} {f.code} left: {f.unrepaired}" for f in result.findings]
    return "\n".join(lines)


def printed(arguments: list[str]) -> str:
    """What the command line prints, and how it ends."""
    stream, code = io.StringIO(), None
    before = sys.argv
    sys.argv = ["looplint", *arguments]
    try:
        with redirect_stdout(stream), redirect_stderr(stream):
            runpy.run_module("looplint", run_name="__main__")
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    return f"{stream.getvalue()}\nexit {code}"


if __name__ == "__main__":
    main()
