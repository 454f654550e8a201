"""Paths that end in an error: what stands behind the expression that raises may train, unless another path comes to it."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.interpreter import allowances
from looplint.interpreter.facts import Ending, Reached
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def end_there(interp: Interpreter, complaint: str, expr: ir.Expr) -> None:
    """The path ends at an expression that raises: a call that does not fit, an attribute that is not there."""
    _note(interp, complaint, expr)
    interp.die()


def note_not_returned(interp: Interpreter, function: ir.Function, expr: ir.Expr) -> None:
    """A call of a function ends the path of its caller: where that is for an expression in it that raises, so does the caller's."""
    if complaint := interp.reached.misfit(function):
        _note(interp, complaint, expr)


def set_aside(interp: Interpreter) -> None:
    """The path beside a branch goes on: what does not fit in the branch keeps no path from what stands behind."""
    function, reached = interp.frame.function, interp.reached
    if function in reached.misfits:
        reached.misfits_aside.setdefault(function, reached.misfits.pop(function))


def pass_by(interp: Interpreter, arm: list[ir.Stmt], endings: Iterable[Ending]) -> None:
    """The path beside a branch goes on: of what stands behind what has ended in the branch, only the rest of the branch itself is left out."""
    for ending in endings:
        if not ending.passed and ending.function is interp.frame.function:
            ending.passed = not _may_train_behind(interp, ir.statements(arm), ending.expr)


def pass_by_operand(interp: Interpreter, operand: ir.Expr, endings: Iterable[Ending]) -> None:
    """The path beside an operand of `and` or `or` goes on: what ends in the operand leaves out nothing but the operand itself."""
    trains = any(_is_named_among(each, interp.training.names) for each in ir.walk(operand))
    for ending in endings:
        if ending.function is interp.frame.function:
            ending.passed = ending.passed or not trains


def hide_training(interp: Interpreter) -> bool:
    """Whether something that may train stands behind an expression that raises, and no path has come to it."""
    endings = interp.reached.endings
    return not all(each.passed for each in endings) or any(_is_left_out(interp, *each) for each in {(e.function, e.expr) for e in endings})


def _note(interp: Interpreter, complaint: str, expr: ir.Expr) -> None:
    function, interp.frame.fails = interp.frame.function, True
    interp.reached.misfits.setdefault(function, complaint)
    if allowances.may_train(interp, function) and _may_train_behind(interp, ir.statements(function.body), expr):
        interp.reached.endings.append(Ending(function, expr))


def _may_train_behind(interp: Interpreter, stmts: Iterable[ir.Stmt], expr: ir.Expr) -> bool:
    """Whether some code may go backward or step behind an expression of its text that ends its path, or has not done so where it may before."""
    training, reached = interp.training.names, interp.reached
    met = {each.name for each in reached.functions}
    behind = False
    for stmt in stmts:
        parts = [each for whole in ir.expressions(stmt) for each in ir.walk(whole)]
        behind = behind or expr in parts
        own = [*ir.walk(expr.func if isinstance(expr, ir.Call) else expr)] if expr in parts else []
        for each in parts:
            if behind and each not in own and _is_named_among(each, training):
                return True
            if each is not expr and _is_unmet(each, reached, training, met):
                return True
    return not behind


def _is_left_out(interp: Interpreter, function: ir.Function, ended: ir.Expr) -> bool:
    """Whether a call in a function may train to which no path has come, or none has since one ended at an expression of it that stands before the call."""
    training, reached = interp.training.names, interp.reached
    met = {each.name for each in reached.functions}
    behind = False
    for stmt in ir.statements(function.body):
        parts = [each for whole in ir.expressions(stmt) for each in ir.walk(whole)]
        if any(_is_unmet(each, reached, training, met) for each in parts):
            return True
        behind = behind or ended in parts
        calls = (
            [each for each in parts if isinstance(each, ir.Call) and ir.called_name(each) in training]
            if behind and ended not in parts
            else []
        )
        if any(each not in reached.behind and each not in reached.gradient_calls for each in calls):
            return True
    return False


def _is_unmet(expr: ir.Expr, reached: Reached, training: set[str], met: set[str]) -> bool:
    """Whether an expression goes backward or steps, or calls what may, and no path has come there."""
    if not isinstance(expr, ir.Call) or expr in reached.gradient_calls:
        return False
    return ir.gradient_kind(expr) is not None or (ir.called_name(expr) in training and ir.called_name(expr) not in met)


def _is_named_among(expr: ir.Expr, names: set[str]) -> bool:
    """Whether an expression is one of some names, or an attribute of this name: what is called, or handed on."""
    match expr:
        case ir.Name(id=name) | ir.Attr(attr=name):
            return name in names
    return False
