"""What an expression does with the gradients that it reads, as far as its form tells: it applies them, or only asks, measures or changes them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

from looplint.interpreter.facts import GradientAccess
from looplint.knowledge.pytorch import GRADIENTS
from looplint.syntax import ir

# The methods of a gradient that make no use of it, that make a number of it, alone or without arguments, that change it in place, and that put others there.
_EMPTYING = frozenset({"zero_", "detach_"})
_MEASURING = frozenset({"norm", "isnan", "isinf", "isfinite", "numel", "size", "dim", "item"})
_REDUCING = frozenset({"mean", "sum", "std", "var", "max", "min", "any", "all"})
_CHANGING = frozenset({"mul_", "div_", "add_", "sub_", "copy_", "clamp_", "clip_", "nan_to_num_", "masked_fill_"})
_REPLACING = frozenset({"zero_", "fill_", "copy_"})
# The methods whose result is the gradient in another form.
_FORMS = frozenset({"detach", "abs", "float", "double", "clone", "cpu", "to", "view", "reshape", "flatten", "pow", "square"})
# What a tensor tells of its form, and the methods that make another tensor of that form.
_ATTRIBUTES_OF_FORM = frozenset({"shape", "device", "dtype", "layout", "ndim"})
_OF_FORM = _ATTRIBUTES_OF_FORM | frozenset({"size", "dim", "numel", "new_zeros", "new_ones", "new_empty", "new_full", "new_tensor"})
# The modules and functions by their usual names that change nothing but what they are given.
_THAT_COMPUTE = frozenset({"torch", "th", "np", "numpy", "math", "F", "abs", "float", "int", "len", "list", "max", "min", "print", "range"})

_IN_ANY_WAY = nullcontext()


def of_call(gradients: GradientAccess, call: ir.Call) -> AbstractContextManager[None]:
    """How the receiver of a method call is to be read."""
    if not isinstance(call.func, ir.Attr) or not _is_gradient_times(call.func.value):
        return _IN_ANY_WAY
    method = call.func.attr
    if not is_gradient(call.func.value):
        return gradients.unapplied() if method in _MEASURING else _IN_ANY_WAY
    if method in _EMPTYING and not isinstance(call.func.value, ir.Call):
        return gradients.unread()
    if method in _CHANGING and call.dropped:
        return gradients.changed()
    return gradients.unapplied() if method in _MEASURING or (method in _REDUCING and not call.args) else _IN_ANY_WAY


def of_attribute(gradients: GradientAccess, expr: ir.Attr) -> AbstractContextManager[None]:
    """How the owner of an attribute is to be read: `p.grad.device` tells nothing of what the gradient holds."""
    return gradients.unread() if expr.attr in _ATTRIBUTES_OF_FORM and is_gradient(expr.value) else _IN_ANY_WAY


def measures(call: ir.Call) -> bool:
    """Whether a call measures its arguments: `torch.isnan(p.grad)`."""
    return isinstance(call.func, ir.Attr) and call.func.attr in _MEASURING


def of_argument(gradients: GradientAccess, argument: ir.Expr) -> AbstractContextManager[None]:
    """How an argument is to be read that is measured."""
    return gradients.unapplied() if _is_gradient_times(argument) else _IN_ANY_WAY


def _is_gradient_times(expr: ir.Expr) -> bool:
    """Whether an expression is written as a gradient or a part of one, or one times or by something: `p.grad.detach() * inverse_scale`."""
    match expr:
        case ir.Subscript(value=whole):
            return _is_gradient_times(whole)
        case ir.Binary(op="*" | "/", left=left, right=right):
            return _is_gradient_times(left) or (expr.op == "*" and _is_gradient_times(right))
    return is_gradient(expr)


def of_target(gradients: GradientAccess, target: ir.Expr) -> AbstractContextManager[None]:
    """How the target of `p.grad *= factor` is to be read, and the owner of that of `p.grad.data = value`."""
    return gradients.changed() if is_gradient(target) else _IN_ANY_WAY


def of_assigned(gradients: GradientAccess, stmt: ir.Assign, function: ir.Function) -> AbstractContextManager[None]:
    """How a gradient is to be read that gets a name: `grad = p.grad.detach()`, of which the function asks nothing but measures, is measured."""
    match stmt:
        case ir.Assign(targets=[ir.Name(id=name)], value=value) if is_gradient(value):
            usage = function.usage.get(name, ir.Usage())
            asked = usage.methods | usage.attrs
            used = usage.passed or usage.named or usage.iterated or usage.called or usage.keyed or usage.computed
            measured = asked and asked <= _MEASURING and not used
            return gradients.unapplied() if measured or _is_given_back({name}, function) else _IN_ANY_WAY
        case ir.Assign(targets=[ir.Attr() as target]) if gives_another_form(target, stmt, function):
            return gradients.unapplied()
        case ir.Assign(targets=[ir.Name() | ir.Display()], value=value) if any(map(is_gradient, ir.walk(value))):
            return gradients.unapplied() if _is_given_back(ir.binds(stmt), function) else _IN_ANY_WAY
    return _IN_ANY_WAY


def _is_given_back(names: set[str], function: ir.Function) -> bool:
    """Whether all that a function does with some names, and with what it computes from them, is to make a gradient of it again.

    `g = p.grad / world; dist.all_reduce(g); p.grad.data = g`.
    """
    stmts = list(ir.statements(function.body))
    computed, before = set(names), 0
    while len(computed) > before:
        before = len(computed)
        given = (stmt for stmt in stmts if isinstance(stmt, ir.Assign) and _names_any(stmt.value, computed))
        computed |= {name for stmt in given for name in ir.binds(stmt)}
    using = [stmt for stmt in stmts if not isinstance(stmt, ir.If) and any(_names_any(e, computed) for e in ir.expressions(stmt))]
    ends = [_becomes(stmt, computed) for stmt in using]
    return "gradient" in ends and "" not in ends


def _becomes(stmt: ir.Stmt, computed: set[str]) -> Literal["gradient", "computed", ""]:
    """What a statement makes of what is computed from a gradient: a gradient, more of the same, or something else."""
    match stmt:
        case ir.Assign(targets=[target]) | ir.AugAssign(target=target):
            if is_gradient(target):
                return "gradient"
            kept = [target.value] if isinstance(target, ir.Subscript) else target.items if isinstance(target, ir.Display) else [target]
            return "computed" if all(isinstance(each, ir.Name) and each.id in computed for each in kept) else ""
        case ir.ExprStmt(value=ir.Call(func=ir.Attr(attr=method, value=changed))) if method in _CHANGING and is_gradient(changed):
            return "gradient"
        case ir.ExprStmt(value=ir.Call(func=ir.Attr(attr=method, value=ir.Name(id=name)))) if name in computed and method.endswith("_"):
            return "computed"
        case ir.ExprStmt(value=ir.Call(func=func)) if "reduce" in (ir.path_of(func) or ""):
            return "computed"
    return ""


def _names_any(expr: ir.Expr, names: set[str]) -> bool:
    return any(isinstance(e, ir.Name) and e.id in names for e in ir.walk(expr))


def gives_another_form(target: ir.Attr, stmt: ir.Stmt | None, function: ir.Function) -> bool:
    """Whether a gradient is assigned what is made of itself, as where it is averaged over processes or scaled: `p.grad = reduce(p.grad)`."""
    path = ir.path_of(target)
    if path is None or not is_gradient(target) or not isinstance(stmt, ir.Assign):
        return False
    if isinstance(stmt.value, ir.IfExp) and any(is_missing(stmt.value.test, held, target) for held in (True, False)):
        return False  # what has none is given one
    return _has_values_of(stmt.value, {path}) or _is_made_of(path, stmt, function)


def _is_made_of(path: str, stmt: ir.Assign, function: ir.Function) -> bool:
    """Whether a gradient is assigned what names hold that were computed from it right before: `g = p.grad @ q; p.grad = g - g.T`.

    Where anything else is called in between, the names may hold what was cleared since.
    """
    before = _before(stmt, function.body) or []
    begin = next((n for n, each in enumerate(before) if isinstance(each, ir.Assign) and _has_values_of(each.value, {path})), len(before))
    between, computed, owner = before[begin:], set[str](), _owner_of(path)
    for each in between:
        if isinstance(each, ir.Delete) or any(ir.path_of(target) in (path, owner) for target in ir.targets(each)):
            return False
        if isinstance(each, ir.Assign) and _has_values_of(each.value, {path, *computed}):
            computed |= ir.binds(each)
        elif not isinstance(each, ir.AugAssign) and ir.binds(each) & computed:
            return False
        calls = (part for root in ir.expressions(each) for part in ir.walk(root) if isinstance(part, ir.Call))
        if not all(_only_computes(call, owner, computed) for call in calls):
            return False
    others = {id(each) for each in between}
    elsewhere = {name for each in ir.statements(function.body) if id(each) not in others for name in ir.binds(each)}
    return _has_values_of(stmt.value, computed - elsewhere)


def _before(stmt: ir.Stmt, body: list[ir.Stmt]) -> list[ir.Stmt] | None:
    """What may run before a statement in the same turn of the innermost loop around it, in the order of the text; None where it is not in the block."""
    found: list[ir.Stmt] = []
    for each in body:
        if each is stmt:
            return found
        for inner in ir.bodies(each):
            inside = _before(stmt, inner)
            if inside is not None:
                return inside if isinstance(each, ir.For | ir.While) else [*found, *inside]
        found += ir.statements([each])
    return None


def _only_computes(call: ir.Call, owner: str, names: set[str]) -> bool:
    """Whether a call only computes: one of a library or of Python's own, one with what has one of some names, or a method of the owner of a gradient."""
    if isinstance(call.func, ir.Attr) and call.func.attr in _REPLACING:
        return False
    of_owner = not isinstance(call.func, ir.Name) and owner in ir.paths_in(call.func)
    return of_owner or (ir.path_of(call.func) or "").partition(".")[0] in _THAT_COMPUTE or _names_any(call, names)


def _has_values_of(expr: ir.Expr, paths: set[str]) -> bool:
    """Whether an expression computes with the values of what has a name, and not only with its shape or size: not `torch.zeros_like(p.grad)`."""
    match expr:
        case ir.Call(func=func) if (ir.path_of(func) or "").endswith("_like"):
            return False
        case ir.Attr(attr=attr) | ir.Call(func=ir.Attr(attr=attr)) if attr in _OF_FORM or attr in _MEASURING:
            return False
    return ir.path_of(expr) in paths or any(_has_values_of(part, paths) for part in ir.children(expr))


def of_comparison(gradients: GradientAccess, expr: ir.Compare) -> AbstractContextManager[None]:
    """How the left side is to be read: `p.grad is None` asks for it alone."""
    return gradients.unread() if expr.ops[0] in ("is", "is not") and is_gradient(expr.left) else _IN_ANY_WAY


def fills_in(stmt: ir.If) -> bool:
    """Whether a gradient is given where there is none: `if p.grad is None: p.grad = torch.zeros_like(p)`; or `if p.grad is not None: continue`."""
    match stmt:
        case ir.If(
            test=ir.Compare(left=left, ops=["is not"], rights=[ir.Const(value=None)]),
            body=[ir.Jump(kind="continue") | ir.Return(value=None)],
        ):
            return is_gradient(left)
    assigned = ((each, held) for held, body in ((True, stmt.body), (False, stmt.orelse)) for each in body if isinstance(each, ir.Assign))
    return any(is_missing(stmt.test, held, target) for each, held in assigned for target in each.targets)


def is_missing(test: ir.Expr, held: bool, gradient: ir.Expr) -> bool:
    """Whether a test with this outcome says that there is no gradient under a dotted name."""
    test, held = ir.affirmed(test, held)
    match test:
        case ir.BoolOp(op=op, left=left, right=right) if (op == "and") is held:
            return is_missing(left, held, gradient) or is_missing(right, held, gradient)
        case ir.Compare(left=left, ops=["is" | "is not" as op], rights=[ir.Const(value=None)]) if (op == "is") is held:
            asked, given = ir.path_of(left), ir.path_of(gradient)
            return is_gradient(left) and asked is not None and given is not None and _owner_of(asked) == _owner_of(given)
    return False


def _owner_of(path: str) -> str:
    """What has the gradient that goes by a dotted name."""
    return path.replace("._grad", ".grad").partition(".grad")[0]


def is_gradient_or_its_name(expr: ir.Expr, function: ir.Function) -> bool:
    """Whether an expression is a gradient, or a name that the function gives one: `g = p.grad.data`."""
    if not isinstance(expr, ir.Name):
        return is_gradient(expr)
    given = (stmt for stmt in ir.statements(function.body) if isinstance(stmt, ir.Assign) and is_gradient(stmt.value))
    return any(isinstance(target, ir.Name) and target.id == expr.id for stmt in given for target in stmt.targets)


def is_gradient(expr: ir.Expr) -> bool:
    """Whether an expression is written as a gradient: `p.grad`, `p.grad.data`, `p.grad.detach().abs()`."""
    while True:
        match expr:
            case ir.Attr(attr=attr) if attr in GRADIENTS:
                return True
            case ir.Attr(attr="data", value=inner):
                expr = inner
            case ir.Call(func=ir.Attr(attr=method, value=inner)) if method in _FORMS:
                expr = inner
            case _:
                return False
