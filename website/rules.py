"""The page of every rule, from its file: what it says, what looplint prints about its example and makes of it, and what was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from looplint.linting import evidence
from looplint.linting.catalogue import Rule, folder
from website import plots
from website.runs import fence, printed, written

_SOURCE = "https://github.com/looplint/looplint/blob/main"
_FAMILIES = {
    "LL0": "comments",
    "LL1": "the gradient cycle",
    "LL2": "the learning-rate schedule",
    "LL3": "modes",
    "LL4": "logging",
    "LL5": "the parameters",
    "LL6": "mixed precision",
    "LL7": "loss and output",
    "LL8": "checkpoints",
    "LL9": "data and reproducibility",
    "LP": "efficiency",
}
_PART = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def address(rule: Rule) -> str:
    """The page's place below the documentation, by which findings name it too."""
    return f"rules/{rule.name}.md"


def families(rules: Sequence[Rule]) -> Iterator[tuple[str, str, list[Rule]]]:
    """The rules by what they are about: the beginning of their codes, what that stands for, and the rules."""

    def prefix(rule: Rule) -> str:
        return rule.code[:2] if rule.code.startswith("LP") else rule.code[:3]

    for begin, found in groupby(sorted(rules, key=lambda r: r.code), prefix):
        yield begin, _FAMILIES[begin], list(found)


def overview(rules: Sequence[Rule]) -> str:
    """The list of all rules."""
    lines = [
        "# Rules",
        "",
        f"{len(rules)} rules, of which {sum(r.default for r in rules)} are on by default. A default rule reports only what holds on every path through",
        "the program. Enable the others with `--extend-select`, or with `extend-select` in the [configuration](../configuration.md).",
        "",
        "The [severity](../running.md#severity) in the table is the default, unless the program shows otherwise.",
        "",
        "A rule is selected by its code, by a prefix of codes (`LL1`), or by its name, and silenced on a line by",
        "[a comment](../output-formats.md). `looplint rule LL102` prints its page.",
    ]
    for prefix, title, found in families(rules):
        lines += ["", f"## {prefix}: {title}", "", "| code | name | severity | what it reports |", "|---|---|---|---|"]
        lines += [f"| {r.code} | [{r.name}]({r.name}.md){'' if r.default else ' (opt-in)'} | {r.severity} | {r.summary} |" for r in found]
    return "\n".join(lines) + "\n"


def page(rule: Rule) -> str:
    """The page of one rule."""
    summary, *parts = _PART.split(rule.doc)
    texts = dict(zip(parts[::2], (text.strip() for text in parts[1::2]), strict=True))
    example = _BLOCK.search(texts["Bad"])
    assert example is not None, rule.path
    with written(example[1]) as place:
        asked = ["--isolated", "--no-cache", "--extend-select", rule.code, "train.py"]
        said = printed(["check", *asked], place)
        diff = printed(["check", "--diff", "--unsafe-fixes", *asked], place)
        drawn = printed(["loop", "--isolated", "--width", "100", "train.py"], place)
    texts["Bad"] += f"\n\nlooplint prints:\n\n{fence(said)}\n{_details('How looplint understands it: `looplint loop train.py`', drawn)}"
    texts["Stays quiet"] += _cases(rule)
    if diff:
        texts["Repair"] += f"\n\nThe bad example after `--fix` (or `--unsafe-fixes` for an unsafe repair):\n\n{fence(diff, 'diff')}"
    texts["Evidence"] += _evidence(rule)
    body = "\n\n".join(f"## {heading}\n\n{text}" for heading, text in texts.items())
    return f"# {rule.name}\n\n{_facts(rule, said)}\n\n{summary.strip()}\n\n{body}\n\n{_below(rule)}\n"


def _facts(rule: Rule, said: str) -> str:
    repair = re.search(r"= repair \((.*?)\)", said)
    facts = [
        rule.code,
        "on by default" if rule.default else "opt-in",
        rule.severity,
        f"{repair[1]} repair" if repair else "no repair of the example",
    ]
    return " ".join(f"`{fact}`" for fact in facts) + "\n{ .facts }"


def _details(title: str, text: str) -> str:
    return f'??? note "{title.replace(chr(34), "")}"\n\n{fence(text, indent="    ")}'


def _cases(rule: Rule) -> str:
    """The scripts on which the tests see that the rule keeps quiet; each is named after the reason."""
    cases = sorted(folder("fixtures").joinpath(rule.path.stem).glob("[!_]*"))
    quiet = [c for c in cases if c.suffix in (".py", "") and not c.stem.endswith((".expert", ".fixed")) and not _expects(c, rule.code)]
    if not quiet:
        return ""
    listed = ", ".join(f"[{c.stem.replace('_', ' ')}]({_SOURCE}/fixtures/{rule.path.stem}/{c.name})" for c in quiet)
    return f"\n\nTest scripts in which it must not report anything: {listed}."


def _expects(case: Path, code: str) -> bool:
    """Whether a finding of a rule is expected in a script, or in one of a folder's."""
    files = [case] if case.is_file() else case.rglob("*.py")
    return any(re.search(rf"# expect: [A-Z0-9, ]*\b{code}\b", file.read_text(encoding="utf-8")) for file in files)


def _evidence(rule: Rule) -> str:
    """What `looplint verify` has stored: for each device a plot and a table."""
    parts = []
    for stored in evidence.load():
        cases = stored.of(rule.code)
        if not cases:
            continue
        proven = sum(case["status"] == "proven" for case in cases)
        device = "CUDA" if stored.device == "cuda" else "a CPU"
        parts.append(f"On {device}, torch {stored.torch}: {proven} of {len(cases)} cases proven.")
        parts += [picture] if (picture := plots.dots(cases)) else []
        parts.append(
            "\n".join(
                ["| case | the broken run | as an expert repaired it | the linter's repair |", "|---|---|---|---|", *map(_row, cases)]
            )
        )
    if not parts:
        return ""
    return "\n\n" + "\n\n".join([*parts, f"`looplint verify {rule.code}` measures it again."])


def _row(case: Mapping[str, Any]) -> str:
    broken, expert = ((case.get(side) or {}).get("text", "") for side in ("broken", "expert"))
    repaired = (
        {True: "ends with the same bits", False: "ends elsewhere"}.get(bool(case["same"]), "")
        if case.get("same") is not None
        else "none, or not run"
    )
    name = case["case"] if case["status"] == "proven" else f"{case['case']} ({case['status']})"
    return "| " + " | ".join(text.replace("|", "\\|") for text in (name, case["note"] or broken, expert, repaired)) + " |"


def _below(rule: Rule) -> str:
    return (
        "## See also\n\n"
        f"- Silence it on a line: `# noqa: {rule.code}` or `# looplint: ignore[{rule.name}]` ([comments](../output-formats.md));\n"
        f'  disable it in a project: `ignore = ["{rule.code}"]` ([configuration](../configuration.md)).\n'
        f"- The rule's file: [rules/{rule.path.name}]({_SOURCE}/rules/{rule.path.name}), "
        f"and its runnable scripts: [fixtures/{rule.path.stem}]({_SOURCE}/fixtures/{rule.path.stem})."
    )
