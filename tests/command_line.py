"""Commands as a user runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def looplint(*arguments: str, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    return subprocess.run([sys.executable, "-m", "looplint", *arguments], cwd=cwd, input=stdin, capture_output=True, env=environment)


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)
