"""Which PyTorch a program is written for, as far as its code shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from looplint.knowledge.pytorch import SINCE_NO_GRAD, names_a_loss
from looplint.syntax import ir

if TYPE_CHECKING:
    from looplint.flow.events import Event
    from looplint.queries.program import Program

# The first one that has `torch.no_grad()`.
WITH_NO_GRAD = (0, 4)
# What a program asks objects for that runs on versions with and without it.
_ASKED_FOR = frozenset({"item", "no_grad", "set_grad_enabled", "device"})


def may_lack_no_grad(program: Program, event: Event) -> bool:
    """Whether a program may run on a PyTorch without `torch.no_grad()`: it has to, or a file is written for one that is on the way to an event or that it imports."""
    codes = _codes(program, event)
    return (
        program.target_torch < WITH_NO_GRAD or any(map(_is_older, codes)) or (program.heeds_volatility and any(map(_has_volatile, codes)))
    )


def switches_volatility(program: Program, event: Event) -> bool:
    """Whether a file on the way to an event, or one that it imports, tells by a switch which variables are volatile, as torch 0.3 had it."""
    return program.heeds_volatility and any(map(_has_a_switch, _codes(program, event)))


def needs_no_grad(codes: Iterable[ir.ModuleCode]) -> bool:
    """Whether files are written for a PyTorch that has `torch.no_grad()`, in which nothing is volatile: they use what came with it, and nothing that went then.

    What asks for the version, or for what came with it, is written for both.
    """
    codes = list(codes)
    return any(map(_is_newer, codes)) and not any(_is_older(code) or _asks_for_a_version(code) for code in codes)


def _codes(program: Program, event: Event) -> list[ir.ModuleCode]:
    """The files on the way to an event, and all that are read for the program."""
    on_the_way = [module.lowered() for module in dict.fromkeys(site.module for site in event.chain)]
    return [code for code in (*on_the_way, *(module.code for module in program.modules_read)) if code is not None]


@ir.kept_with_code
def _has_a_switch(code: ir.ModuleCode) -> bool:
    """Whether a variable of a file is volatile in some calls and not in others: `Variable(x, volatile=not self.training)`."""
    return any(not isinstance(value, ir.Const) for _, expr in _written(code) for value in _volatile(expr))


@ir.kept_with_code
def _has_volatile(code: ir.ModuleCode) -> bool:
    """Whether a variable of a file is, or may be, volatile."""
    return any(not isinstance(value, ir.Const) or bool(value.value) for _, expr in _written(code) for value in _volatile(expr))


def _volatile(expr: ir.Expr) -> Iterator[ir.Expr]:
    """What tells whether a variable is volatile."""
    match expr:
        case ir.Call(func=func, args=args) if (ir.path_of(func) or "").rpartition(".")[2] == "Variable":
            yield from (a.value for a in args if a.keyword == "volatile")


def _written(code: ir.ModuleCode) -> Iterator[tuple[ir.Function, ir.Expr]]:
    """Each expression of a file, with the function that it stands in."""
    for function in (code.top, *code.functions):
        yield from ((function, expr) for expr in ir.walk(*function.decorators))
        for stmt in ir.statements(function.body):
            yield from ((function, expr) for expr in ir.walk(*ir.expressions(stmt)))


@ir.kept_with_code
def _is_older(code: ir.ModuleCode) -> bool:
    """Whether a file does what the PyTorch without `torch.no_grad()` was the last to take."""
    return any(_is_of_its_time(function, expr) for function, expr in _written(code))


def _is_of_its_time(function: ir.Function, expr: ir.Expr) -> bool:
    """The number in a loss that has a dimension, `loss.data[0]`; a sample without the number of them; a layer's own function."""
    match expr:
        case ir.Subscript(value=ir.Attr(value=loss, attr="data"), index=ir.Const(value=0)):
            return _is_a_loss(function, loss)
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch"), attr="multinomial"), args=[ir.Arg(keyword=None)]):
            return True
        case ir.Call(func=ir.Attr(value=ir.Attr(value=ir.Attr(attr="_backend")), attr="apply")):
            return True  # `layer._backend.Embedding.apply(...)`
    return False


@ir.kept_with_code
def _is_newer(code: ir.ModuleCode) -> bool:
    """Whether a file does what no PyTorch without `torch.no_grad()` has."""
    return any(_is_of_later(function, expr) for function, expr in _written(code))


def _is_of_later(function: ir.Function, expr: ir.Expr) -> bool:
    """A function of later versions; the number in a loss by `item()`; a tensor or a model that goes to what is called a device."""
    match expr:
        case ir.Call(func=ir.Attr(value=loss, attr="item"), args=[]):
            return _is_a_loss(function, loss.value if isinstance(loss, ir.Attr) and loss.attr == "data" else loss)
        case ir.Call(func=ir.Attr(attr="to"), args=[ir.Arg(value=device, keyword=None | "device"), *_]):
            return "device" in (ir.path_of(device) or "").rpartition(".")[2].lower()
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch"), attr=name)):
            return name in SINCE_NO_GRAD
    return False


@ir.kept_with_code
def _asks_for_a_version(code: ir.ModuleCode) -> bool:
    """Whether a file asks for the version of PyTorch, or whether something has what came with `torch.no_grad()`."""
    for _, expr in _written(code):
        match expr:
            case ir.Attr(value=ir.Name(id="torch"), attr="__version__"):
                return True
            case ir.Call(func=ir.Name(id="hasattr"), args=[_, ir.Arg(value=ir.Const(value=str(name)))]) if name in _ASKED_FOR:
                return True
    return False


def _is_a_loss(function: ir.Function, expr: ir.Expr) -> bool:
    """Whether an expression is what a function sends backward, or has the name of a loss."""
    path = ir.path_of(expr) or ""
    usage = function.usage.get(path)
    return names_a_loss(path.rpartition(".")[2]) or (usage is not None and "backward" in usage.methods)
