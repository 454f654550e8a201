"""`python -m benchmarks.realbugs --mirrors DIR`: lint the commit before each repair of a real bug and the repair itself.

The file of the bug is linted together with the files that import it, as a user would lint it; a rule that is opt-in is selected for the bugs that it
claims, and the table says of which kinds these are. The bug is *found* where a finding of one of its rules
has a place in the function that holds it, or is one of its file that the repair removes. The repair is *silent* where fewer of these findings are
left in that function than before, or none if there were none.
"""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import add_option, store
from benchmarks.planted.__main__ import importers
from benchmarks.realbugs.bugs import Bug, read
from looplint.errors import UserError
from looplint.linting.catalogue import load
from looplint.survey.trees import opened


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said of a bug; nothing is asked where no rule claims it, and `unread` is why nothing could be."""

    bug: Bug
    found: bool = False
    silent: bool = False
    unread: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.realbugs", description=__doc__)
    parser.add_argument(
        "--mirrors", type=Path, required=True, help="a folder with owner+name/repo, a bare git directory, for each repository"
    )
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS", help="for one commit")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--outcomes", type=Path, metavar="FILE", help="write what was found of each bug to a file")
    add_option(parser)
    options = parser.parse_args(arguments)
    bugs = read()
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(lambda bug: ask(bug, options.mirrors, options.timeout), bugs):
            outcomes.append(outcome)
            print(f"\r{len(outcomes)}/{len(bugs)} bugs", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(table(outcomes))
    if options.outcomes:
        options.outcomes.write_text("".join(map(_line, outcomes)), encoding="utf-8")
    if options.store:
        store("realbugs", facts(outcomes))
    return 0


def ask(bug: Bug, mirrors: Path, timeout: float) -> Outcome:
    """Lint the commit before a repair, and the repair, where a rule claims to report the bug."""
    if not bug.rules:
        return Outcome(bug)
    try:
        place = mirrors / bug.repository.replace("/", "+") / "repo"
        checkout = bug.repository.rpartition("/")[2]  # as who clones it has it: some import their parts by this name
        with opened(place, f"{bug.commit}^", checkout) as before, opened(place, bug.commit, checkout) as after:
            name, rows = function_at((before / bug.path).read_text(encoding="utf-8"), bug.row)
            old = _count(bug, before, rows, timeout)
            new = _count(bug, after, rows_of((after / bug.path).read_text(encoding="utf-8"), name), timeout)
    except (OSError, RuntimeError, SyntaxError, UserError, ValueError) as error:
        return Outcome(bug, unread=f"{type(error).__name__}: {error}")
    return Outcome(bug, found=old.inside > 0 or old.in_file > new.in_file, silent=new.inside < old.inside or not new.inside)


@dataclass(frozen=True, slots=True)
class _Count:
    """How many findings of the rules of a bug there are in its file, and how many of them have a place in its function."""

    in_file: int
    inside: int


def _count(bug: Bug, root: Path, rows: range, timeout: float) -> _Count:
    path = root / bug.path
    findings = [f for f in lint([path, *map(Path, importers(root, path))], root, timeout, bug.rules) if f["code"] in bug.rules]
    here = [[p for p in (f, *f["related"]) if (root / p["filename"]).resolve() == path.resolve()] for f in findings]
    return _Count(sum(map(bool, here)), sum(any(p["location"]["row"] in rows for p in places) for places in here))


def function_at(text: str, row: int) -> tuple[str, range]:
    """The qualified name and the rows of the innermost function around a row; the module where there is none.

    Raises:
        SyntaxError: this Python cannot read the text
    """
    holding = [(name, rows) for name, rows in _functions(ast.parse(text)) if row in rows]
    return min(holding, key=lambda each: len(each[1]), default=("", range(1, text.count("\n") + 2)))


def rows_of(text: str, name: str) -> range:
    """The rows of the function of a qualified name, or the whole file where there is none.

    Raises:
        SyntaxError: this Python cannot read the text
    """
    return dict(_functions(ast.parse(text))).get(name, range(1, text.count("\n") + 2))


def _functions(tree: ast.AST, around: str = "") -> Iterator[tuple[str, range]]:
    for node in ast.iter_child_nodes(tree):
        name = around
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{around}.{node.name}"
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            yield name, range(first, (node.end_lineno or first) + 1)
        yield from _functions(node, name)


def lint(files: Sequence[Path], root: Path, timeout: float, rules: Iterable[str]) -> list[dict[str, Any]]:
    """What `looplint` prints of some files, with some rules besides the default ones.

    Raises:
        RuntimeError: it gave no answer in time, or none that can be read
    """
    options = ["--isolated", "--no-cache", "--output-format", "json", "--extend-select", ",".join(sorted(rules))]
    command = [sys.executable, "-m", "looplint", "check", *options, *map(str, files)]
    try:
        answer = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=timeout, check=False)
        found: list[dict[str, Any]] = json.loads(answer.stdout)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"no answer in {timeout:.0f} s") from None
    except json.JSONDecodeError:
        raise RuntimeError(f"no findings that can be read: {answer.stderr.strip()[-200:]}") from None
    return found


def facts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """The counts that the documents state."""
    claimed = [o for o in outcomes if o.bug.rules]
    asked = [o for o in claimed if not o.unread]
    return {
        "repositories": len({o.bug.repository for o in outcomes}),
        "bugs": len(outcomes),
        "claimed": len(claimed),
        "unread": len(claimed) - len(asked),
        "found": sum(o.found for o in asked),
        "gone": sum(o.found and o.silent for o in asked),
        "silent": sum(o.silent for o in asked),
        "not_in_the_text": sum(bool(o.bug.not_in_the_text) and not o.found for o in asked),
    }


def table(outcomes: Sequence[Outcome]) -> str:
    """A row for each kind of bug that a rule claims, the kinds that none does, and the sums."""
    by_kind: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_kind[outcome.bug.category].append(outcome)
    opt_in = {rule.code for rule in load() if not rule.default}
    rows = [f"{'kind of bug':45} {'bugs':>5} {'found':>5} {'silent after':>12}"]
    for kind, each in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0])):
        if any(o.bug.rules for o in each):
            asked_for = ", ".join(sorted(frozenset().union(*(o.bug.rules for o in each)) & opt_in))
            row = f"{kind:45} {len(each):5} {sum(o.found for o in each):5} {sum(o.silent for o in each):12}"
            rows.append(f"{row}  {asked_for} is opt-in" if asked_for else row)
    unclaimed = Counter(o.bug.category for o in outcomes if not o.bug.rules)
    rows += [f"{kind:45} {number:5}  no rule claims it" for kind, number in sorted(unclaimed.items())]
    fact = facts(outcomes)
    asked = fact["claimed"] - fact["unread"]
    rows.append(
        f"{fact['bugs']} bugs of {fact['repositories']} repositories; {fact['claimed']} are what a rule claims to report, {fact['unread']} of these "
        f"could not be read; of {asked} {fact['found']} are found, {fact['gone']} of them are gone with the repair, and {fact['silent']} repairs are silent; of those that are missed "
        f"{fact['not_in_the_text']} cannot be told for certain from the text"
    )
    return "\n".join(rows)


def _line(outcome: Outcome) -> str:
    return json.dumps({**asdict(outcome), "bug": {**asdict(outcome.bug), "rules": sorted(outcome.bug.rules)}}) + "\n"


if __name__ == "__main__":
    sys.exit(main())
