"""Objects that come from outside the analysed code, by the roles that their use tells: what is used itself, and what holds in attributes or entries what is used."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.objects import KINDS, AnyObj, Instance, Module, Obj, Optimizer
from looplint.domain.values import COMPUTED, UNKNOWN, ClassRef, Ref, Tensor, Value, ref, refs
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.roles import infer_role, proves_itself
from looplint.interpreter.usage import Uses
from looplint.knowledge import naming
from looplint.regex import regex
from looplint.syntax import ir

# The roles that the objects of a loop have, and those of them that a module may keep beside its parts.
OF_A_LOOP = frozenset({"module", "optimizer", "scheduler", "scaler", "accelerator", "engine"})
BESIDE_PARTS = frozenset({"optimizer", "scheduler", "scaler"})
# How deep objects may stand in others of which nothing is known but what they hold: `agents[0].policy.optimizer`.
_DEEPEST = 3
# How what a wrapper keeps the model under begins a path.
_THROUGH_WRAPPER = ".module."
_FIRST_PART = regex(r"\.\w+|\[[^\[\]]*\]")


def symbolic(interp: Interpreter, name: str, usage: ir.Usage, annotation: str, key: object) -> Value:
    """An object from outside the analysed code, by its role; unknown where no role can be inferred."""
    role = infer_role(name, usage, annotation)
    return _of_role(interp, role, name, key) if role is not None else UNKNOWN


def _of_role(interp: Interpreter, role: str, name: str, key: object) -> Value:
    if role == "tensor":
        return frozenset({Tensor(graph="maybe", made=COMPUTED)})
    obj = of_kind(interp, KINDS[role], name, key)
    if obj.node is None:
        obj.source = interp.frame.module
        obj.node = interp.frame.function.node
    return ref(obj)


def of_kind(interp: Interpreter, kind: type[AnyObj], name: str, key: object, cls: ClassRef | None = None) -> AnyObj:
    obj = interp.known(kind, ("symbol", key), name, cls)
    obj.symbolic = True
    return obj


def holder(interp: Interpreter, name: str, found: Uses, key: object) -> Value:
    """An object of which nothing is known but that it holds objects of the loop: `trainer.optimizer.step()`, `optimizers["g"].step()`."""
    if not any(True for _ in _roles(name, found, _DEEPEST)):
        return UNKNOWN
    obj = of_kind(interp, Instance, name, key)
    fill(interp, obj, found, OF_A_LOOP)
    return ref(obj)


def fill(interp: Interpreter, obj: Obj, found: Uses, roles: frozenset[str], depth: int = _DEEPEST) -> None:
    """Give an object the attributes and entries that the code uses as objects of a loop."""
    parts = _parts(_of_wrapped(found) if isinstance(obj, Module) else found)
    for part, inner in parts.items():
        if part.startswith("."):
            _fill_attribute(interp, obj, part[1:], inner, roles, depth)
    if obj.kind == "instance" and obj.cls is None:
        _fill_entries(interp, obj, {part[1:-1]: inner for part, inner in parts.items() if part.startswith("[")}, depth)


def _of_wrapped(found: Uses) -> Uses:
    """The use of what a model holds, where some of it is reached through a wrapper around the model: `model.module.optimizer.step()`."""
    if not any(suffix.startswith(_THROUGH_WRAPPER) for suffix in found):
        return found
    inner: Uses = {}
    for suffix, usage in found.items():
        held = suffix
        while held.startswith(_THROUGH_WRAPPER):
            held = held.removeprefix(".module")
        inner.setdefault(held, ir.Usage()).add(usage)
    return inner


def _fill_attribute(interp: Interpreter, obj: Obj, attr: str, found: Uses, roles: frozenset[str], depth: int) -> None:
    if attr in obj.heap or (obj.cls is not None and classes.find_member(interp, obj.cls, attr) is not None):
        return
    usage, key = found.get("", ir.Usage()), (obj.key, attr)
    annotation = ir.render(annotation_of(interp, obj.cls, attr))
    role = infer_role(attr, usage, annotation)
    if role in roles:
        obj.heap[attr] = _of_role(interp, role, attr, key)
        for model in refs(obj.heap[attr], Module):
            keep_optimizer(interp, model, found)
    elif role is None and obj.cls is None and obj.kind == "instance" and any(True for _ in _roles(attr, found, depth - 1)):
        obj.heap[attr] = ref(_holder_in(interp, attr, found, key, depth - 1))
    else:
        return
    _note_number(obj, obj.heap[attr])


def _holder_in(interp: Interpreter, name: str, found: Uses, key: object, depth: int) -> Obj:
    inner = of_kind(interp, Instance, name, key)
    fill(interp, inner, found, OF_A_LOOP, depth)
    return inner


def _fill_entries(interp: Interpreter, obj: Obj, found: dict[str, Uses], depth: int) -> None:
    """Give a container its entries: one object for all of them where the code goes over them, else one for each key."""
    varies = [each for key, each in found.items() if key in ("", "*") and any(True for _ in _roles_of_entry(obj.name, key, each, depth))]
    if varies:
        together: Uses = {}
        for each in found.values():
            for suffix, usage in each.items():
                together.setdefault(suffix, ir.Usage()).add(usage)
        value = _entry(interp, obj, "", together, depth)
        for atom in value:
            if isinstance(atom, Ref):
                atom.obj.many = True
                for inner in interp.reachable([ref(atom.obj)]):
                    inner.many = True
        if value:
            obj.heap["[]"] = value
            if found.get("*") in varies:
                obj.heap["[*]"] = value
        return
    for key, each in found.items():
        if key not in ("", "*") and (value := _entry(interp, obj, key, each, depth)):
            obj.heap[f"={key}"] = value
            _note_number(obj, value)


def _entry(interp: Interpreter, obj: Obj, key: str, found: Uses, depth: int) -> Value:
    """What an entry of a container is; nothing where its use does not tell."""
    roles = list(_roles_of_entry(obj.name, key, found, depth))
    if not roles:
        return frozenset()
    name = f"{obj.name}_{key}" if key else obj.name
    if roles[0] is not None:
        value = _of_role(interp, roles[0], name, (obj.key, "entry", key))
        for model in refs(value, Module):
            model.foreign = True
            keep_optimizer(interp, model, found)
        return value
    return ref(_holder_in(interp, name, found, (obj.key, "entry", key), depth - 1))


def _note_number(holder: Obj, value: Value) -> None:
    """What one of several holds is one of several itself."""
    for atom in value:
        if isinstance(atom, Ref):
            atom.obj.many = atom.obj.many or holder.many


def _roles(name: str, found: Uses, depth: int) -> Iterator[str | None]:
    """The roles of what an object holds in its attributes and entries, as its use tells; None for what holds such objects itself."""
    for part, inner in _parts(found).items():
        if part.startswith("."):
            role = infer_role(part[1:], inner.get("", ir.Usage()), "")
            if role in OF_A_LOOP:
                yield role
            elif role is None and depth > 1 and any(True for _ in _roles(part[1:], inner, depth - 1)):
                yield None
        else:
            yield from _roles_of_entry(name, part[1:-1], inner, depth)


def _roles_of_entry(name: str, key: str, found: Uses, depth: int) -> Iterator[str | None]:
    """The role of an entry of a container, as its use tells, and nothing where that is not enough; None for what holds objects of a loop itself."""
    usage = found.get("", ir.Usage())
    named = key.isidentifier()
    role = infer_role(key, usage, "") if named else None
    if role is None and usage.methods and (not named or "state" not in name.lower()):
        role = infer_role(name, usage, "")
        if role == "optimizer" and not naming.are_optimizers(name) and "zero_grad" not in usage.methods:
            role = None
    # Models that a loop goes over are told where it begins (`unseen_elements`).
    if role in BESIDE_PARTS or (role == "module" and key != "*" and proves_itself(role, usage)):
        yield role
    elif role is None and depth > 1 and any(True for _ in _roles(key if named else name, found, depth - 1)):
        yield None


def _parts(found: Uses) -> dict[str, Uses]:
    """The use of what an object holds, by the attribute or the key that leads to it."""
    parts: dict[str, Uses] = {}
    for suffix, usage in found.items():
        first = _FIRST_PART.match(suffix)
        if first is not None:
            parts.setdefault(first[0], {})[suffix[first.end() :]] = usage
    return parts


def annotation_of(interp: Interpreter, cls: ClassRef | None, name: str) -> ir.Expr | None:
    """What the body of a class says that an attribute is."""
    fields = (each.cls.fields.get(name) for each in (classes.mro(interp, cls) if cls is not None else ()))
    return next((field.annotation for field in fields if field is not None), None)


def keep_optimizer(interp: Interpreter, model: Module, found: Uses) -> None:
    """Give a model the optimizer that the code uses as an attribute of it, and which holds its parameters: `self.policy.optimizer.step()`."""
    before = set(model.heap)
    fill(interp, model, found, frozenset({"optimizer"}))
    for name in model.heap.keys() - before:
        for atom in model.heap[name]:
            if isinstance(atom, Ref) and isinstance(atom.obj, Optimizer):
                atom.obj.holds = frozenset({model})
