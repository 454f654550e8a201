"""Calls that do not fit the function that they name: they end in a TypeError, and what stands behind them is not run."""

from __future__ import annotations

from itertools import takewhile

from looplint.domain.objects import TorchModule
from looplint.domain.values import ClassRef, External, Func, ModuleRef, Ref, Unknown, Value
from looplint.interpreter import classes, unseen_methods
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

# Decorators that leave the parameters of a function as they are.
_KEEPING = frozenset({"staticmethod", "no_grad", "inference_mode", "enable_grad", "autocast", "abstractmethod", "override", "final"})

# Decorators of libraries that read settings and give them to what a call leaves out: gin's and detectron2's, Sacred's, those of command lines and injectors.
_FILLING = frozenset({"configurable", "capture", "automain", "main", "command", "inject", "wrap"})


def may_be_filled_in(function: ir.Function) -> bool:
    """Whether settings may give a function what its callers leave out, in place of its defaults: `@gin.configurable`."""
    return any(ir.decorator_name(each) in _FILLING for each in function.decorators)


def misfit(interp: Interpreter, receiver: Value | None, callee: Value, expr: ir.Call) -> str:
    """What a call that certainly ends in a TypeError lacks, or has too much; nothing where it may fit.

    That is certain of the one function or class in sight that goes by the name which is called: what was handed in, decorated, or put in its place, as
    by a subclass, may take something else.

    Args:
        interp: the interpreter.
        receiver: what stands before the dot, if something does.
        callee: what is called.
        expr: the call.
    """
    if len(callee) != 1 or any(arg.star for arg in expr.args):
        return ""
    (atom,) = callee
    match atom:
        case Func(function) if function.name == ir.called_name(expr):
            # Most calls fit: what else would have to be known of the function is asked of the others alone.
            complaint = _complaint(function, expr, bound=atom.bound is not None)
            return complaint if complaint and _is_as_defined(interp, atom, receiver) else ""
        case ClassRef(cls, info) if cls.name == ir.called_name(expr) and (constructor := _constructor(interp, atom)) is not None:
            complaint = _complaint(constructor, expr, bound=True)
            return complaint if complaint and is_in_sight(interp, info) else ""
        case Ref(TorchModule(cls=ClassRef() as cls) as module) if not _is_of_some_alone(ir.called_name(expr), receiver):
            member = classes.find_member(interp, cls, "forward")
            complaint = _complaint(member[0], expr, bound=True) if member is not None and isinstance(member[0], ir.Function) else ""
            if not complaint or member is None or _changes_arguments(interp, cls):
                return ""
            (forward,) = classes.bind(interp, member, module)
            return complaint if isinstance(forward, Func) and _is_as_defined(interp, forward, callee) else ""
    return ""


def fitting(interp: Interpreter, receiver: Value | None, callee: Value, expr: ir.Call) -> Value:
    """What a call can be of, where it may be one of several modules: not those whose forward refuses what it is given, for these it would have ended."""
    if len(callee) < 2:
        return callee
    modules = [atom for atom in callee if isinstance(atom, Ref) and isinstance(atom.obj, TorchModule)]
    refusing = [atom for atom in modules if misfit(interp, receiver, frozenset({atom}), expr)]
    return callee.difference(refusing) if len(refusing) < len(modules) else callee


def _is_of_some_alone(part: str, receiver: Value | None) -> bool:
    """Whether what stands before the dot may be one of several objects of which some have no such part: they may have a method of that name."""
    owners = [a.obj for a in receiver or () if isinstance(a, Ref) and a.obj.one_of]
    return any(part not in each.heap for owner in owners for each in owner.one_of)


def is_in_sight(interp: Interpreter, info: ModuleInfo) -> bool:
    """Whether a module is certainly the one that is meant: where a program sets its import path, another one may come first."""
    here = interp.frame.module
    return info is here or not any("sys.path" in each.source.text for each in (here, interp.main))


def _is_as_defined(interp: Interpreter, func: Func, receiver: Value | None) -> bool:
    """Whether a function is called as its definition stands: by its own name, as a member of its module, or as a method that its object has from its class."""
    if not is_in_sight(interp, func.module) or not all(map(_keeps_parameters, func.function.decorators)):
        return False
    if receiver is None or all(isinstance(a, ModuleRef | External) for a in receiver):
        return func.owner is None
    if len(receiver) != 1 or func.owner is None or func.function.name in func.owner.cls.assigned:
        return False
    (atom,) = receiver
    if not isinstance(atom, Ref) or atom.obj.cls is None or atom.obj.one_of or func.function.name in atom.obj.heap:
        return False
    if atom.obj.symbolic and (atom not in interp.frame.instance or unseen_methods.is_replaced_below(interp, atom.obj.cls, func.function)):
        return False
    before = takewhile(lambda each: each != func.owner, classes.line(interp, atom.obj.cls))
    return all(isinstance(each, ClassRef) and not any(isinstance(b, Unknown) for b in classes.base_values(interp, each)) for each in before)


def _keeps_parameters(decorator: ir.Expr) -> bool:
    return ir.decorator_name(decorator) in _KEEPING


def _constructor(interp: Interpreter, cls: ClassRef) -> ir.Function | None:
    """The `__init__` that gets the arguments of a class, where nothing else is known to take them."""
    for each in classes.line(interp, cls):
        if not isinstance(each, ClassRef) or classes.takes_part_in_making(each.cls) or "__init__" in each.cls.assigned:
            return None
        found = each.cls.methods.get("__init__")
        if found is not None:
            return None if found.decorators else found
    return None


def _changes_arguments(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether something may change what a call of a module gives to its `forward`: a `__call__` of its class, or a hook before it."""
    hooked = any("forward_pre_hook" in each.source.text for each in (cls.module, interp.frame.module, interp.main))
    return hooked or classes.find_member(interp, cls, "__call__") is not None


def _complaint(function: ir.Function, expr: ir.Call, *, bound: bool) -> str:
    """How the arguments of a call do not fit the parameters of a function, of which the first is its object where that is `bound`."""
    plain = [p for p in function.params if p.kind == "plain"]
    kinds = {p.kind for p in function.params}
    given = [arg.keyword for arg in expr.args if arg.keyword is not None]
    positional = len(expr.args) - len(given) + bound
    unknown = [] if "**" in kinds else [name for name in given if name not in {p.name for p in function.params}]
    open_ones = [*plain[positional:], *(p for p in function.params if p.kind == "keyword")]
    missing = [p.name for p in open_ones if p.default is None and p.name not in given]
    if positional > len(plain) and "*" not in kinds:
        return f"it is given {positional - bound} arguments by position and takes {len(plain) - bound}"
    if unknown:
        return f"it has no parameter `{unknown[0]}`"
    return f"it is not given `{missing[0]}`" if missing else ""
