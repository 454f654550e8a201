"""Commands as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NoReturn

# What most runs import: a fork of this process finds it here, and starts in milliseconds.
import looplint.commands.check
import looplint.linting.analysis
import looplint.report.formats.text
from looplint.commands.cli import main
from looplint.linting import catalogue

# What the environment of the tests must not say to what they run.
_NOT_SAID = ("FORCE_COLOR", "NO_COLOR", "GITHUB_STEP_SUMMARY")


def looplint(
    *arguments: str, cwd: Path, stdin: bytes = b"", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a fork of this process: with its own folder, standard streams and exit status, and none of the time to start one."""
    with tempfile.TemporaryFile() as theirs, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        catalogue.load()  # once: forks find the rules loaded
        theirs.write(stdin)
        theirs.seek(0)
        child = os.fork()
        if not child:
            _run(arguments, cwd, environment or {}, (theirs, out, err))
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(["looplint", *arguments], os.waitstatus_to_exitcode(status), out.read(), err.read())


def looplint_text(
    *arguments: str, cwd: Path, stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same with text in place of bytes."""
    done = looplint(*arguments, cwd=cwd, stdin=stdin.encode(), environment=environment)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def _run(arguments: tuple[str, ...], cwd: Path, environment: Mapping[str, str], streams: tuple[IO[bytes], ...]) -> NoReturn:
    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream.fileno(), number)
        encoding = environment.get("PYTHONIOENCODING")
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, mode, encoding=encoding) for n, mode in ((0, "r"), (1, "w"), (2, "w")))
        for name in _NOT_SAID:
            os.environ.pop(name, None)
        os.environ.update(environment)
        os.chdir(cwd)
        sys.argv = ["looplint", *arguments]
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:  # noqa: BLE001 - printed, as where a process ends
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


def process(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m looplint` in a process of its own, for what concerns its start and end."""
    return subprocess.run([sys.executable, "-m", "looplint", *arguments], cwd=cwd, capture_output=True, check=False)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)
