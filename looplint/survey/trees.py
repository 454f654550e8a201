"""The files of a repository: those of a folder, or those of a commit, written to a folder for as long as they are looked at.

A commit is read as git stores it: no filter, hook or attribute of the repository acts, and nothing is fetched.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from looplint.errors import UserError
from looplint.sources.regular import MOST_BYTES, MOST_OF_NOTEBOOK, read_regular

# What decides what is found in a folder: programs and documents, and what configures the linter or says where a project begins.
_ENDINGS = (".py", ".ipynb", ".md", ".markdown", ".toml", ".cfg")
_NAMES = (".gitignore", "setup.py", "requirements.txt")


def is_bare(folder: Path) -> bool:
    """Whether a folder is a git directory without a work tree around it."""
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def identity(place: Path, commit: str, endings: tuple[str, ...] = ()) -> str:
    """What a repository holds, as a word that changes when it does: its commit, or a digest of the files that the linter may read.

    Args:
        place: a folder, or a bare git repository where there is a commit.
        commit: a revision, or nothing.
        endings: more endings of files that are read.

    Raises:
        UserError: there is no such folder or commit.
    """
    if commit:
        return f"commit:{_git(place, 'rev-parse', '--verify', '--end-of-options', f'{commit}^{{commit}}').decode().strip()}"
    if not place.is_dir():
        raise UserError(f"{place}: no such folder")
    found = hashlib.blake2b(digest_size=20)
    seen: set[str] = set()
    for folder, names, files in os.walk(place, followlinks=True):
        real = os.path.realpath(folder)
        names[:] = sorted(name for name in names if name not in (".git", ".looplint_cache")) if real not in seen else []
        files = files if real not in seen else []
        seen.add(real)
        for name in sorted(files):
            path = Path(folder, name)
            if name in _NAMES or name.endswith((*_ENDINGS, *endings)):
                found.update(f"{path.relative_to(place).as_posix()}\0".encode("utf-8", "surrogateescape"))
                found.update(hashlib.blake2b(_content(path)).digest())
    return f"files:{found.hexdigest()}"


def _content(path: Path) -> bytes:
    try:
        return read_regular(path, _most(path.name))
    except OSError as error:
        return f"unread: {type(error).__name__}".encode()


def _most(name: str) -> int:
    """The size from which on a file is not read: it holds data."""
    return MOST_OF_NOTEBOOK if name.endswith(".ipynb") else MOST_BYTES


def year(place: Path, commit: str) -> int:
    """The year of the last commit; 0 where there is no git repository."""
    if not commit and not (place / ".git").exists():
        return 0
    try:
        return int(
            _git(place, "show", "--no-patch", "--format=%cd", "--date=format:%Y", "--end-of-options", commit or "HEAD").decode().strip()
        )
    except (UserError, ValueError):
        return 0


@contextmanager
def opened(place: Path, commit: str, name: str = "tree") -> Iterator[Path]:
    """The folder with the files of a repository; those of a commit are removed again, and lie in a folder of this name until then.

    Raises:
        UserError: git cannot read the commit.
    """
    if not commit:
        yield place.resolve()
        return
    folder = Path(tempfile.mkdtemp(prefix="looplint-survey-"))
    try:
        tree = folder.resolve() / name
        _write(place, commit, tree)
        yield tree
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(place: Path, commit: str, tree: Path) -> None:
    tree.mkdir()
    files: list[tuple[str, PurePosixPath]] = []
    links: list[tuple[str, PurePosixPath]] = []
    for line in _git(place, "ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", commit).split(b"\0"):
        facts, _, name = line.partition(b"\t")
        mode, kind, digest, size = (*facts.split(), b"", b"", b"", b"")[:4]
        path = PurePosixPath(os.fsdecode(name))
        is_sound = not path.is_absolute() and not {"..", ".git"} & set(path.parts)
        if kind == b"blob" and is_sound and size.isdigit() and int(size) <= _most(path.name):
            (links if mode == b"120000" else files).append((digest.decode(), path))
    # Links come last, so that nothing is written through one.
    for path, content in zip([path for _, path in files], _blobs(place, [digest for digest, _ in files])):
        if content is not None:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(content)
    for path, content in zip([path for _, path in links], _blobs(place, [digest for digest, _ in links])):
        if content is not None and _is_inside(tree, tree / path, os.fsdecode(content)) and not os.path.lexists(tree / path):
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(os.fsdecode(content), tree / path)


def _is_inside(tree: Path, link: Path, target: str) -> bool:
    """Whether a link leads to a place in the tree and lies in it."""
    here = Path(os.path.realpath(link.parent))
    return not os.path.isabs(target) and all(tree in (path, *path.parents) for path in (here, Path(os.path.realpath(here / target))))


def _blobs(place: Path, digests: list[str]) -> Iterator[bytes | None]:
    """The contents of blobs, None for one that the repository does not have."""
    if not digests:
        return
    command = [*_command(place), "cat-file", "--batch"]
    with tempfile.TemporaryFile() as request:
        request.write("".join(f"{digest}\n" for digest in digests).encode())
        request.seek(0)
        with subprocess.Popen(command, stdin=request, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=_environment()) as process:
            assert process.stdout is not None
            for _ in digests:
                head = process.stdout.readline().split()
                if len(head) != 3:
                    yield None
                    continue
                content = process.stdout.read(int(head[2]))
                process.stdout.read(1)
                yield content


def _command(place: Path) -> list[str]:
    # A repository that another user owns is only read, and nothing of its configuration is executed by these commands.
    return ["git", "-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-C", str(place)]


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**own, "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def _git(place: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(
            [*_command(place), *arguments], capture_output=True, check=False, env=_environment(), stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise UserError(f"{place}: git cannot be run: {error.strerror}") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UserError(f"{place}: {lines[-1] if lines else 'git fails'}")
    return done.stdout
