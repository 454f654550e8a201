"""`python -m benchmarks.compare OLD NEW`: what two checkouts of looplint say differently of the same programs.

OLD and NEW are folders with a checkout each, or revisions of this repository. Both are asked, by all rules, about OLD's fixtures, about bugs
that OLD's injector plants in them, and about the repositories in `--checkouts`; whatever a finding says is compared, its repair too. The exit
code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.compare.answers import Cache, Checkout
from benchmarks.compare.differences import differences, report
from benchmarks.compare.programs import Program, repositories, scripts, written

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("old", metavar="OLD", help="a folder, or a revision of this repository")
    parser.add_argument("new", metavar="NEW", help="likewise")
    parser.add_argument("--checkouts", type=Path, metavar="DIR", help="repositories in DIR/owner+name, DIR/owner__name or DIR/owner/name")
    parser.add_argument("--also", type=Path, action="append", default=[], metavar="DIR", help="a folder of further programs (repeatable)")
    parser.add_argument(
        "--mutants", type=int, default=300, metavar="N", help="about so many planted bugs, equally many of each rule (default 300; 0: none)"
    )
    parser.add_argument("--no-fixtures", action="store_true", help="leave out the fixtures")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="only programs whose name contains this (repeatable)")
    for kind, what in (("loop", "the picture of the loop"), ("debug", "the graph and the states"), ("fix", "the repaired texts")):
        parser.add_argument(
            f"--{kind}",
            dest="texts",
            action="append_const",
            const=kind,
            default=[],
            help=f"compare {what} as well, but not of repositories",
        )
    parser.add_argument(
        "--ignore-field", action="append", default=[], metavar="FIELD", help="a field of findings to leave out (repeatable)"
    )
    parser.add_argument("--old-cache", type=Path, metavar="FILE", help="keep what OLD says here, and do not ask it again")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="so many processes at a time (default 2)")
    parser.add_argument("--timeout", type=float, default=1200, metavar="SECONDS", help="the longest a process may take (default 1200)")
    options = parser.parse_args(arguments)

    with ExitStack() as stack:
        try:
            roots = [stack.enter_context(checkout(name)) for name in (options.old, options.new)]
        except ValueError as error:
            parser.error(str(error))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="compare-"))).resolve()
        how = {
            "texts": tuple(sorted(set(options.texts))),
            "jobs": options.jobs,
            "timeout": options.timeout,
            "bytecode": scratch / "bytecode",
        }
        old, new = Checkout("OLD", roots[0], cache=Cache(options.old_cache), **how), Checkout("NEW", roots[1], **how)
        programs = [
            p
            for p in asked_about(options, old, scratch / "planted")
            if not options.only or any(t in f"{p.name} {p.about}" for t in options.only)
        ]
        if not programs:
            parser.error("there are no such programs")
        started = time.perf_counter()
        before, after = old.answers(programs), new.answers(programs)
    print(f"\r{len(programs)} programs in {time.perf_counter() - started:.0f} s{'':<80}", file=sys.stderr)
    found = [
        difference
        for program, left, right in zip(programs, before, after, strict=True)
        for difference in differences(program.name, left, right, options.ignore_field)
    ]
    print(report(found, {p.name: p.about for p in programs if p.about}).strip() or "no difference")
    failed = sum(bool(answer["error"]) for answer in after)
    print(f"{len(programs)} programs, {sum(len(a['findings']) for a in before)} findings in OLD, {failed} errors in NEW")
    return 1 if found else 0


def asked_about(options: argparse.Namespace, old: Checkout, folder: Path) -> Iterator[Program]:
    """The programs that the options name, mutants written out."""
    if not options.no_fixtures:
        yield from scripts(old.root / "fixtures", old.root / "fixtures")
    yield from written(old.planted(options.mutants), folder)
    for also in options.also:
        yield from scripts(also.resolve(), also.resolve())
    if options.checkouts is not None:
        yield from repositories(options.checkouts.resolve())


@contextmanager
def checkout(name: str) -> Iterator[Path]:
    """The folder with a version: the one named, or a temporary worktree.

    Raises:
        ValueError: it is neither a checkout nor a revision.
    """
    if Path(name).is_dir():
        root = Path(name).resolve()
        if not (root / "looplint" / "__init__.py").is_file():
            raise ValueError(f"{name}: there is no looplint in this folder")
        yield root
        return
    commit = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    if not commit:
        raise ValueError(f"{name}: is neither a folder nor a revision of this repository")
    with tempfile.TemporaryDirectory(prefix="compare-") as temporary:
        root = Path(temporary).resolve() / "looplint"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(root), commit], cwd=ROOT, check=True)
        try:
            yield root
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(root)], cwd=ROOT, check=True)


if __name__ == "__main__":
    raise SystemExit(main())
