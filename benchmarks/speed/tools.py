"""The linters that are compared: where they are installed, which versions, and how each is called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Tool:
    """A linter as its users run it, with its own default number of jobs unless `arguments` says otherwise."""

    name: str
    package: str
    arguments: tuple[str, ...] = ()

    def command(self, bin_folder: Path, target: Path) -> list[str]:
        return [str(bin_folder / self.name), *self.arguments, str(target)]


# Without what earlier runs have left: each of them is to read the files.
LOOPLINT = Tool("looplint", "looplint", ("--no-cache",))
OTHERS = (
    Tool("torchfix", "torchfix"),
    # pylint runs on one core unless told otherwise; the others use all.
    Tool("pylint", "pylint", ("--jobs=0", "--recursive=y", "--score=n")),
    Tool("flake8", "flake8"),
    Tool("ruff", "ruff", ("check", "--no-cache", "--isolated")),
)


@dataclass(frozen=True, slots=True)
class Installed:
    tool: Tool
    bin_folder: Path
    version: str
    libcst: str | None

    def command(self, target: Path) -> list[str]:
        return self.tool.command(self.bin_folder, target)


def install(folder: Path, say: Callable[[str], None]) -> list[Installed]:
    """Two environments of this interpreter: the project alone, built from the checkout, and the others (torchfix pins an older libcst).

    A tool that cannot be installed is named and left out.
    """
    found, others = [install_own(folder)], _environment(folder / "others")
    for tool in OTHERS:
        if _pip(others, tool.package):
            found.append(Installed(tool, others, _version(others, tool.package), None))
        else:
            say(f"{tool.name} could not be installed and is left out")
    # Known only now: the last installation may have changed it.
    shared = _version(others, "libcst")
    return [Installed(i.tool, i.bin_folder, i.version, shared) if i.tool.name == "torchfix" else i for i in found]


def install_own(folder: Path) -> Installed:
    """An environment with the project alone, built from the checkout."""
    own = _environment(folder / "own")
    if not _pip(own, "--force-reinstall", "--no-deps", str(ROOT)) or not _pip(own, "libcst", "click", "pathspec"):
        raise SystemExit("the project itself could not be installed")
    return Installed(LOOPLINT, own, _version(own, "looplint"), _version(own, "libcst"))


def _environment(folder: Path) -> Path:
    if not (folder / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    return folder / "bin"


def _pip(bin_folder: Path, *arguments: str) -> bool:
    return _run([str(bin_folder / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]).returncode == 0


def _version(bin_folder: Path, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return _run([str(bin_folder / "python"), "-c", code]).stdout.strip()


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)
