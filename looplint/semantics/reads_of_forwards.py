"""Which attributes of its own object a forward reads: the parts that it never names do not run when the module is called."""

from __future__ import annotations

from looplint.domain.values import ClassRef
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# What goes through the parts of a module whatever their names.
_ALL_PARTS = frozenset({"_modules", "modules", "named_modules", "children", "named_children", "apply", "__dict__"})
# What runs in the place of a forward, or gives attributes by any name.
_ASIDE = ("__call__", "__getattr__", "__getattribute__")
# Decorators that give the method itself to nobody else.
_QUIET = frozenset({"no_grad", "inference_mode", "enable_grad", "autocast", "custom_fwd", "property", "staticmethod", "override"})


def reads_of_forward(interp: Interpreter, cls: ClassRef) -> frozenset[str] | None:
    """The attributes that a forward and the methods which it calls or reads may read; None where that is not known."""
    if any(classes.find_member(interp, cls, name) is not None for name in _ASIDE):
        return None
    seen: set[str] = set()
    work = ["forward"]
    while work:
        name = work.pop()
        if name in seen:
            continue
        seen.add(name)
        found = classes.find_member(interp, cls, name)
        if found is None:
            continue
        read = _reads(found[0]) if isinstance(found[0], ir.Function) else None
        if read is None:
            return None
        work.extend(read)
    return frozenset(seen) if classes.find_member(interp, cls, "forward") is not None and _ALL_PARTS.isdisjoint(seen) else None


@ir.kept_with_code
def _reads(function: ir.Function) -> frozenset[str] | None:
    """The attributes that a method reads of its own object; None where it hands that on, or hides what it does with it in functions of its own."""
    if not function.params or not _QUIET.issuperset(map(ir.decorator_name, function.decorators)):
        return None
    own = function.params[0].name
    stmts = list(ir.statements(function.body))
    if any(isinstance(stmt, ir.FunctionDef | ir.ClassDef) for stmt in stmts):
        return None
    read: list[str] = []
    alone = 0
    for e in ir.walk(*(whole for stmt in stmts for whole in ir.expressions(stmt))):
        match e:
            case ir.Lambda() | ir.Name(id="super" | "getattr" | "vars" | "locals"):
                return None
            case ir.Call(func=ir.Attr(value=ir.Name(id=owner)) | ir.Name(id=owner)) if (
                ir.called_name(e).startswith("dropout") and owner != own
            ):
                return None  # it drops by a function, in both modes as a rule: a layer that lies idle beside that tells what was meant
            case ir.Attr(value=ir.Name(id=name), attr=attr) if name == own:
                read.append(attr)
            case ir.Name(id=name) if name == own:
                alone += 1
    return frozenset(read) if alone == len(read) else None
