"""Where one optimizer's clear, backward and step stand together in code that is repeated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.mutation.roles import Event, called_in_loop, events, innermost_loop, once_per_script, optimizer_names, trained_models
from benchmarks.mutation.script import Loop, Scope, Script

_MANUAL_GRADIENTS = re.compile(r"\.grad(\.data)?\s*(=[^=]|\.(zero_|copy_|fill_)|[-+*/]=)|autograd\.grad\(|\.zero_grad\b(?!\()")


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """One optimizer stepped at one place of a loop (or of a function that a loop calls), with what fills and clears it there.

    `clears` are those that cover this optimizer: its own, its model's, and every one where it steps alone.
    """

    optimizer: str
    model: str | None
    scope: Scope
    loop: Loop | None
    step: Event
    clears: tuple[Event, ...]
    backwards: tuple[Event, ...]
    in_region: tuple[Event, ...]
    alone: bool

    @property
    def region(self) -> Loop | Scope:
        return self.loop or self.scope

    @property
    def scaled(self) -> bool:
        """The step goes through a gradient scaler, which refuses misplaced calls loudly."""
        return bool(self.step.call and self.step.call.args)


@once_per_script
def cycles(script: Script) -> tuple[Cycle, ...]:
    """The cycles with one step, at least one backward before it, and no closure (LBFGS clears in it)."""
    return tuple(_cycles(script))


def _cycles(script: Script) -> Iterator[Cycle]:
    found, optimizers, models = events(script), optimizer_names(script), trained_models(script)
    for step in found:
        if step.kind != "step" or (step.call and step.call.args and ast.unparse(step.call.args[0]) not in optimizers):
            continue
        scope, loop = script.scope(step.stmt), innermost_loop(script, step.stmt)
        if loop is None and (isinstance(scope, ast.Module) or not called_in_loop(script, scope)):
            continue
        inside = tuple(e for e in found if _inside(script, e.stmt, loop or scope, scope))
        steps = [e for e in inside if e.kind == "step"]
        backwards = tuple(e for e in inside if e.kind == "backward")
        if sum(e.who == step.who for e in steps) != 1 or not any(b.stmt.lineno < step.stmt.lineno for b in backwards):
            continue
        alone = {e.who for e in steps} == {step.who}
        model = models.get(step.who)
        clears = tuple(e for e in inside if e.kind == "clear" and (alone or e.who in (step.who, model)))
        if model is not None and not mentions(loop or scope, model):
            model = None
        yield Cycle(step.who, model, scope, loop, step, clears, backwards, inside, alone)


def _inside(script: Script, stmt: ast.stmt, region: Loop | Scope, scope: Scope) -> bool:
    return script.scope(stmt) is scope and (region is scope or region in script.ancestors(stmt))


def mentions(node: ast.AST, expression: str) -> bool:
    return any(isinstance(n, ast.Name | ast.Attribute) and ast.unparse(n) == expression for n in ast.walk(node))


def together(script: Script, first: ast.stmt, second: ast.stmt) -> tuple[ast.stmt, ast.stmt] | None:
    """The two statements, or what contains them, in the innermost statement list that holds both."""
    for candidate in (second, *script.ancestors(second)):
        if isinstance(candidate, ast.stmt):
            lifted = script.lift(first, script.bodies[candidate])
            if lifted is not None:
                return lifted, candidate
    return None


def last_backward(cycle: Cycle) -> Event:
    """The backward nearest before the step in the text."""
    return max((b for b in cycle.backwards if b.stmt.lineno < cycle.step.stmt.lineno), key=lambda b: b.stmt.lineno)


def side_by_side(script: Script, *found: Event) -> bool:
    """Whether all stand directly in one statement list, so that each runs whenever the others do."""
    return all(script.bodies[e.stmt] is script.bodies[found[0].stmt] for e in found)


def handles_gradients_itself(script: Script) -> bool:
    """Whether gradients are written or computed by hand anywhere in the program, other than by loops that clear them."""
    for part in script.program:
        cleared = [part.text(e.stmt) for e in events(part) if e.kind == "clear" and e.call is None]
        text = part.source
        for loop in cleared:
            text = text.replace(loop, "")
        if _MANUAL_GRADIENTS.search(text):
            return True
    return False


def enclosing_top(script: Script, node: ast.AST) -> ast.stmt:
    """The top-level statement that holds a node."""
    top = script.lift(node, script.tree.body)
    assert top is not None
    return top
