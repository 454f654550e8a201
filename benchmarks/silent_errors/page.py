"""The tables of `docs/silent-errors.md`, written from what is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.page_tables import filled, row, rules
from benchmarks.silent_errors.tables import Shown, errors, programs


def rendered(page: str) -> str:
    """The page, with its tables written anew."""
    return filled(page, _TABLES)


def traincheck() -> str:
    shown = programs()
    lines = ["| error | in whose code | what happens | text | run | why not |", "|---|---|---|---|---|---|"]
    for entry in errors()["traincheck"]:
        program = shown.get(entry.get("program", ""))
        text, run = (rules(program.text) or "no", rules(program.run) or "no") if program else ("", "")
        why = entry.get("why", "") or (program.why if program else "")
        lines.append(row([f"[{entry['name']}]({entry['source']})", entry["where"], entry["what"], text, run, why]))
    return "\n".join(lines)


def programs_table() -> str:
    lines = ["| program | text | run | samples | why not |", "|---|---|---|---:|---|"]
    used = [entry["program"] for table in errors().values() for entry in table if "program" in entry]
    for name, program in sorted(programs().items()):
        lines.append(row([f"`{name}`", rules(program.text) or "no", rules(program.run) or "no", str(used.count(name)), program.why]))
    return "\n".join(lines)


def pysiassist() -> str:
    shown = programs()
    lines = ["| row | pattern | what the code shows | on the post itself | program | found by |", "|---:|---:|---|---|---|---|"]
    for entry in errors()["pysiassist"]:
        link, post = f"[{entry['row']}]({entry['source']})", entry.get("post", [])
        if "out" in entry:
            lines.append(row([link, str(entry["pattern"]), f"out of scope: {entry['out']}", "", "", ""]))
            continue
        own = "no Python" if post is None else rules(post) or "no"
        lines.append(row([link, str(entry["pattern"]), entry["what"], own, f"`{entry['program']}`", _found_by(shown[entry["program"]])]))
    return "\n".join(lines)


def _found_by(program: Shown) -> str:
    return {(True, True): "both", (True, False): "text", (False, True): "run", (False, False): "none"}[
        bool(program.text), bool(program.run)
    ]


def counts() -> str:
    shown, samples = programs(), errors()["pysiassist"]
    inside = [entry for entry in samples if "program" in entry]
    found = [_found_by(shown[entry["program"]]) for entry in inside]
    posts = sum(bool(entry.get("post")) for entry in inside)
    return (
        f"{len(inside)} of the {len(samples)} samples show an error of a training or validation loop. Both sides find {found.count('both')} of these errors in a program "
        f"that shows the same, the text alone {found.count('text')}, the run alone {found.count('run')}, neither {found.count('none')}. "
        f"In the posts' own code, which shows a part of a program, the text finds {posts}."
    )


_TABLES: dict[str, Callable[[], str]] = {"traincheck": traincheck, "pysiassist": pysiassist, "programs": programs_table, "counts": counts}
# What a test wants of each stored error.
KEYS: dict[str, frozenset[str]] = {
    "traincheck": frozenset({"name", "source", "where", "what"}),
    "pysiassist": frozenset({"row", "pattern", "source"}),
}


def lacking(table: str, entry: dict[str, Any]) -> frozenset[str]:
    """What an error's entry does not state."""
    return KEYS[table] - entry.keys()
