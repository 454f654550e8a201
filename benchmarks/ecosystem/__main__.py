"""`python -m benchmarks.ecosystem --checkouts DIR`: lint real repositories and compare with the judgements.

DIR holds one folder per repository of `repositories.json` (with `--fresh`: of `fresh.json`), named owner__name, at the commit that stands there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.figures import add_option, store
from benchmarks.mutation.measure import OPT_IN
from looplint.finding import Finding
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection
from looplint.sources.notebooks import cell_texts

HERE = Path(__file__).parent
JUDGEMENTS = "judgements.json"
# Rules that are off by default find more than anybody reads: a sample of theirs is judged, spread over the repositories.
OPT_IN_JUDGEMENTS = "judgements_opt_in.json"
# Repositories that no rule had been tried on when their findings were first read.
FRESH, FRESH_JUDGEMENTS = "fresh.json", "judgements_fresh.json"


@dataclass(frozen=True)
class Found:
    """A finding as it is matched: the text of its line, not its number, which moves."""

    repo: str
    path: str
    code: str
    line: str
    safe: bool = field(default=False, compare=False)  # whether it comes with a safe repair

    @classmethod
    def of(cls, judgement: dict[str, Any]) -> Found:
        return cls(judgement["repo"], judgement["path"], judgement["code"], judgement["line"][:80])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ecosystem", description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--repo", action="append", default=[], help="only this repository (repeatable)")
    parser.add_argument(
        "--opt-in", action="store_true", help="ask the rules that are off by default, and compare with their own judgements"
    )
    parser.add_argument("--fresh", action="store_true", help="lint the repositories of fresh.json in their place")
    parser.add_argument("--json", type=Path, help="write the findings here, to be judged")
    add_option(parser)
    options = parser.parse_args(arguments)
    judged = judgements(OPT_IN_JUDGEMENTS if options.opt_in else FRESH_JUDGEMENTS if options.fresh else JUDGEMENTS)
    selection = Selection(select=OPT_IN) if options.opt_in else None
    repositories = json.loads((HERE / (FRESH if options.fresh else "repositories.json")).read_text(encoding="utf-8"))
    found: list[Found] = []
    loop_files = 0
    checked = set()
    for repository in repositories:
        name = repository["repo"]
        folder = options.checkouts / name.replace("/", "__")
        if (options.repo and name not in options.repo) or not folder.is_dir():
            continue
        started = time.perf_counter()
        here = findings(name, folder, selection)
        found += here
        loop_files += repository["loop_files"]
        checked.add(name)
        print(f"{name}: {len(here)} findings, {time.perf_counter() - started:.0f} s", file=sys.stderr)
    print(sampled(found, judged, checked, loop_files) if options.opt_in else report(found, judged, checked, loop_files))
    if options.store:
        store("opt_in" if options.opt_in else "fresh" if options.fresh else "ecosystem", facts(found, judged, checked, loop_files))
    if options.json is not None:
        options.json.write_text(json.dumps([vars(f) for f in found], indent=1) + "\n", encoding="utf-8")
    return 1 if not options.opt_in and [f for f in found if f not in judged] else 0


def judgements(name: str = JUDGEMENTS) -> dict[Found, dict[str, Any]]:
    """What was read and judged: a verdict and its reason for each finding."""
    return {Found.of(j): j for j in json.loads((HERE / name).read_text(encoding="utf-8"))}


def findings(repo: str, folder: Path, selection: Selection | None = None) -> list[Found]:
    """What looplint says of one checkout; files that it could not read are named on standard error."""
    result = []
    linted = lint_paths([str(folder)], selection)
    for problem in linted.problems:
        print(f"{repo}: {problem}", file=sys.stderr)
    for finding in linted.findings:
        path = Path(finding.filename).resolve()
        line = lines_around(finding, path)[finding.location.row - 1].strip()[:80]
        result.append(
            Found(
                repo,
                path.relative_to(folder.resolve()).as_posix(),
                finding.code,
                line,
                finding.fix is not None and finding.fix.applicability == "safe",
            )
        )
    return result


def lines_around(finding: Finding, path: Path) -> list[str]:
    """The lines in which a finding's rows are counted: its cell's in a notebook, its file's elsewhere."""
    if finding.cell is None:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    return cell_texts(path.read_bytes())[finding.cell - 1].splitlines()


def report(found: Sequence[Found], judged: dict[Found, dict[str, Any]], checked: set[str], loop_files: int) -> str:
    """Precision per rule, and what is new or gone against the judgements."""
    lines = ["| rule | findings | true | precision |", "|---|---:|---:|---:|"]
    verdicts = Counter((f.code, judged[f]["verdict"]) for f in found if f in judged)
    for code in sorted({f.code for f in found}):
        true, false = verdicts[code, "true"], verdicts[code, "false"]
        lines.append(f"| {code} | {true + false} | {true} | {true / max(1, true + false):.0%} |")
    true = sum(n for (_, v), n in verdicts.items() if v == "true")
    false = sum(n for (_, v), n in verdicts.items() if v == "false")
    lines.append(f"| **all** | {true + false} | {true} | {true / max(1, true + false):.1%} |")
    lines.append(f"\n{len(checked)} repositories, {loop_files} loop files, {false} false alarms.")
    if any("repair" in judgement for judgement in judged.values()):
        lines.append(repairs(found, judged))
    lines += [f"new: {f.repo} {f.path} {f.code} {f.line}" for f in found if f not in judged]
    lines += [f"gone: {f.repo} {f.path} {f.code} {f.line}" for f in judged if f.repo in checked and f not in set(found)]
    return "\n".join(lines)


def facts(found: Sequence[Found], judged: dict[Found, dict[str, Any]], checked: set[str], loop_files: int) -> dict[str, int]:
    """The figures of a report, for the README."""
    read = [f for f in found if f in judged]
    true = [f for f in read if judged[f]["verdict"] == "true"]
    return {
        "repositories": len(checked),
        "loop_files": loop_files,
        "findings": len(found),
        "read": len(read),
        "true": len(true),
        "safe_repairs": sum(f.safe for f in true),
        "safe_repairs_right": sum(f.safe and judged[f].get("repair") == "right" for f in true),
    }


def sampled(found: Sequence[Found], judged: dict[Found, dict[str, Any]], checked: set[str], loop_files: int) -> str:
    """Precision per rule over the findings that were read, how many there are, and which judged ones are gone."""
    lines = ["| rule | findings | read | true | precision |", "|---|---:|---:|---:|---:|"]
    for code in [*OPT_IN, ""]:
        here = [f for f in found if code in ("", f.code)]
        read = [f for f in here if f in judged]
        true = sum(judged[f]["verdict"] == "true" for f in read)
        share = f"{true / len(read):.1%}" if read else "-"
        lines.append(f"| {code or '**all**'} | {len(here)} | {len(read)} | {true} | {share} |")
    unread = sum(f not in judged for f in found)
    lines.append(f"\n{len(checked)} repositories, {loop_files} loop files; {unread} of {len(found)} findings were not read.")
    lines += [f"gone: {f.repo} {f.path} {f.code} {f.line}" for f in judged if f.repo in checked and f not in set(found)]
    return "\n".join(lines)


def repairs(found: Sequence[Found], judged: dict[Found, dict[str, Any]]) -> str:
    """How many safe repairs of true findings were read in their diff, and which were not."""
    safe = [f for f in found if f.safe and f in judged and judged[f]["verdict"] == "true"]
    verdicts = Counter(judged[f].get("repair", "not read") for f in safe)
    unread = [f"repair not read: {f.repo} {f.path} {f.code} {f.line}" for f in safe if "repair" not in judged[f]]
    return "\n".join(
        [f"{len(safe)} safe repairs of true findings: {verdicts['right']} read and right, {verdicts['wrong']} wrong.", *unread]
    )


if __name__ == "__main__":
    sys.exit(main())
