"""The figures that are stated are those that the benchmarks stored. `pytest --bless` writes the tables anew."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.figures import read
from benchmarks.repairs.table import ALL, Ends, Row, part, table
from places import ROOT

README = ROOT / "README.md"
MEASURED = ROOT / "docs" / "measured.md"
REPAIRS = ROOT / "docs" / "measured-repairs.md"
SURVEY = ROOT / "docs" / "survey.md"
DIR = "--checkouts DIR"


def repairs() -> dict[str, Row]:
    def row(stored: dict[str, Any]) -> Row:
        ends = {name: Ends(**stored[name]) for name in ("safe", "unsafe", "fixtures")}
        return Row(**{**stored, **ends})

    return {code: row(stored) for code, stored in read()["repairs"]["rows"].items()}


def evidence(name: str = "2.13.0-cpu") -> dict[str, Any]:
    return dict(json.loads((ROOT / "docs" / "evidence" / f"{name}.json").read_text(encoding="utf-8")))


def share(some: int, whole: int) -> str:
    return f"{100 * some / whole:.1f} %"


def on_code_never_read(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The figures of the first row of the table: on code of which nobody had read a line."""
    planted, known, told = figures["planted"], figures["understanding"], figures["first_reading"]
    return [
        (
            f"bugs planted by syntax alone in {planted['repositories']} repositories that nobody had read",
            f"{planted['found']} of {planted['bugs']} found ({share(planted['found'], planted['bugs'])}); in the seventy-four rounds before, on other repositories, 9,086 of 11,395 (from 40 % to 92 %)",
            "`python -m benchmarks.planted --checkouts DIR`",
        ),
        (
            f"errors and warnings in {told['repositories']} repositories that nobody had read, each judged by someone who did not write the rules",
            f"{told['read']}, of which {told['true']} hold ({share(told['true'], told['read'])}) and {told['worth']} are worth acting on; "
            f"{told['repairs_right']} of their {told['repairs']} repairs are right. In the seventy-four rounds before 2,947 of 3,971 hold (from 33 % to 100 %)",
            "read by hand",
        ),
        (
            f"files with a backward and an optimizer's step in the {known['repositories']} repositories of the same round ({known['files']})",
            f"{share(known['recovered'], known['files'])} have all their training loops judged, {share(known['partly'], known['files'])} some of them; for "
            f"{share(known['lost'], known['files'])} the coverage has a reason why not, {share(known['owned'], known['files'])} belong to a library, and "
            f"{share(known['silent'], known['files'])} are not mentioned",
            "`python -m benchmarks.understanding --checkouts DIR`",
        ),
    ]


def found_in_real_code(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    real, fresh, opt_in, unknown = figures["ecosystem"], figures["fresh"], figures["opt_in"], figures["unknown"]
    return [
        (
            f"findings of the default rules on {real['repositories']} real repositories ({real['loop_files']} files with loops, notebooks too), each "
            "read and judged",
            f"{real['findings']} findings, {real['true']} true ({share(real['true'], real['read'])}); {real['safe_repairs']} of them come with a safe "
            f"repair, {part(real['safe_repairs_right'], real['safe_repairs'])} judged right in their diff",
            f"`python -m benchmarks.ecosystem {DIR}`",
        ),
        (
            "of these, the 37 repositories (248 files with loops) on which nothing had been tuned, when first linted",
            "208 findings, 177 true (85.1 %), no internal error; now 187, of which 184 are true",
            "the same command",
        ),
        (
            f"findings in {fresh['repositories']} repositories on which nothing had been tuned ({fresh['loop_files']:,} files with a backward), each finding read when first reported",
            f"704 findings, 632 true (89.8 %); now {fresh['findings']}, of which {fresh['true']} are true",
            "with `--fresh`",
        ),
        (
            f"findings of the opt-in rules there, {opt_in['read']} of {opt_in['findings']} read",
            f"{opt_in['true']} true ({share(opt_in['true'], opt_in['read'])})",
            "with `--opt-in`",
        ),
        (
            f"findings in {unknown['files']:,} real files when their imports are hidden: the project, optimizers, base classes, loaders, losses, "
            "layers, models, contexts",
            f"16 new ones when first measured, seven of them true and nine false alarms, since fixed; {unknown['unjudged']} now",
            f"`python -m benchmarks.unknown {DIR}`",
        ),
    ]


def planted_and_repaired(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    planted, whole = figures["mutation"], repairs()[ALL]
    shares = {code: rule["recall"] for code, rule in planted["rules"].items()}
    lowest = ", ".join(f"{code} {100 * shares[code]:.1f} %" for code in sorted(shares, key=lambda code: shares[code])[:3])
    made = whole.safe.made + whole.unsafe.made + whole.fixtures.made
    sound = {part(n, made) for n in (whole.parse, whole.stable, whole.quiet)}
    return [
        (
            "planted bugs found, in varied forms, in fixtures and 38 correct real scripts",
            f"{100 * planted['overall']['recall']:.1f} % of {planted['overall']['planted']:,}, at most {planted['per_rule']} of each of "
            f"{len(shares)} rules, spread evenly over 52,000 (lowest: {lowest})",
            f"`python -m benchmarks.mutation {DIR} --per-rule {planted['per_rule']}`",
        ),
        (
            f"{whole.planted:,} planted bugs, all in {figures['repairs']['bases']} of {figures['repairs']['of']} fixtures, and "
            f"{whole.fixtures.made} broken fixtures, [repaired and run](measured-repairs.md)",
            f"{share(whole.seen, whole.planted)} of them seen; {' and '.join(sorted(sound))} repaired texts parse, are stable and add no finding; "
            f"{whole.safe.same:,} of the {whole.safe.compared:,} safe repairs that can be compared end bitwise where the right script ends "
            f"({share(whole.safe.same, whole.safe.compared)}), {whole.unsafe.same:,} of the {whole.unsafe.compared:,} unsafe ones "
            f"({share(whole.unsafe.same, whole.unsafe.compared)}), and {part(whole.fixtures.same, whole.fixtures.compared)} fixtures",
            f"`python -m benchmarks.repairs --per-rule {figures['repairs']['per_rule']}`",
        ),
    ]


def cost_of(found: dict[str, Any]) -> str:
    """What recording costs the scripts of one class, and how many meet its goal."""
    goal = f", {found['within']} within the goal of {found['goal']}" if found["goal"] else ""
    name = f"iterations of {found['from_ms']:g} ms and more" if found["from_ms"] else "shorter ones"
    return f"{name} {found['median']:.2f}, at the 90th percentile {found['p90']:.2f} ({found['scripts']} scripts{goal})"


def seen_in_runs(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    runs, cost = figures["foreign_runs"], figures["foreign_cost"]
    shown, on_gpu = evidence(), evidence("2.11.0-cuda")
    recorder, there = shown["recorder"], on_gpu["recorder"]
    proven = [case for case in shown["cases"] if case["status"] == "proven"]
    left = sorted({case["code"] for case in shown["cases"] if case["status"] != "proven" and "accelerator" in case["note"]})
    proven_there = [case for case in on_gpu["cases"] if case["status"] == "proven"]
    assert not [case for case in (*shown["cases"], *on_gpu["cases"]) if case["status"] == "not proven"]
    return [
        (
            "what a run of each fixture shows, broken and repaired, with torch 2.13.0 on a CPU",
            f"all {len(proven)} cases of {len({case['code'] for case in proven})} rules proven; the claims of {' and '.join(left)} need a "
            "run on a GPU",
            "`looplint verify`",
        ),
        (
            f"the same with torch {on_gpu['torch']} on an {on_gpu['gpu']}",
            f"all {len(proven_there)} cases of {len({case['code'] for case in proven_there})} rules proven; recording costs {there['ratio']:.2f} times the "
            f"processor time of the reference loop there, and {there['same']} of {there['compared']} results are bitwise the same",
            "`benchmarks/cuda/run`",
        ),
        (
            f"`looplint run` on {runs['scripts']} scripts from other repositories, unchanged and with {runs['planted']} bugs planted",
            f"{runs['reported']} places reported in the unchanged scripts, all right; {runs['planted'] - runs['missed']} bugs confirmed or seen in the run, "
            f"{runs['missed']} missed",
            f"`python -m benchmarks.foreign_runs {DIR}`",
        ),
        (
            f"what recording costs {cost['scripts']} of these scripts, in processor time from their first step to their last of at most 600",
            f"{cost['median']:.2f} times in the median: {'; '.join(map(cost_of, cost['classes']))}; {cost['same']} of {cost['scripts']} end bitwise the same",
            f"`python -m benchmarks.foreign_runs.cost {DIR}`",
        ),
        (
            "what recording costs, in processor time of the reference loop",
            f"{recorder['ratio']:.2f} times, where 1.3 is the goal; {recorder['same']} of {recorder['compared']} results bitwise the same",
            "`looplint verify --recorder`",
        ),
    ]


def speed(figures: dict[str, Any]) -> list[tuple[str, str, str]]:
    measured = figures["speed"]
    one, tree, growth = measured["script"]["tools"], measured["tree"]["tools"], measured["growth"]
    own, libcst, most = measured["steps"]["looplint, one script"], measured["steps"]["python -c 'import libcst'"], max(growth, key=int)
    few = min(growth, key=lambda lines: abs(int(lines) - 10_000))
    return [
        (
            "processor time of one script, whole process, against Python importing libcst alone",
            f"{own:.2f} s against {libcst:.2f} s ({own / libcst:.2f} times), {one['looplint']['megabytes']:.0f} MB",
            "`python -m benchmarks.speed --script`",
        ),
        (
            f"a tree of {measured['tree']['files']:,} files on {measured['machine']['cores']} cores, against torchfix",
            f"{tree['looplint']['wall']:.1f} s against {tree['torchfix']['wall']:.1f} s ({tree['torchfix']['ratio']:.1f} times faster), "
            f"{tree['looplint']['megabytes']:.0f} MB a process; time grows with the lines ({int(few):,}: {growth[few]['wall']:.1f} s, "
            f"{int(most):,}: {growth[most]['wall']:.0f} s), and so does the memory of one huge file ({growth[most]['megabytes'] / 1000:.1f} GB there)",
            f"`python -m benchmarks.speed {DIR}`",
        ),
    ]


def figures_table() -> str:
    figures = read()
    rows = [
        *on_code_never_read(figures),
        *found_in_real_code(figures),
        *planted_and_repaired(figures),
        *seen_in_runs(figures),
        *speed(figures),
    ]
    return "\n".join(["| what | figure | how to reproduce |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def honest() -> str:
    """The three rows of the README: what is found and what is right on code that nobody had read, and what a run costs."""
    figures = read()
    rows = [*on_code_never_read(figures)[:2], speed(figures)[0]]
    return "\n".join(["| what | figure |", "|---|---|", *(f"| {what} | {figure} |" for what, figure, _ in rows)])


def surveyed() -> str:
    """What a survey stores against what the linter prints, a sentence of the page about surveys."""
    same = read()["survey_same"]
    different = f"for {same['different']} something else is stored" if same["different"] else "no difference in any"
    return (
        f"What is stored of {same['repositories']} real repositories, {same['in_parts']} of them judged in parts of {same['cut_kb']} KB, "
        f"with {same['programs']} programs about training and {same['findings']} findings,\n"
        f"against what `looplint check --output-format json` prints there, byte for byte "
        f"after sorting (`same`): {different}.\nMeasured with looplint {same['looplint']}, commit {same['commit']}."
    )


@pytest.mark.parametrize(
    ("path", "mark", "render"),
    [
        (README, "honest", honest),
        (MEASURED, "figures", figures_table),
        (REPAIRS, "repairs", lambda: f"\n{table(repairs())}\n"),
        (SURVEY, "same", surveyed),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_stated_figures_are_those_that_were_measured(path: Path, mark: str, render: Any, request: pytest.FixtureRequest) -> None:
    text = path.read_text(encoding="utf-8")
    fresh = re.sub(rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)", lambda m: f"{m[1]}{render()}\n{m[2]}", text, flags=re.DOTALL)
    if request.config.getoption("--bless"):
        path.write_text(fresh, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == fresh


def test_nothing_that_was_stored_went_wrong() -> None:
    figures, whole = read(), repairs()[ALL]
    made = whole.safe.made + whole.unsafe.made + whole.fixtures.made
    for name in ("ecosystem", "fresh"):
        assert figures[name]["findings"] == figures[name]["read"], "findings that nobody has judged"
    assert figures["unknown"]["unjudged"] == 0
    assert figures["foreign_runs"]["wrong"] == 0
    assert figures["survey_same"]["repositories"] >= 20 and figures["survey_same"]["different"] == 0
    assert figures["foreign_cost"]["same"] == figures["foreign_cost"]["scripts"]
    for name in ("2.13.0-cpu", "2.11.0-cuda"):
        assert {case["status"] for case in evidence(name)["cases"]} == {"proven", "not run"}
    assert [part(n, made) for n in (whole.parse, whole.stable, whole.quiet)] == [f"all {made}"] * 3
    assert whole.safe.same / whole.safe.compared >= 0.97
