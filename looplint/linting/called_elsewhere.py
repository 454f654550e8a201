"""What the other files of a run tell of a function that only its own file judges: whether whoever calls it by its name switches gradients off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.finding import Finding
from looplint.knowledge.pytorch import SWITCHING_OFF
from looplint.linting.mentions import last_name, tree_of
from looplint.sources.reading import Source, shown_as, text_of

# Through how many levels of callers the search goes.
_DEPTH = 3


def recorded(findings: Iterable[Finding], sources: Iterable[Source], files: Iterable[Path]) -> Iterator[Finding]:
    """The findings without those on graphs, in functions that nobody is seen to call, which every call of that name in the run keeps from being recorded.

    An agent that a configuration names is made out of sight, and its `act` is followed by itself; that `train.py` calls `agent.act(...)` under
    `no_grad` tells all the same that nothing is recorded there.

    Args:
        findings: those of all files of a run.
        sources: the files of the run that were judged.
        files: all files of the run, which are read only where something depends on it.
    """

    @cache
    def texts() -> list[tuple[str, str]]:
        judged = {source.display: source.text for source in sources}
        others = {shown_as(str(file)): file for file in files if str(file) != "-"}
        return [*judged.items(), *((shown, text_of(file)) for shown, file in others.items() if shown not in judged)]

    calls_in = cache(_calls)  # each file is parsed once, whichever names are asked for

    @cache
    def called(name: str) -> list[tuple[str, _Call]]:
        written = re.compile(rf"\b{re.escape(name)}\s*\(")
        found = []
        for file, text in texts():
            if written.search(text) is not None:
                calls = calls_in(text)
                # What cannot be read may call it with gradients on.
                found += [
                    (file, call) for call in (calls.get(name, ()) if calls is not None else (_Call("", off=False, of_its_own=False),))
                ]
        return found

    def only_without_gradients(home: str, name: str, depth: int = _DEPTH) -> bool:
        """Whether some call of a file's function is seen, and gradients are off around each, or around all calls of the function in which it is."""
        around = [(file, call) for file, call in called(name) if call.caller != name and (file == home or not call.of_its_own)]
        return bool(around) and all(
            call.off or (depth > 0 and call.caller != "" and only_without_gradients(file, call.caller, depth - 1)) for file, call in around
        )

    for finding in findings:
        functions = {(file, name.rpartition(".")[2]) for file, _, name in (root.partition("::") for root in finding.roots)}
        if not finding.of_graphs or not all(name and only_without_gradients(file, name) for file, name in functions):
            yield finding


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of some name: the function it is in, "" for none, whether gradients are off around it, and whether it is of what its own file calls so."""

    caller: str
    off: bool
    of_its_own: bool


def _calls(text: str) -> dict[str, list[_Call]] | None:
    """The calls in a file by the names that are called; None where it cannot be read."""
    tree = tree_of(text)
    if tree is None:
        return None
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    found: dict[str, list[_Call]] = {}
    work: list[tuple[ast.AST, str, bool]] = [(tree, "", False)]
    while work:
        node, caller, off = work.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                caller, off = node.name, any(map(_switches_off, node.decorator_list))
            case ast.With() | ast.AsyncWith():
                off = off or any(_switches_off(item.context_expr) for item in node.items)
            case ast.Call():
                name = last_name(node.func)
                found.setdefault(name, []).append(_Call(caller, off, name in defined and _is_of_its_own(node.func)))
        work.extend((child, caller, off) for child in ast.iter_child_nodes(node))
    return found


def _is_of_its_own(called: ast.expr) -> bool:
    """Whether a function is called by its name alone, or as a method of `self` or `super()`."""
    match called:
        case ast.Attribute(value=ast.Name(id="self") | ast.Call(func=ast.Name(id="super"))):
            return True
    return isinstance(called, ast.Name)


def _switches_off(expr: ast.expr) -> bool:
    return last_name(expr.func if isinstance(expr, ast.Call) else expr) in SWITCHING_OFF
