"""What a test tells of the names in it: on each side they hold what agrees with the outcome."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Dict
from looplint.domain.tags import Mark, went_backward
from looplint.domain.values import COMPUTED, UNKNOWN, Atom, Const, External, Number, Ref, Tensor, Unknown, Value, exact_items
from looplint.interpreter import instances, objects
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.implication import Implications

# No tensor is of one of these.
_NUMERIC = frozenset({f"builtins.{name}" for name in ("int", "float", "bool", "complex")})
_PLAIN = _NUMERIC | {f"builtins.{name}" for name in ("str", "bytes")} | {"numpy.ndarray", "numpy.generic"}


def narrow(interp: Interpreter, test: ir.Expr, held: bool) -> None:
    """A test for None, or for a class, tells what the name is on each side; that of what switches gradients on tells whether they are."""
    if interp.grad is None and interp.enabled_by is not None:
        frame, enabling = interp.enabled_by
        interp.grad = Implications([(test, held)]).outcome(enabling) if frame is interp.frame else None
    test, held = ir.affirmed(test, held)
    if isinstance(test, ir.BoolOp):
        if (test.op == "and") == held:
            narrow(interp, test.left, held)
            narrow(interp, test.right, held)
        else:
            _narrow_to_either(interp, test, held)
        return
    if isinstance(test, ir.Call):
        _by_class(interp, test, held)
        return
    if isinstance(test, ir.Compare) and _by_type(interp, test, held):
        return
    is_none = False
    if (
        isinstance(test, ir.Compare)
        and test.ops in (["is"], ["is not"])
        and isinstance(test.rights[0], ir.Const)
        and test.rights[0].value is None
    ):
        is_none = (test.ops == ["is"]) == held
        test = test.left
    elif held:
        is_none = False
    else:
        return
    if isinstance(test, ir.Name) and test.id in interp.frame.locals:
        value = interp.frame.locals[test.id]
        nones = frozenset(a for a in value if isinstance(a, Const) and a.value is None)
        kept = nones if is_none else value - nones
        if kept:
            interp.frame.locals[test.id] = kept


def _narrow_to_either(interp: Interpreter, test: ir.BoolOp, held: bool) -> None:
    """One side of `or` has held, or one of `and` has not: a name is what either tells of it."""
    before, grad = interp.frame.locals, interp.grad
    found = []
    for side in (test.left, test.right):
        interp.frame.locals = dict(before)
        narrow(interp, side, held)
        found.append(interp.frame.locals)
    interp.frame.locals, interp.grad = before, grad
    left, right = found
    before.update({name: left[name] | right[name] for name in before})


def _by_class(interp: Interpreter, test: ir.Call, held: bool) -> None:
    """`isinstance(name, classes)`: what is a number is no tensor, and the other way round; of `entry["loss"]`, what the dict can be that holds it."""
    asked = instances.asked_by(interp, test)
    if asked is not None:
        _kept(interp, *asked, held)


def _by_type(interp: Interpreter, test: ir.Compare, held: bool) -> bool:
    """`type(name) == cls`, and what it tells; False for another comparison. What is of another type may be of a subclass: that of a tensor is known otherwise."""
    asked = instances.type_asked_by(test)
    if asked is None:
        return False
    tested, cls, holds = asked
    held, given = held == holds, evaluate(interp, cls)
    if held or all(isinstance(a, External) and a.qualname == "torch.Tensor" for a in given):
        _kept(interp, tested, given, held)
    return True


def _kept(interp: Interpreter, tested: ir.Expr, given: Value, held: bool) -> None:
    """Keep of what was tested what is of some classes, or what is not."""
    match tested:
        case ir.Name(id=name) if name in interp.frame.locals:
            interp.frame.locals[name] = _of_class(interp, interp.frame.locals[name], given, held)
        case ir.Subscript(value=ir.Name(id=name), index=ir.Const(value=str(key))) if name in interp.frame.locals:
            interp.frame.locals[name] = frozenset(_holding(interp, a, key, given, held) for a in interp.frame.locals[name])


def _of_class(interp: Interpreter, value: Value, given: Value, held: bool) -> Value:
    """What a value can be where a test of its class came out as `held`."""
    items = exact_items(given)
    tested = frozenset().union(*items) if items is not None else given
    wanted = {a.qualname if isinstance(a, External) else "" for a in tested}
    value = instances.those_that_are(interp, value, given, held)
    if held and wanted and wanted <= _PLAIN:
        kept = frozenset(a for a in value if not isinstance(a, Tensor) or (Mark.HOST in a.tags and not wanted <= _NUMERIC))
        return kept or (frozenset({Number()}) if wanted <= _NUMERIC else UNKNOWN)
    if wanted and all(name.startswith("torch.") and name.endswith("Tensor") for name in wanted):
        if held:
            return frozenset(_as_a_tensor(a) for a in value if not isinstance(a, Number | Const)) or value
        others = frozenset(_may_hold_none(a) for a in value if not _is_a_tensor(a))
        return others or frozenset({Number()})
    if held and tested and all(instances.is_no_tensor(interp, a) for a in tested):
        return frozenset(a for a in value if not isinstance(a, Tensor)) or UNKNOWN
    return value


def _holding(interp: Interpreter, atom: Atom, key: str, given: Value, held: bool) -> Atom:
    """What holds an entry, after a test of its class: where no tensor can stand there, nothing is known of the dict, and a structure may have no graph."""
    other: Atom
    match atom:
        case Ref(obj=Dict() as obj):
            entry, other = objects.item(interp, obj, Const(key, str)), Unknown()
        case Tensor():
            entry, other = frozenset({atom}), _may_hold_none(atom)
        case _:
            return atom
    left = _of_class(interp, entry, given, held)
    return other if any(isinstance(a, Tensor) for a in entry) and not any(isinstance(a, Tensor) for a in left) else atom


def _as_a_tensor(atom: Atom) -> Atom:
    match atom:
        case Tensor():
            return replace(atom, made=atom.made or COMPUTED)
        case Unknown():
            return Tensor(atom.deps, "maybe", made=COMPUTED)
        case _:
            return atom


def _is_a_tensor(atom: Atom) -> bool:
    """Whether a value is made by torch, or goes backward: any other may hold tensors and be none, or hold none."""
    return isinstance(atom, Tensor) and (bool(atom.made) or (atom.scalar and atom.graph == "yes") or went_backward(atom.tags))


def _may_hold_none(atom: Atom) -> Atom:
    return replace(atom, graph="maybe") if isinstance(atom, Tensor) and atom.graph == "yes" else atom
