"""`python -m benchmarks.compare OLD NEW`: what two checkouts of looplint say differently of the same programs.

OLD and NEW are folders with a checkout each, or revisions of this repository. Both are asked, by all rules, about OLD's fixtures, about bugs
that OLD's injector plants in them, and about the repositories in `--checkouts`; whatever a finding says is compared, its repair too. With `--explain`
it is printed which commits between them changed which answers. The exit code is 1 where anything differs.
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

from benchmarks.compare.answers import Answer, Cache, Checkout
from benchmarks.compare.differences import Difference, differences, report
from benchmarks.compare.history import Between, Commit, changes, commits, extract, followed, table
from benchmarks.compare.programs import Program, repositories, scripts, written

ROOT = Path(__file__).resolve().parents[2]


def parser_of_arguments() -> argparse.ArgumentParser:
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
    for kind, what in (("loop", "the drawing of the loop"), ("debug", "the graph and the states"), ("fix", "the repaired texts")):
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
    parser.add_argument(
        "--explain",
        type=int,
        nargs="?",
        const=3,
        metavar="N",
        help="print which commits brought the differences, found by bisection with N programs for each rule and kind of difference (default 3)",
    )
    parser.add_argument("--cache", type=Path, metavar="FILE", help="keep the answers here, and do not ask again")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="so many processes at a time (default 2)")
    parser.add_argument("--timeout", type=float, default=1200, metavar="SECONDS", help="the longest a process may take (default 1200)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    parser = parser_of_arguments()
    options = parser.parse_args(arguments)
    with ExitStack() as stack:
        try:
            roots = [stack.enter_context(checkout(name)) for name in (options.old, options.new)]
            history = [] if options.explain is None else commits(*roots)
        except ValueError as error:
            parser.error(str(error))
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="compare-"))).resolve()
        how = {
            "texts": tuple(sorted(set(options.texts))),
            "jobs": options.jobs,
            "timeout": options.timeout,
            "bytecode": scratch / "bytecode",
            "cache": Cache(options.cache),
        }
        old, new = Checkout("OLD", roots[0], **how), Checkout("NEW", roots[1], **how)
        programs = [
            p
            for p in asked_about(options, old, scratch / "planted")
            if not options.only or any(t in f"{p.name} {p.about}" for t in options.only)
        ]
        if not programs:
            parser.error("there are no such programs")

        def differ(between: Between) -> list[Difference]:
            return list(differences(between.program.name, between.old, between.new, options.ignore_field))

        def ask(commit: Commit, programs: Sequence[Program]) -> list[Answer]:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                root = extract(commit, Path(folder), roots[1])
                return Checkout(commit.revision[:7], root, **{**how, "bytecode": Path(folder) / "bytecode"}).answers(programs)

        started = time.perf_counter()
        pairs = [Between(*each) for each in zip(programs, old.answers(programs), new.answers(programs), strict=True)]
        found = {pair.program.name: those for pair in pairs if (those := differ(pair))}
        chosen = set(followed(found, options.explain)) if history else set()
        explained = list(changes([pair for pair in pairs if pair.program.name in chosen], history, ask, differ)) if chosen else []
    print(f"\r{len(programs)} programs in {time.perf_counter() - started:.0f} s{'':<80}", file=sys.stderr)
    about = {p.name: p.about for p in programs if p.about}
    print(report([each for those in found.values() for each in those], about).strip() or "no difference")
    if chosen:
        print(
            f"\n{len(explained)} commits changed answers on the {len(chosen)} of {len(found)} programs that were followed:\n{table(explained)}\n"
        )
    failed = sum(bool(pair.new["error"]) for pair in pairs)
    print(f"{len(programs)} programs, {sum(len(pair.old['findings']) for pair in pairs)} findings in OLD, {failed} errors in NEW")
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
