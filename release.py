"""`python release.py VERSION`: prepares a release. It writes the version wherever it stands, closes the changelog's section, commits, and tags.

Nothing is published: the last line printed is the command that does. `--dry-run` prints the changes and writes nothing.
"""

from __future__ import annotations

import argparse
import datetime
import difflib
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent
_UNRELEASED = "## Unreleased\n"
_IN_PAGES = r"(?<=looplint/looplint@v){}\b|(?<=rev: v){}\b"
# Where the version stands, and how. Each pattern has to be found.
_PLACES = {
    "looplint/__init__.py": r'(?<=__version__ = "){}(?=")',
    "editors/vscode/package.json": r'(?<=\n  "version": "){}(?=")',
    "editors/vscode/package-lock.json": r'(?<="name": "looplint",\n)(?P<blanks> +)"version": "{}"',
    "docs/ci.md": _IN_PAGES,
    "README.md": _IN_PAGES,
}


class Refused(Exception):
    """The release cannot be made; says why, and what to do."""


def main(arguments: Sequence[str] | None = None, root: Path = ROOT, today: datetime.date | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python release.py", description=__doc__)
    parser.add_argument("version", help="the new version, such as 0.2.0")
    parser.add_argument("--dry-run", action="store_true", help="print what would change; write nothing")
    options = parser.parse_args(arguments)
    try:
        notes, changes = planned(root, options.version, today or datetime.date.today())
        if options.dry_run:
            print("".join(_diff(root, file, text) for file, text in changes.items()), end="")
            print(f"Would commit this as version {options.version}, and tag it v{options.version}.")
            return 0
        check_repository(root, options.version)
        check_addresses(root)
        make(root, options.version, notes, changes)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 2
    print(f"Committed version {options.version}, and tagged it v{options.version}. To publish it:")
    print(f"git push --atomic origin {_git(root, 'branch', '--show-current')} v{options.version}")
    return 0


def planned(root: Path, version: str, today: datetime.date) -> tuple[str, dict[str, str]]:
    """What a release says of itself, and the files that it changes with their new texts.

    Raises:
        Refused: the version is none, or not a later one; the changelog says nothing; or the old version is not where it is expected.
    """
    old = current_version(root)
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Refused(f"{version} is no version; it has three numbers, such as 0.2.0")
    if _numbers(version) <= _numbers(old):
        raise Refused(f"{version} is not later than {old}")
    changes = {}
    for file, pattern in _PLACES.items():
        text = (root / file).read_text(encoding="utf-8")
        new, count = re.subn(pattern.replace("{}", re.escape(old)), lambda found: _placed(found, version), text)
        if not count:
            raise Refused(f"{file} does not have the version {old} where it is expected")
        changes[file] = new
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    _, unreleased, rest = text.partition(_UNRELEASED)
    notes = rest.partition("\n## ")[0].strip()
    if not unreleased or not notes:
        raise Refused(f"CHANGELOG.md says nothing under `{_UNRELEASED.strip()}`")
    changes["CHANGELOG.md"] = text.replace(_UNRELEASED, f"{_UNRELEASED}\n## {version} - {today.isoformat()}\n", 1)
    return notes, changes


def check_repository(root: Path, version: str) -> None:
    """See that the repository is ready.

    Raises:
        Refused: there are changes that are not committed, or the tag is there already.
    """
    if _git(root, "status", "--porcelain"):
        raise Refused("there are changes that are not committed")
    if _git(root, "tag", "--list", f"v{version}"):
        raise Refused(f"the tag v{version} exists")


def check_addresses(root: Path) -> None:
    """See that the addresses in the package's metadata lead somewhere: what is published cannot be changed.

    Raises:
        Refused: one does not.
    """
    _, _, rest = (root / "pyproject.toml").read_text(encoding="utf-8").partition("\n[project.urls]\n")
    named = dict(re.findall(r'^(\w+) = "(https://[^"]+)"$', rest.partition("\n[")[0], re.MULTILINE))
    dead = [f"{name} ({address})" for name, address in named.items() if not answers(address)]
    if dead or not named:
        raise Refused(f"[project.urls] in pyproject.toml names what does not answer: {', '.join(dead) or 'nothing at all'}")


def answers(address: str) -> bool:
    """Whether there is a page under an address."""
    request = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "looplint-release"})
    try:
        with urllib.request.urlopen(request, timeout=30) as page:
            return bool(page.status == 200)
    except (urllib.error.URLError, TimeoutError):
        return False


def make(root: Path, version: str, notes: str, changes: dict[str, str]) -> None:
    """Write the files, commit them, and tag the commit with what the changelog says."""
    for file, text in changes.items():
        (root / file).write_text(text, encoding="utf-8")
    _git(root, "add", *changes)
    _git(root, "commit", "--quiet", "--message", f"Version {version}")
    # A line of a heading begins with "#", which is no comment here.
    _git(root, "tag", "--annotate", f"v{version}", "--cleanup=verbatim", "--message", f"Version {version}\n\n{notes}\n")


def current_version(root: Path) -> str:
    text = (root / "looplint/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"', text, re.MULTILINE)
    if found is None:
        raise Refused("looplint/__init__.py has no version")
    return found[1]


def _placed(found: re.Match[str], version: str) -> str:
    blanks = found.groupdict().get("blanks")
    return version if blanks is None else f'{blanks}"version": "{version}"'


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _diff(root: Path, file: str, text: str) -> str:
    old = (root / file).read_text(encoding="utf-8")
    return "".join(difflib.unified_diff(old.splitlines(keepends=True), text.splitlines(keepends=True), file, file))


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"git {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
