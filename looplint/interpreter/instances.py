"""What `isinstance` says of a value, and which of its atoms are left on each side of such a test."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from looplint.domain.objects import Accelerator, Container, Dict, Engine, List, Module, Obj, Optimizer, Scaler, Scheduler, TorchModule
from looplint.domain.values import Atom, ClassRef, Const, External, Number, Ref, Tensor, Tuple, Value
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.pytorch import BARE_MODULES, MODULE_CLASSES, SEALED
from looplint.syntax import ir

_PLAIN = frozenset(
    {f"builtins.{name}" for name in ("tuple", "list", "dict", "set", "frozenset", "str", "bytes", "int", "float", "complex", "bool")}
)
# Containers of the standard library that are classes of their own: what is a tensor, a text or a number is none.
_COLLECTIONS = frozenset({f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict", "deque")})
# Classes that say of a container, a number or a text what it can do, and that no tensor is registered as; their old names, and those of six, too.
_KINDS = frozenset({
    *(f"{module}.{name}" for module in ("collections", "collections.abc") for name in ("Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set")),
    "collections.UserDict", "collections.UserList", "collections.UserString", "numbers.Number", "numbers.Real", "numbers.Integral",
    "six.string_types", "six.integer_types", "six.text_type", "six.binary_type", "numpy.ndarray", "numpy.generic", "numpy.number",
})  # fmt: skip
_NO_TENSORS = _PLAIN | _COLLECTIONS | _KINDS
# Classes that say what an object can do, whatever class it is of: `collections.abc.Iterable`, protocols.
_STRUCTURAL = ("collections.", "typing.", "numbers.")
# What no tuple, text or number is.
_OF_A_LOOP = (TorchModule, Optimizer, Scheduler, Scaler, Engine, Accelerator)


def asked_by(interp: Interpreter, test: ir.Expr) -> tuple[ir.Expr, Value] | None:
    """What a test asks the class of, and which classes it asks for: `isinstance(x, classes)`, `torch.is_tensor(x)`; None for another one."""
    match test:
        case ir.Call(func=ir.Name(id="isinstance"), args=[ir.Arg(value=tested), ir.Arg(value=classes)]):
            return tested, interp.evaluate(classes)
        case ir.Call(func=ir.Attr(attr="is_tensor"), args=[ir.Arg(value=tested)]):
            return tested, frozenset({External("torch.Tensor")})
    return None


def type_asked_by(test: ir.Compare) -> tuple[ir.Expr, ir.Expr, bool] | None:
    """What `type(x) == cls` asks the type of, which it asks for, and whether it holds for that one; None for another comparison."""
    match test:
        case ir.Compare(left=ir.Call(func=ir.Name(id="type"), args=[ir.Arg(value=tested)]), ops=[op], rights=[cls]):
            return tested, cls, op in ("==", "is", "in")
    return None


def of_type(interp: Interpreter, test: ir.Compare) -> bool | None:
    """The outcome of `type(x) == cls` where that is known: what is no instance of a class is not of that very class; None for another comparison, too."""
    asked = type_asked_by(test)
    if asked is None:
        return None
    tested, cls, holds = asked
    given = interp.evaluate(cls)
    return not holds if is_instance(interp, interp.evaluate(tested), given) is False else None


def is_instance(interp: Interpreter, value: Value, given: Value) -> bool | None:
    """Whether a value is of a class, or of one of a tuple of classes; None where that is not known."""
    wanted = _alternatives(given)
    outcomes = {_any(_is(interp, atom, cls) for cls in wanted) for atom in value} if wanted else {None}
    return outcomes.pop() if len(outcomes) == 1 else None


def those_that_are(interp: Interpreter, value: Value, given: Value, held: bool) -> Value:
    """What a value can be where a test of its class came out as `held`; all of it where that cannot be."""
    wanted = _alternatives(given)
    kept = frozenset(atom for atom in value if _any(_is(interp, atom, cls) for cls in wanted) is not (not held))
    return kept if wanted and kept else value


def _alternatives(given: Value) -> list[Atom]:
    """The classes of which one is asked for; none where they are not all known."""
    if len(given) != 1:
        return []
    (atom,) = given
    if not isinstance(atom, Tuple):
        return [atom]
    inner = [_alternatives(item) for item in atom.items]
    return [each for items in inner for each in items] if all(inner) else []


def _any(outcomes: Iterable[bool | None]) -> bool | None:
    found = set(outcomes)
    return True if True in found else None if None in found else False


def _is(interp: Interpreter, atom: Atom, wanted: Atom) -> bool | None:
    if isinstance(atom, Ref) and atom.obj.one_of:
        outcomes = {_of_object(interp, each, wanted) for each in atom.obj.one_of}
        return outcomes.pop() if len(outcomes) == 1 else None
    match atom, wanted:
        case Ref(obj), _:
            return _of_object(interp, obj, wanted)
        case Const(value), External(qualname) if qualname in _PLAIN:
            return any(qualname == f"builtins.{cls.__name__}" for cls in type(value).__mro__)
        case Tuple(), External(qualname) if qualname in _PLAIN:
            return qualname == "builtins.tuple"
        case Tensor(), External(qualname) if _names_tensor(qualname):
            return True if atom.made else None  # what is not known to be made by torch may be a structure of tensors
        case Tensor(), External(qualname) if qualname in _NO_TENSORS and atom.made:
            return False
        case ((Const() | Tuple() | Number()), External(qualname)) if qualname in _COLLECTIONS:
            return False
        case Tensor(), ClassRef() if atom.made and is_no_tensor(interp, wanted):
            return False
        case ((Const() | Tuple()), External(qualname)):
            return False if qualname.startswith("torch.") else None
        case ((Const() | Tuple()), ClassRef()):
            return False
    return None


def is_no_tensor(interp: Interpreter, wanted: Atom) -> bool:
    """Whether what is of a class is known to be no tensor: the class is the program's own, and does not derive from torch's."""
    if not isinstance(wanted, ClassRef) or classes.has_unlisted_base(interp, wanted):
        return False
    return not any(_names_tensor(base) for base in classes.external_bases(interp, wanted))


def _names_tensor(qualname: str) -> bool:
    return qualname.startswith("torch.") and qualname.endswith("Tensor")


def _of_object(interp: Interpreter, obj: Obj, wanted: Atom) -> bool | None:
    match wanted:
        case External(qualname) if qualname in _PLAIN:
            return _is_plain(obj, qualname)
        case External(qualname) if qualname in MODULE_CLASSES and isinstance(obj, Module):
            return True
        case External(qualname) if isinstance(obj, Container) and qualname.startswith("torch."):
            return False
        case External(qualname) if obj.cls is None:
            return _is_of_library(obj, qualname)
        case External(qualname) if obj.cls is not None:
            derives = _derives_from(interp, obj.cls, qualname)
            return derives or (None if obj.symbolic else derives)
        case ClassRef(cls) if obj.cls is not None:
            if any(each.cls is cls for each in classes.mro(interp, obj.cls)):
                return True
            return None if obj.symbolic or classes.has_unlisted_base(interp, obj.cls) else False
        case ClassRef():
            return False if isinstance(obj, Container) or (obj.qualname and not obj.symbolic) else None
    return None


def _is_plain(obj: Obj, qualname: str) -> bool | None:
    """Whether an object is of a builtin class of containers, texts or numbers."""
    kind = qualname.removeprefix("builtins.")
    if isinstance(obj, _OF_A_LOOP):
        return False
    if obj.symbolic or obj.cls is not None:
        return None
    if isinstance(obj, Dict):
        return kind == "dict"
    if isinstance(obj, List):
        if kind == "list" and isinstance(obj.node, cst.List | cst.ListComp):
            return True
        return None if kind in ("list", "tuple", "set", "frozenset") else False
    return None


def _is_of_library(obj: Obj, qualname: str) -> bool | None:
    """Whether what a library has built is of a class of it; what is no base class of others can tell objects apart by its name."""
    if obj.symbolic or not obj.qualname:
        return None
    if obj.qualname == qualname:
        return True
    return False if qualname in SEALED else None


def _derives_from(interp: Interpreter, cls: ClassRef, qualname: str) -> bool | None:
    """Whether a class of the project derives from one of a library."""
    bases = set(classes.external_bases(interp, cls))
    if qualname in bases:
        return True
    known = bases <= BARE_MODULES | {"builtins.object"} and not classes.has_unlisted_base(interp, cls)
    return False if known and not qualname.startswith(_STRUCTURAL) else None
