"""Tensors that are turned into text: printed, or put into a string."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.tags import Mark
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Const, Tensor, Tuple, Value
from looplint.flow.remarks import Show
from looplint.interpreter import hooks
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir


@hooks.shown
def note_shown(interp: Interpreter, parts: Iterable[tuple[ir.Expr, Value]]) -> None:
    """Remark the tensors of one element, losses above all, that become text as they are: who reads it gets a number of what they were computed from."""
    for expr, value in parts:
        if isinstance(expr, ir.Star):
            continue
        if value and all(
            isinstance(a, Tensor) and a.scalar and (a.origins or Mark.LOSS in a.tags) and (a.made or a.graph == "yes") for a in value
        ):
            interp.remark(Show(name=ir.render(expr)), expr.node, ())
        for atom in value:
            if isinstance(atom, Tensor) and atom.scalar:
                interp.uses.scored |= atom.origins


def note_arguments(interp: Interpreter, args: Iterable[ir.Arg], values: Iterable[Value]) -> None:
    """`print(loss)`, `"{:.4f}".format(loss)`: arguments that become text."""
    plain = [a.value for a in args if not a.star and a.keyword is None]
    note_shown(interp, zip(plain, values, strict=False))


@hooks.formatted
def note_percent(interp: Interpreter, expr: ir.Expr, value: Value) -> None:
    """`"loss %.4f" % loss`, `"%d: %.4f" % (epoch, loss)`."""
    for atom in value:
        if isinstance(atom, Tuple) and isinstance(expr, ir.Display) and len(value) == 1 and len(atom.items) == len(expr.items):
            note_shown(interp, zip(expr.items, atom.items, strict=True))
            return
    note_shown(interp, [(expr, value)])


@transfer("text")
def _text(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    note_arguments(interp, expr.args, args.positional)
    given = args.positional[0] if qualname == "builtins.str" and len(args.positional) == 1 else NOTHING
    known = bool(given) and all(isinstance(a, Const) and isinstance(a.value, str) for a in given)
    return given if known else UNKNOWN  # `str(device)`, which stands for the text that it was given
