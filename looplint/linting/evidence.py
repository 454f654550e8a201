"""The stored evidence: what running each rule's fixtures has shown, per version of torch and device.

`looplint verify --store` writes it; the pages of the rules quote it. It lies in docs/evidence of the project, one JSON file per torch and device.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from looplint.dataclass import dataclass

DEVICES = ("cpu", "cuda")
HEADING = "## Evidence"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One file: the torch, the device, the cases of the rules, and the name of the GPU, where it is one."""

    torch: str
    device: str
    cases: tuple[Mapping[str, Any], ...]
    recorder: Mapping[str, Any]
    gpu: str = ""

    def of(self, code: str) -> list[Mapping[str, Any]]:
        """The cases of one rule that were run."""
        return [case for case in self.cases if case["code"] == code and case["status"] != "not run"]


def folder() -> Path:
    """Where it lies: inside the package when installed, in the project's documentation in a checkout."""
    here = Path(__file__).parents[1]
    inside = here / "measured"
    return inside if inside.is_dir() else here.parent / "docs" / "evidence"


def load(path: Path | None = None) -> list[Evidence]:
    """All that is stored, the newest torch of each device first."""
    import json

    found = []
    for file in (path or folder()).glob("*.json"):
        data = json.loads(file.read_text("utf-8"))
        found.append(Evidence(data["torch"], data["device"], tuple(data["cases"]), data.get("recorder", {}), data.get("gpu", "")))
    return sorted(found, key=lambda e: (_order(e.torch), e.device), reverse=True)


def _order(version: str) -> tuple[int, ...]:
    numbers = version.split("+")[0].split(".")
    return tuple(int(number) for number in numbers if number.isdigit())


def page(doc: str, code: str, stored: Iterable[Evidence]) -> str:
    """A rule's page with what is stored of it under its last heading."""
    head, found, rest = doc.partition(HEADING)
    return f"{head}{found}{rest.rstrip()}\n\n{section(code, list(stored))}" if found else doc


def section(code: str, stored: list[Evidence]) -> str:
    """What is stored of a rule, in Markdown: a paragraph for each device, with a line for each case."""
    return "\n\n".join(_device(code, device, next((e for e in stored if e.device == device), None)) for device in DEVICES)


def _device(code: str, device: str, evidence: Evidence | None) -> str:
    cases = evidence.of(code) if evidence is not None else []
    name = "CUDA" if device == "cuda" else device.upper()
    if evidence is None or not cases:
        return f"On {name}: not run."
    counts = Counter(case["status"] for case in cases)
    gpu = f" ({evidence.gpu})" if evidence.gpu else ""
    lines = [f"On {name}{gpu}, torch {evidence.torch.split('+')[0]}: {counts['proven']} of {len(cases)} cases proven."]
    for case in cases:
        broken, expert = (case.get(side) or {} for side in ("broken", "expert"))
        shown = case["note"] or broken.get("text", "")
        same = "; as the linter repairs it, it ends bitwise where the expert's repair does" if case.get("same") else ""
        right = f" Repaired: {expert['text']}" if expert.get("text") and expert["text"] != broken.get("text") and not case["note"] else ""
        lines.append(f"- {case['case']} ({case['status']}): {shown}.{right}{same}.".replace("..", "."))
    return "\n".join([lines[0], "", *lines[1:]])
