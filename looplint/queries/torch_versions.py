"""Which PyTorch a program is written for, as far as its code shows it."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.flow.events import Event
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.program import Program
from looplint.syntax import ir

# The first one that has `torch.no_grad()`.
_WITH_NO_GRAD = (0, 4)


def may_lack_no_grad(program: Program, event: Event) -> bool:
    """Whether a program may run on a PyTorch without `torch.no_grad()`: it has to, or a file is written for one that is on the way to an event or that it imports."""
    return program.target_torch < _WITH_NO_GRAD or any(map(_is_older, _codes(program, event)))


def switches_volatility(program: Program, event: Event) -> bool:
    """Whether a file on the way to an event, or one that it imports, tells by a switch which variables are volatile, as torch 0.3 had it."""
    return any(map(_has_a_switch, _codes(program, event)))


def _codes(program: Program, event: Event) -> list[ir.ModuleCode]:
    """The files on the way to an event, and all that are read for the program."""
    on_the_way = [module.lowered() for module in dict.fromkeys(site.module for site in event.chain)]
    return [code for code in (*on_the_way, *(module.code for module in program.modules_read)) if code is not None]


@ir.kept_with_code
def _has_a_switch(code: ir.ModuleCode) -> bool:
    """Whether a variable of a file is volatile in some calls and not in others: `Variable(x, volatile=not self.training)`."""
    return any(not isinstance(value, ir.Const) for _, expr in _written(code) for value in _volatile(expr))


def _volatile(expr: ir.Expr) -> Iterator[ir.Expr]:
    """What tells whether a variable is volatile."""
    match expr:
        case ir.Call(func=func, args=args) if (ir.path_of(func) or "").rpartition(".")[2] == "Variable":
            yield from (a.value for a in args if a.keyword == "volatile")


def _written(code: ir.ModuleCode) -> Iterator[tuple[ir.Function, ir.Expr]]:
    """Each expression of a file, with the function that it stands in."""
    for function in (code.top, *code.functions):
        for stmt in ir.statements(function.body):
            yield from ((function, expr) for expr in ir.walk(*ir.expressions(stmt)))


@ir.kept_with_code
def _is_older(code: ir.ModuleCode) -> bool:
    """Whether a file does what the PyTorch without `torch.no_grad()` was the last to take."""
    return any(_is_of_its_time(function, expr) for function, expr in _written(code))


def _is_of_its_time(function: ir.Function, expr: ir.Expr) -> bool:
    """The number in a loss that has a dimension, `loss.data[0]`; a volatile variable; a sample without the number of them; a layer's own function."""
    match expr:
        case ir.Subscript(value=ir.Attr(value=loss, attr="data"), index=ir.Const(value=0)):
            path = ir.path_of(loss) or ""
            usage = function.usage.get(path)
            return names_a_loss(path.rpartition(".")[2]) or (usage is not None and "backward" in usage.methods)
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch"), attr="multinomial"), args=[ir.Arg(keyword=None)]):
            return True
        case ir.Call(func=ir.Attr(value=ir.Attr(value=ir.Attr(attr="_backend")), attr="apply")):
            return True  # `layer._backend.Embedding.apply(...)`
    return any(not isinstance(value, ir.Const) or bool(value.value) for value in _volatile(expr))
