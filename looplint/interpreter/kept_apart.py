"""Parameters that a function only keeps: what it builds beside them has no part of them."""

from __future__ import annotations

from looplint.syntax import ir

# The methods of a model that give no part of it away but to an optimizer.
_READING = frozenset({"parameters", "named_parameters", "state_dict", "to", "cuda", "cpu", "train", "eval"})


def only_keeps(function: ir.Function, name: str) -> bool:
    """Whether a function gives a parameter to an attribute, copies it or asks for its parameters, and nothing else.

    What the methods do that it calls on its own object, which then has it, is not looked at: then it may do more.
    """
    stmts = list(ir.statements(function.body))
    held = {name} | {
        p for s in stmts if isinstance(s, ir.Assign) and ir.path_of(s.value) == name for t in s.targets if (p := ir.path_of(t))
    }
    own = function.params[0].name if function.params else ""
    met = kept = 0
    for stmt in stmts:
        if any((ir.path_of(target) or "").startswith(tuple(f"{path}." for path in held)) for target in ir.targets(stmt)):
            return False
        kept += isinstance(stmt, ir.Assign) and ir.path_of(stmt.value) in held
        for part in (part for root in ir.expressions(stmt) for part in ir.walk(root)):
            met += ir.path_of(part) in held
            match part:
                case ir.Call(func=ir.Attr(value=ir.Name(id=caller))) if caller == own:
                    return False
                case ir.Call(func=ir.Attr(attr=method, value=owner)) if method in _READING and ir.path_of(owner) in held:
                    kept += 1
                case ir.Call(func=func, args=[arg]) if (ir.path_of(func) or "").endswith("deepcopy") and ir.path_of(arg.value) in held:
                    kept += 1
    return met == kept
