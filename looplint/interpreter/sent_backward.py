"""What a function sends backward: the names that hold it, whoever made it."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.syntax import ir


@ir.kept_with_code
def sent_backward(code: ir.ModuleCode) -> dict[tuple[ir.Function, str], ir.Call]:
    """The names of which one value in a function goes backward, as it is, scaled, divided or averaged, each with the call that sends it."""
    found = {}
    for each in code.gradient_calls:
        match each.call:
            case ir.Call(func=ir.Attr(), args=[ir.Arg(keyword=None, value=given), *_]):
                name = ir.path_of(_unscaled(given))
                # The argument of a tensor's own backward is a gradient.
                sent = name if name is not None and "loss" in name.lower() else None
            case ir.Call(func=ir.Attr(attr="backward", value=receiver)):
                sent = ir.path_of(_unscaled(receiver))
            case _:
                sent = None
        if each.kind == "backward" and sent is not None and sent.isidentifier() and _has_one_value(each.function, sent):
            found[each.function, sent] = each.call
    return found


def _unscaled(loss: ir.Expr) -> ir.Expr:
    """What goes backward, without the scaler, the factor and the mean over devices: `scaler.scale(loss.mean() / n)`."""
    while True:
        match loss:
            case ir.Call(func=ir.Attr(attr="scale"), args=[ir.Arg(value=inner)]) | ir.Binary(op="/", left=inner):
                loss = inner
            case ir.Call(func=ir.Attr(attr="mean" | "sum", value=ir.Name() as averaged), args=[]):
                return averaged
            case _:
                return loss


def _has_one_value(function: ir.Function, name: str) -> bool:
    """Whether a function gives a name a value at one place alone, besides constants, which cannot go backward, and that value itself, divided or averaged."""
    return sum(name in ir.paths_in(target) for target in _targets(function, name)) == 1


def _targets(function: ir.Function, name: str) -> Iterator[ir.Expr]:
    """What the statements of a function bind, without those that leave a name its value but for a divisor."""
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=bound)], value=value) if bound == name and (
                isinstance(value, ir.Const) or ir.path_of(_unscaled(value)) == name
            ):
                continue
            case ir.AugAssign(target=ir.Name(id=bound), op="/") if bound == name:
                continue
            case ir.Assign():
                yield from stmt.targets
            case ir.AugAssign() | ir.For():
                yield stmt.target
            case ir.With():
                yield from (target for _, target in stmt.items if target is not None)
