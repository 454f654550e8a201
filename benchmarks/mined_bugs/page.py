"""The tables of `docs/mined-bugs.md`, written from what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.mined_bugs.tables import Form, forms, others
from benchmarks.page_tables import filled, row, rules


def rendered(page: str) -> str:
    """The page, with its tables written anew."""
    return filled(page, {"counts": _counts, "missed": _missed, "forms": _forms, "others": _others})


def _thread(thread: Mapping[str, Any]) -> str:
    repository, _, number = thread["thread"].partition("#")
    return f"[{thread['thread']}](https://github.com/{repository}/issues/{number})"


def _verdict(form: Form) -> str:
    return "found" if form.found else "missed" if form.rules else "missed, no rule"


def _counts() -> str:
    bugs, rest = [(f, t) for f in forms() for t in f.threads], [t for o in others() for t in o.threads]
    found = [t for f, t in bugs if f.found]
    recent = [t for t in (*(t for _, t in bugs), *rest) if (t["year"] or 0) >= 2023]
    new = [(f, t) for f, t in bugs if (t["year"] or 0) >= 2023]
    return (
        f"{len(bugs) + len(rest)} threads of {len({t['thread'].partition('#')[0] for t in (*(t for _, t in bugs), *rest)})} repositories, "
        f"{len(recent)} of them begun since 2023. {len(rest)} are about no bug of a training loop, or do not show which. The other {len(bugs)} have "
        f"{len(forms())} forms; a rule covers {sum(bool(f.rules) for f in forms())} of these. The minimal program is found for "
        f"{sum(bool(f.found) for f in forms())} forms, which {len(found)} of the {len(bugs)} threads are about ({100 * len(found) / len(bugs):.0f} %); "
        f"since 2023, {sum(bool(f.found) for f, _ in new)} of {len(new)} ({100 * sum(bool(f.found) for f, _ in new) / len(new):.0f} %)."
    )


def _forms() -> str:
    lines: list[str] = []
    for group in dict.fromkeys(f.group for f in forms()):
        lines += ["", f"### {group}", "", "| thread | year | form | rule | minimal program |", "|---|---:|---|---|---|"]
        for form in (f for f in forms() if f.group == group):
            for thread in form.threads:
                year = str(thread["year"] or "")
                lines.append(row([_thread(thread), year, form.words, rules(form.rules) or "none", _verdict(form)]))
    return "\n".join([*lines[1:], ""])


def _missed() -> str:
    lines = ["| form | threads | rule | why |", "|---|---:|---|---|"]
    lines += [row([f.words, str(len(f.threads)), rules(f.rules) or "none", f.why]) for f in forms() if not f.found]
    return "\n".join(lines)


def _others() -> str:
    lines = ["| thread | year | why it is no row above |", "|---|---:|---|"]
    lines += [row([_thread(t), str(t["year"] or ""), other.reason]) for other in others() for t in other.threads]
    return "\n".join(lines)
