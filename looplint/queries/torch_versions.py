"""Which PyTorch a program is written for, as far as its code shows it."""

from __future__ import annotations

from looplint.flow.events import Event
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.program import Program
from looplint.syntax import ir

# The first one that has `torch.no_grad()`.
_WITH_NO_GRAD = (0, 4)


def may_lack_no_grad(program: Program, event: Event) -> bool:
    """Whether a program may run on a PyTorch without `torch.no_grad()`: it has to, or a file is written for one that is on the way to an event or that it imports."""
    on_the_way = [module.lowered() for module in dict.fromkeys(site.module for site in event.chain)]
    codes = [code for code in (*on_the_way, *(module.code for module in program.modules_read)) if code is not None]
    return program.target_torch < _WITH_NO_GRAD or any(_is_older(code) for code in codes)


@ir.kept_with_code
def _is_older(code: ir.ModuleCode) -> bool:
    """Whether a file does what the PyTorch without `torch.no_grad()` was the last to take."""
    return any(
        _is_of_its_time(function, expr)
        for function in (code.top, *code.functions)
        for stmt in ir.statements(function.body)
        for expr in ir.walk(*ir.expressions(stmt))
    )


def _is_of_its_time(function: ir.Function, expr: ir.Expr) -> bool:
    """The number in a loss that has a dimension, `loss.data[0]`; a volatile variable; a sample without the number of them; a layer's own function."""
    match expr:
        case ir.Subscript(value=ir.Attr(value=loss, attr="data"), index=ir.Const(value=0)):
            path = ir.path_of(loss) or ""
            usage = function.usage.get(path)
            return names_a_loss(path.rpartition(".")[2]) or (usage is not None and "backward" in usage.methods)
        case ir.Call(func=func, args=args) if (ir.path_of(func) or "").rpartition(".")[2] == "Variable":
            return any(a.keyword == "volatile" and isinstance(a.value, ir.Const) and a.value.value is True for a in args)
        case ir.Call(func=ir.Attr(value=ir.Name(id="torch"), attr="multinomial"), args=[ir.Arg(keyword=None)]):
            return True
        case ir.Call(func=ir.Attr(value=ir.Attr(value=ir.Attr(attr="_backend")), attr="apply")):
            return True  # `layer._backend.Embedding.apply(...)`
    return False
