"""How two answers about one program differ, and how that is written."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

ONLY_OLD, ONLY_NEW = "only in OLD", "only in NEW"
Finding: TypeAlias = Mapping[str, Any]
# By what a finding that has changed is known again, the closest first.
_SAME: tuple[Callable[[Finding], object], ...] = (
    lambda f: (f["code"], _place(f), f["message"]),
    lambda f: (f["code"], _place(f)),
    lambda f: (f["code"], f["filename"], f["message"]),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that only one version says, or that both say differently, and where."""

    kind: str
    place: str
    text: str
    # The rule of a finding.
    code: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.code


def differences(name: str, old: Mapping[str, Any], new: Mapping[str, Any], ignored: Collection[str] = ()) -> Iterator[Difference]:
    """All differences of two answers about one program, but for some fields of findings."""
    if old["error"] != new["error"]:
        yield Difference("changed error", name, _change(old["error"] or "no error", new["error"] or "no error"))
    yield from _only("problem ", *_without_equal(old["problems"], new["problems"]))
    left, right = _without_equal([_less(f, ignored) for f in old["findings"]], [_less(f, ignored) for f in new["findings"]])
    pairs, left, right = _paired(left, right)
    for before, after in pairs:
        for field in _changed(before, after):
            kind = f"changed order of {field}" if field == "related" and _sorted(before) == _sorted(after) else f"changed {field}"
            yield Difference(kind, f"{_place(before)} {before['code']}", _change(_part(before, field), _part(after, field)), before["code"])
    yield from _only("", left, right)
    if [_less(f, ignored) for f in old["findings"]] != [_less(f, ignored) for f in new["findings"]] and not (pairs or left or right):
        yield Difference("changed order", name, "the same findings, in another order")
    for key in sorted({*old["texts"], *new["texts"]}):
        before, after = (a["texts"].get(key, "") for a in (old, new))
        if before != after:
            lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "OLD", "NEW", lineterm="", n=1)
            yield Difference(f"changed output of {key.split()[0]}", f"{name}: {key}", "\n".join(lines))


def report(found: Sequence[Difference], about: Mapping[str, str]) -> str:
    """Every difference, by kind; a change that several places share is written once. `about` tells what planted programs are."""
    groups: dict[str, dict[str, list[str]]] = {}
    for difference in found:
        groups.setdefault(difference.kind, {}).setdefault(difference.text, []).append(difference.place)
    lines = []
    for kind, texts in sorted(groups.items()):
        lines.append(f"== {kind}")
        for text, places in texts.items():
            lines += text.splitlines()
            lines += [f"    {place}{_told(place, about)}" for place in places]
        lines.append("")
    counts = Counter(d.kind for d in found)
    return "\n".join([*lines, *(f"{kind}: {count}" for kind, count in sorted(counts.items()))])


def _told(place: str, about: Mapping[str, str]) -> str:
    note = about.get(place.split("/")[0], "")
    return f" ({note})" if note else ""


def _without_equal(old: Sequence[Finding], new: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """What each has that the other has not, as often as it has it more."""
    return _less_often(old, new), _less_often(new, old)


def _less_often(these: Sequence[Finding], those: Sequence[Finding]) -> list[Finding]:
    left = Counter(_written(f) for f in those)
    result = []
    for each in these:
        key = _written(each)
        if left[key]:
            left[key] -= 1
        else:
            result.append(each)
    return result


def _paired(old: list[Finding], new: list[Finding]) -> tuple[list[tuple[Finding, Finding]], list[Finding], list[Finding]]:
    """Findings that are the same but for some fields, and what is left of both sides."""
    pairs = []
    for key in _SAME:
        waiting: dict[object, list[Finding]] = {}
        for finding in new:
            waiting.setdefault(key(finding), []).append(finding)
        alone = []
        for finding in old:
            if found := waiting.get(key(finding)):
                pairs.append((finding, found.pop(0)))
            else:
                alone.append(finding)
        old, new = alone, [f for found in waiting.values() for f in found]
    return pairs, old, new


def _changed(old: Finding, new: Finding) -> Iterator[str]:
    """The fields that differ, those of a repair one by one."""
    for field in dict.fromkeys((*old, *new)):
        left, right = old.get(field), new.get(field)
        if left == right:
            continue
        if field == "fix" and left and right:
            yield from (f"{field}.{part}" for part in dict.fromkeys((*left, *right)) if left.get(part) != right.get(part))
        else:
            yield field


def _part(finding: Finding, field: str) -> Any:
    value: Any = finding
    for part in field.split("."):
        value = value.get(part)
    return value


def _only(kind: str, old: Iterable[Finding], new: Iterable[Finding]) -> Iterator[Difference]:
    for side, found in ((ONLY_OLD, old), (ONLY_NEW, new)):
        for each in found:
            text = f"{each['code']} {each['message']}" if "code" in each else each["message"]
            yield Difference(f"{kind}{side}", _place(each), text, each.get("code", ""))


def _sorted(finding: Finding) -> list[str]:
    return sorted(_written(r) for r in finding["related"])


def _less(finding: Finding, ignored: Collection[str]) -> Finding:
    return {field: value for field, value in finding.items() if field not in ignored}


def _place(finding: Finding) -> str:
    location, cell = finding["location"], finding.get("cell")
    inside = f":cell {cell}" if cell is not None else ""
    return f"{finding['filename']}{inside}:{location['row']}:{location['column']}" if location else str(finding["filename"])


def _change(old: object, new: object) -> str:
    return f"- {_written(old)}\n+ {_written(new)}"


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
