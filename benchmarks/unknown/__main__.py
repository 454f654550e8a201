"""`python -m benchmarks.unknown --checkouts DIR`: hide from real files what they import, and print what is reported only then.

The kind of an object whose construction is not analysed is inferred from its use, so a file alone, without its project, or one whose optimizers,
layers, losses, loaders or models come from an unknown library, is still judged. What is said then has to be true: every finding that is given only with something hidden is printed
until somebody has read and judged it.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import looplint
from benchmarks.ecosystem.__main__ import judgements
from benchmarks.figures import add_option, store

# What is hidden, and by which names: the same number of lines stays, so that a finding is known by its row.
VARIANTS: dict[str, tuple[tuple[str, str], ...]] = {
    "the project around it": (),
    "optimizers and schedulers": (
        (r"\btorch\.optim\b", "elsewhere.optim"),
        (r"\bfrom torch import optim\b", "from elsewhere import optim"),
    ),
    "the base class of modules": ((r"\b(?:torch\.)?nn\.Module\b", "elsewhere.Module"),),
    "datasets and loaders": (
        (r"\btorch\.utils\.data\b", "elsewhere.data"),
        (r"\bfrom torch\.utils import data\b", "from elsewhere import data"),
    ),
    "losses": ((r"\b(?:torch\.)?nn\.(\w*Loss)\b", r"elsewhere.\1"), (r"\bF\.(\w*(?:loss|entropy)\w*)\b", r"elsewhere.\1")),
    "layers": ((r"\b(?:torch\.)?nn\.(Linear|Conv\dd|Sequential|Embedding|LSTM|GRU)\b", r"elsewhere.\1"),),
    "models": ((r"=\s*([A-Z]\w*(?:Net|Model|RNN|CNN|Classifier|GAN|Generator|Discriminator|Encoder|Decoder|VAE))\(", r"= elsewhere.\1("),),
    "contexts": ((r"\btorch\.(no_grad|inference_mode|set_grad_enabled)\b", r"elsewhere.\1"),),
}

# A checkout's folder, and a path in it.
Place: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one file gave under each variant that changes it: how many findings, and those given only there, as text."""

    path: str
    counts: Mapping[str, int]
    only: Mapping[str, tuple[str, ...]]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.unknown", description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    add_option(parser)
    options = parser.parse_args(arguments)
    true = true_findings()
    files = [f for folder in sorted(options.checkouts.iterdir()) for f in sorted(folder.rglob("*.py")) if mentions_torch(f)]
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(look, files, [true.get(place(f, options.checkouts), frozenset()) for f in files], chunksize=4):
            outcomes.append(outcome)
            print(f"\r{len(outcomes)}/{len(files)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(table(outcomes))
    if options.store:
        store("unknown", {"files": len(outcomes), "unjudged": sum(len(texts) for o in outcomes for texts in o.only.values())})
    return 1 if any(outcome.only for outcome in outcomes) else 0


def true_findings() -> dict[Place, frozenset[tuple[str, str]]]:
    """What is known to be true of each file in its project: rules and the text of lines."""
    found: dict[Place, set[tuple[str, str]]] = {}
    for judged, judgement in judgements().items():
        if judgement["verdict"] == "true":
            found.setdefault((judged.repo.replace("/", "__"), judged.path), set()).add((judged.code, judged.line))
    return {place: frozenset(each) for place, each in found.items()}


def place(path: Path, checkouts: Path) -> Place:
    repository, _, inside = path.relative_to(checkouts).as_posix().partition("/")
    return repository, inside


def mentions_torch(path: Path) -> bool:
    try:
        return path.is_file() and b"torch" in path.read_bytes()
    except OSError:
        return False


def look(path: Path, true: frozenset[tuple[str, str]]) -> Outcome:
    """Lint a file alone, and with each thing hidden; `true` is what is known of it in its project."""
    text = path.read_bytes().decode("utf-8", "replace")
    lines = text.splitlines()
    counts: dict[str, int] = {}
    only: dict[str, tuple[str, ...]] = {}
    for name, edits in VARIANTS.items():
        changed = text
        for pattern, replacement in edits:
            changed = re.sub(pattern, replacement, changed)
        if changed == text and edits:
            continue
        found = [(f.code, f.location.row) for f in findings(changed)]
        counts[name] = len(found)
        extra = [f"{path}:{row} {code}" for code, row in found if (code, lines[row - 1].strip()[:80]) not in true]
        if extra:
            only[name] = tuple(extra)
    return Outcome(str(path), counts, only)


def findings(text: str) -> Sequence[looplint.Finding]:
    try:
        return looplint.lint(f"{text}\n", isolated=True)
    except looplint.UnreadError as error:
        return error.findings


def table(outcomes: Sequence[Outcome]) -> str:
    """Per thing hidden: the files in which it can be, what is found in them, and what is found only then, as Markdown."""
    lines = ["| hidden | files | findings | not judged true |", "|---|---:|---:|---:|"]
    for name in VARIANTS:
        rows = [o for o in outcomes if name in o.counts]
        lines.append(f"| {name} | {len(rows)} | {sum(o.counts[name] for o in rows)} | {sum(len(o.only.get(name, ())) for o in rows)} |")
    lines += ["", *(f"{name}: {text}" for o in outcomes for name, texts in o.only.items() for text in texts)]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
