"""Types of floating-point numbers, as the text of a program names them."""

from __future__ import annotations

from looplint.domain.values import Const, External, Value
from looplint.regex import regex
from looplint.syntax import ir

# The methods of modules that convert their parameters.
BY_METHOD = {"half": "float16", "float": "float32", "double": "float64", "bfloat16": "bfloat16"}
_NAMES = {"half": "float16", "float": "float32", "double": "float64"}
_DEVICE = regex(r"(?i)device|^(gpu|rank|local_rank|cuda)(_?id)?$")
_FLOATING = frozenset({"float16", "float32", "float64", "bfloat16"})


def name_of(value: Value) -> str | None:
    """The type that a value is or names ("float16"); "" where it is none, such as a device, None where it may be one."""
    found = {_name(atom) for atom in value}
    return found.pop() if len(found) == 1 else None


def is_named_device(expr: ir.Expr) -> bool:
    """Whether an expression is a name that says that it is a device."""
    return bool(_DEVICE.search((ir.path_of(expr) or "").rpartition(".")[2]))


def _name(atom: object) -> str | None:
    match atom:
        case External(qualname=qualname) if qualname.startswith("torch."):
            leaf = qualname.rpartition(".")[2]
            leaf = _NAMES.get(leaf, leaf)
            return leaf if leaf in _FLOATING else "" if leaf.startswith("device") else None
        case Const(value=str() as text):
            return _NAMES.get(text, text) if _NAMES.get(text, text) in _FLOATING else ""
        case Const():
            return ""
    return None
