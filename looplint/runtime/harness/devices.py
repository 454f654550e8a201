"""Whether this machine can run a command: torch, and a GPU that torch can use."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from looplint.errors import UserError

# Versions of torch: the oldest with the functions that are hooked, and the newest that was tested.
OLDEST, NEWEST = (2, 4), (2, 13)
# Allocates, because torch may list a GPU that it cannot use. Without a GPU the error states why.
# The working folder is left out of the path: a `random.py` that lies there is not torch's.
_PROBE = """
import sys
sys.path = [folder for folder in sys.path if folder]
import torch
try:
    torch.ones(1, device="cuda")
except Exception as error:
    sys.exit("looplint: " + next(iter(str(error).splitlines()), type(error).__name__))
"""


def require_torch() -> None:
    """Check that torch is installed.

    Raises:
        UserError: torch is not installed, or too old for the hooks.
    """
    if find_spec("torch") is None:
        raise UserError('executing training code needs torch: pip install "looplint[runtime]"')
    try:
        installed = version("torch")
    except PackageNotFoundError:  # built in place, without metadata
        return
    if _release(installed) < OLDEST:
        raise UserError(
            f'executing training code needs torch {_written(OLDEST)} or newer, and {installed} is installed: pip install "looplint[runtime]"'
        )


def untested_torch() -> str:
    """A note on a torch that is newer than the one that the recorder was tested with; empty where it is not."""
    try:
        installed = version("torch")
    except PackageNotFoundError:
        return ""
    if _release(installed) <= NEWEST:
        return ""
    return f"torch {installed} is newer than {_written(NEWEST)}, with which recording was tested; a hook that does not fit it is named in the report"


def _release(installed: str) -> tuple[int, int]:
    major, minor = re.findall(r"\d+", f"{installed}.0")[:2]
    return int(major), int(minor)


def _written(release: tuple[int, int]) -> str:
    return f"{release[0]}.{release[1]}"


def missing_cuda() -> str | None:
    """Why torch can use no GPU here; None where it can. Another process checks, so that this one needs no torch."""
    answer = subprocess.run([sys.executable, "-c", _PROBE], capture_output=True, text=True, check=False)
    if answer.returncode == 0:
        return None
    last = next(reversed(answer.stderr.strip().splitlines()), f"exit status {answer.returncode}")
    return last.removeprefix("looplint: ").rstrip(".")


def require_cuda() -> None:
    """Check that torch can use a GPU: without one the same scripts would silently run on the processor.

    Raises:
        UserError: torch can use no GPU.
    """
    if (reason := missing_cuda()) is not None:
        raise UserError(f"--device cuda: torch can use no GPU here: {reason}; nothing was run")


def default_device() -> str:
    """cuda where torch can use a GPU."""
    return "cpu" if missing_cuda() is not None else "cuda"
