"""What an assignment does: names, attributes and items get values, parts of modules are added or replaced."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import Container, Dict, Instance, List, Module, Obj, Optimizer, Scaler, Scheduler, StateDict, TorchModule
from looplint.domain.tags import Mark, Summed
from looplint.domain.tensors import is_array, tensors_in
from looplint.domain.values import (
    NONE,
    NOTHING,
    Arguments,
    Atom,
    Const,
    External,
    ModuleRef,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    constant_of,
    exact_items,
    join,
    join_tensors,
    refs,
    tensor_of,
)  # fmt: skip
from looplint.interpreter import (
    absent,
    choices,
    classes,
    conditions,
    data_fields,
    gradient_uses,
    handed_out,
    hooks,
    iterators,
    objects,
    options_given,
    outside,
    shared,
)
from looplint.interpreter.elements import element_of, last_of, note_last
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import TRACKED, Interpreter
from looplint.interpreter.operators import binary
from looplint.knowledge.frameworks import LIBRARIES
from looplint.knowledge.lookup import setting
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.syntax import ir


def run_assign(interp: Interpreter, stmt: ir.Assign) -> None:
    with gradient_uses.of_assigned(interp.gradients, stmt, interp.frame.function):
        value = evaluate(interp, stmt.value)
    summed = _accumulates(interp, stmt, value)
    if summed is not None:
        assign(interp, stmt.targets[0], summed, ir.AugAssign(stmt.node, stmt.targets[0], "+", stmt.value))
        return
    value = iterators.kept(interp, stmt, _extends(interp, stmt, value))
    if id(stmt) in interp.evidence.of_better and len(modules := refs(value, Module)) == len(value) == 1:
        hooks.set_aside.run(interp, modules[0], stmt)
    for target in stmt.targets:
        assign(interp, target, value, stmt)
        if isinstance(target, ir.Attr) and isinstance(stmt.value, ir.Call):
            hooks.result_kept.run(interp, target, stmt.value, value)
    match stmt:
        case ir.Assign(targets=[ir.Name(id=name)], value=ir.Compare() | ir.BoolOp() | ir.Unary(op="not") as test):
            interp.frame.tests[name] = test
        case ir.Assign(targets=[ir.Name(id=name)], value=ir.Call() | ir.Attr() as call) if name in interp.frame.function.tested:
            condition = conditions.spelled_out(interp, call)
            if condition is not None:
                interp.frame.tests[name] = condition
            else:
                interp.frame.tests.pop(name, None)
        case ir.Assign(targets=[ir.Name(id=name)]):
            interp.frame.tests.pop(name, None)


def assign(interp: Interpreter, target: ir.Expr, value: Value, stmt: ir.Stmt | None = None) -> None:
    hooks.assigned.run(target, value)
    if isinstance(stmt, ir.Assign) and isinstance(target, ir.Name | ir.Attr):
        value = outside.result(interp, target, value, stmt)
    match target:
        case ir.Name():
            bind_name(interp, target.id, value)
            hooks.named.run(interp, target, value)
            if not isinstance(stmt, ir.AugAssign):
                interp.note_name(target.id, stmt.value if isinstance(stmt, ir.Assign) else None)
            if isinstance(stmt, ir.Assign) and target.id in interp.frame.locals:
                shared.note_taken(interp, interp.frame, target.id, value, stmt.value)
            if not isinstance(stmt, ir.Assign) or ir.path_of(stmt.value) != "self":  # what a method calls itself is no name for its callers
                for atom in value:
                    if isinstance(atom, Ref) and not atom.obj.name and not (interp.comprehensions and isinstance(atom.obj, StateDict)):
                        atom.obj.name = target.id
        case ir.Attr():
            _assign_attribute(interp, target, value, stmt)
            if not isinstance(stmt, ir.AugAssign) and not interp.guarded():
                interp.note_birth(target)
        case ir.Subscript():
            if isinstance(target.value, ir.Attr) and target.value.attr == "_parameters":
                interp.flags.replaces_parameters = True
            match target, stmt:
                case ir.Subscript(value=ir.Name(id=name) | ir.Attr(attr=name), index=ir.Const(value=str(key))), ir.Assign():
                    value = outside.entry(interp, name, key, value, stmt.value)
                case _, ir.Assign():
                    value = outside.entry_of_any(interp, target, value, stmt.value)
            _assign_item(interp, target, value, stmt)
        case ir.Display():
            if not absent.does_not_fit(interp, value, target.items, stmt):
                _unpack(interp, target.items, value, stmt)
        case ir.Star():
            assign(interp, target.value, value)


def bind_name(interp: Interpreter, name: str, value: Value) -> None:
    declared = interp.frame.function.declared.get(name)
    if declared == "global" and interp.frame.module.frame is not None:
        _weak_write(interp, interp.frame.module.frame, name, value)
        return
    if declared == "nonlocal":
        here = interp.frame.closure
        while here is not None:
            if name in here.locals:
                _weak_write(interp, here, name, value)
                return
            here = here.closure
    interp.frame.locals[name] = value
    interp.forget(name)


def _weak_write(interp: Interpreter, frame: Frame, name: str, value: Value) -> None:
    interp.assigned += 1  # on this path only
    if name in frame.shared:
        shared.forget(interp, frame, name)
    old = frame.locals.get(name)
    frame.locals[name] = value if old is None or old == NONE else join(old, value)


def _assign_attribute(interp: Interpreter, target: ir.Attr, value: Value, stmt: ir.Stmt | None) -> None:
    with gradient_uses.of_target(interp.gradients, target.value):
        base = evaluate(interp, target.value)
    path = ir.path_of(target)
    if path:
        interp.forget(path)
    _note_given_away(interp, base, value)
    if target.attr not in TENSOR_MEMBERS and any(isinstance(a, Tensor | Unknown) for a in base):
        _keep_graphs(interp, target.value, value)
    for atom in base:
        match atom:
            case Params() | Tensor() | Unknown() if gradient_uses.gives_another_form(target, stmt, interp.frame.function):
                hooks.gradient_rewritten.run(interp, atom)
            case Params() | Tensor() | Unknown():
                hooks.attribute_assigned.run(interp, atom, target, value)
            case Ref() if setter := classes.setter(interp, atom.obj, target.attr, value):
                interp.call_function(setter, Arguments([value]), ir.Name(target.node, target.attr))
            case Ref() if isinstance(atom.obj, TorchModule):
                hooks.part_assigned.run(interp, atom.obj, target, choices.replacing(interp, atom.obj, target, value))
                interp.drop_constant(atom.obj, objects.LAST_OUTPUT)
                if len(base) == 1:
                    _note_tensor(interp, atom.obj, target.attr, value)
                    _note_filled(interp, atom.obj, target.attr, value)
            case Ref():
                given = choices.replacing(interp, atom.obj, target, value)
                objects.set_attribute(interp, atom.obj, target, given)
                if len(base) == 1 and isinstance(atom.obj, Instance):
                    _note_constant(interp, atom.obj, target.attr, value)
                    _note_tensor(interp, atom.obj, target.attr, value)
                    _note_replaced(interp, atom.obj, target.attr, given)
                    _note_filled(interp, atom.obj, target.attr, value)
                    if isinstance(stmt, ir.Assign):
                        shared.note_given(interp, atom.obj, target.attr, given, stmt.value)
            case ModuleRef() if atom.module.frame is not None:
                _weak_write(interp, atom.module.frame, target.attr, value)
            case External() if switch := setting(f"{atom.qualname}.{target.attr}"):
                hooks.setting_assigned.run(interp, target, switch, value)
            case External(qualname) if qualname.partition(".")[0] not in LIBRARIES:
                objects.give_attribute(interp, qualname, target.attr, value)


def _note_given_away(interp: Interpreter, base: Value, value: Value) -> None:
    """An object out of sight is given something: whoever has it may send that backward."""
    if any(isinstance(a, Unknown) for a in base):
        interp.uses.handed_on.update(*handed_out.graphs_in([value]))


def _keep_graphs(interp: Interpreter, owner: ir.Expr, value: Value) -> None:
    """What is written into data out of sight may be in whatever is read from that: `batch.state = encoder(batch.state)`, `action[0] = actor(state)`."""
    kept = [t for t in tensors_in([value]) if t.graph != "no"]
    if kept and isinstance(owner, ir.Name) and owner.id in interp.frame.locals:
        bind_name(interp, owner.id, join(interp.frame.locals[owner.id], frozenset({replace(join_tensors(kept), graph="maybe")})))


def _note_constant(interp: Interpreter, obj: Instance, name: str, value: Value) -> None:
    """An attribute is given a constant: it holds that on this path, whatever others give it."""
    known = constant_of(value)
    if isinstance(known, Const) and known.value is not None:
        interp.set_constant(obj, name, value)


def _note_tensor(interp: Interpreter, obj: Obj, name: str, value: Value) -> None:
    """An attribute is given what a model puts out: it holds that on this path until it is given something else, and not what another call has left there."""
    if value and not obj.many and all(isinstance(a, Tensor) and a.origins for a in value):
        interp.set_constant(obj, name, value)


def _note_replaced(interp: Interpreter, obj: Obj, name: str, value: Value) -> None:
    """An attribute is given an optimizer, a scheduler, a scaler, a container or models where it has held another: on this path it holds the new one alone."""
    one, models = refs(value, Optimizer, Scheduler, Scaler, Container), refs(value, Module)
    known = len(models) == len(value) or len(one) == len(value) == 1
    if value and known and not any(each.many for each in (obj, *one, *models)) and obj.heap.get(name) != value:
        interp.set_constant(obj, name, value)


def _note_filled(interp: Interpreter, obj: Obj, name: str, value: Value) -> None:
    """An attribute that is made when it is asked for first is given what it holds from there on: on this path it is no longer missing, or None."""
    new = refs(value, *TRACKED)
    filled = (value, value | NONE) if interp.frame.function.name != "__init__" else ()
    if len(new) == len(value) == 1 and not (obj.many or new[0].many) and obj.heap.get(name) in filled:
        interp.set_constant(obj, name, value)


def _assign_item(interp: Interpreter, target: ir.Subscript, value: Value, stmt: ir.Stmt | None) -> None:
    base = evaluate(interp, target.value)
    key = constant_of(evaluate(interp, target.index))
    if not (isinstance(stmt, ir.AugAssign) and _is_sum(value, stmt)):
        value = hooks.stored.run(interp, target.node, base, value, key)
    if key is not None and isinstance(key.value, str):
        _note_given_away(interp, base, value)
    if any(isinstance(a, Unknown) for a in base):
        _keep_graphs(interp, target.value, value)
    if any(isinstance(a, Tensor) for a in base):
        hooks.tensor_written.run(interp, target, base, value)
    for atom in base:
        if isinstance(atom, Ref):
            obj = atom.obj
            if isinstance(obj, Dict) and key is not None and isinstance(key.value, str):
                interp.write(obj, f"={key.value}", value)
                interp.write(obj, "[]", value)
            elif isinstance(obj, Container | Instance):
                if isinstance(obj, Container) and not (isinstance(obj, List) and _put_at(obj, key, value)):
                    if isinstance(obj, Dict):
                        obj.picks = interp.guarded() and (obj.picks or not obj.changed)
                    obj.changed = True
                    if isinstance(obj, List):
                        obj.items = None
                interp.write(obj, "[]", value)
                options_given.set_entry(interp, obj, key, value)
            elif isinstance(obj, StateDict):
                hooks.entry_assigned.run(interp, obj, target, stmt)
            elif isinstance(obj, Module):
                hooks.item_assigned.run(interp, obj, target, key, value)


def _put_at(obj: List, key: Const | None, value: Value) -> bool:
    """Put a value at a place of a list whose items are all known: it may be that, or what was there; False where they no longer are."""
    number = key.value if key is not None and type(key.value) is int else None
    if obj.items is None or obj.appended or number is None or not -len(obj.items) <= number < len(obj.items):
        return False
    place = number % len(obj.items)
    obj.items = tuple(join(item, value) if n == place else item for n, item in enumerate(obj.items))
    return True


def _is_sum(value: Value, stmt: ir.AugAssign) -> bool:
    """Whether a value is noted as the sum that a statement adds to: what it keeps, it keeps as a sum."""
    events = [tag.event for a in value if isinstance(a, Tensor) for tag in a.tags if isinstance(tag, Summed)]
    return any(node == id(stmt.node) for _, node, _ in events)


def _unpack(interp: Interpreter, targets: list[ir.Expr], value: Value, stmt: ir.Stmt | None) -> None:
    value = frozenset(_as_tuple(interp, a) for a in hooks.taken_apart.run(value, len(targets)))
    items = exact_items(value)
    starred = next((n for n, t in enumerate(targets) if isinstance(t, ir.Star)), None)
    if items is not None and starred is None and len(items) == len(targets):
        for target, item in zip(targets, items):
            assign(interp, target, item, stmt)
        return
    tuples = [a for a in value if isinstance(a, Tuple) and len(a.items) == len(targets)]
    # An array beside tuples is what another setting of the program gives: there is no telling its parts from theirs.
    if tuples and starred is None and all(isinstance(a, Tuple | Const | Unknown | Number) or _is_array(a) for a in value):
        unknown = frozenset(a for a in value if isinstance(a, Unknown))
        for number, target in enumerate(targets):
            joined: Value = hooks.unpacked.run(interp, unknown, number) if unknown else NOTHING
            for atom in tuples:
                joined = join(joined, atom.items[number])
            assign(interp, target, joined, stmt)
        return
    if starred is not None and items is not None and len(items) >= len(targets) - 1:
        after = len(targets) - starred - 1
        for target, item in zip(targets[:starred], items[:starred]):
            assign(interp, target, item, stmt)
        middle = items[starred : len(items) - after]
        assign(interp, targets[starred], frozenset({Tuple(tuple(middle))}))
        for target, item in zip(targets[starred + 1 :], items[len(items) - after :]):
            assign(interp, target, item, stmt)
        return
    element = element_of(interp, value)
    for number, target in enumerate(targets):
        part = frozenset(_part_of_loss(a, number) for a in element)
        assign(interp, target, hooks.unpacked.run(interp, part, number if starred is None else None), stmt)


def _as_tuple(interp: Interpreter, atom: Atom) -> Atom:
    """The items of an object that is a tuple by its class: `value, reward = network.infer(x)`."""
    items = data_fields.items_of(interp, atom.obj) if isinstance(atom, Ref) and isinstance(atom.obj, Instance) else None
    return Tuple(tuple(items)) if items is not None else atom


def _is_array(atom: Atom) -> bool:
    return isinstance(atom, Tensor) and is_array(atom)


def _part_of_loss(atom: Atom, number: int) -> Atom:
    """What a loss function returns may hold the loss, which then comes first, beside what is detached, as a rule: of its parts only so much is known."""
    if isinstance(atom, Tensor) and Mark.LOSS in atom.tags:
        return replace(atom, graph="maybe" if atom.graph == "yes" else atom.graph, tags=atom.tags - {Mark.LOSS} if number else atom.tags)
    return atom


def run_aug_assign(interp: Interpreter, stmt: ir.AugAssign) -> None:
    with gradient_uses.of_target(interp.gradients, stmt.target):
        old = evaluate(interp, stmt.target)
    value = evaluate(interp, stmt.value)
    gradients = [atom for atom in old if isinstance(atom, Params) and atom.grad]
    for atom in gradients:
        hooks.gradient_changed.run(interp, atom, stmt)
    if gradients:
        return  # changed in place: no other gradient replaces it
    if any(obj.cls is not None for obj in refs(old, Instance)):
        return  # what an object of the program makes of it is its own affair: `meter += loss`
    result = binary(interp, stmt.op, old, value, stmt)
    if stmt.op in ("+", "-"):
        result = hooks.accumulated.run(interp, stmt, stmt.target, old, value, result)
    lists = refs(old, List)
    if lists and stmt.op == "+":
        kept = hooks.stored.run(interp, stmt.node, old, element_of(interp, value), None)
        for obj in lists:
            obj.items = None
            note_last(interp, obj, last_of(value))
            interp.write(obj, "[]", kept)
        result = old
    assign(interp, stmt.target, result, stmt)


def _accumulates(interp: Interpreter, stmt: ir.Assign, value: Value) -> Value | None:
    """The value of `total = total + loss`, which is `total += loss`; None for any other assignment."""
    expr = _undivided(stmt.value)
    if not (isinstance(expr, ir.Binary) and expr.op == "+" and len(stmt.targets) == 1):
        return None
    if not _is_place(stmt.targets[0]) or tensor_of(value) is None:
        return None
    place = ir.render(stmt.targets[0])
    for side, other in ((expr.left, expr.right), (expr.right, expr.left)):
        if _is_part_of(side, place):
            with interp.looking():
                old, added = evaluate(interp, side), evaluate(interp, other)
            return hooks.accumulated.run(interp, stmt, stmt.targets[0], old, added, value)
    return None


def averages(stmt: ir.Assign | ir.AugAssign) -> bool:
    """Whether a statement that adds to a place counts what stood there by a factor, or divides the sum: `mean = 0.9 * mean + 0.1 * loss`."""
    if isinstance(stmt, ir.AugAssign):
        return False
    place = ir.render(stmt.targets[0])
    return not (isinstance(stmt.value, ir.Binary) and place in (ir.render(stmt.value.left), ir.render(stmt.value.right)))


def _undivided(expr: ir.Expr) -> ir.Expr:
    while isinstance(expr, ir.Binary) and expr.op == "/":
        expr = expr.left
    return expr


def _is_part_of(side: ir.Expr, place: str) -> bool:
    """Whether a term is what stands at a place, or that times or by something."""
    if isinstance(side, ir.Binary) and side.op in ("*", "/"):
        return _is_part_of(side.left, place) or (side.op == "*" and _is_part_of(side.right, place))
    return ir.render(side) == place


def _is_place(target: ir.Expr) -> bool:
    """Whether an expression stands for the same place each time: `total`, `self.total`, `stats["loss"]`, `stats[phase]`."""
    if isinstance(target, ir.Subscript):
        return ir.path_of(target.value) is not None and isinstance(target.index, ir.Const | ir.Name)
    return ir.path_of(target) is not None


def _extends(interp: Interpreter, stmt: ir.Assign, value: Value) -> Value:
    """`losses = losses + [loss]`, `losses = [*losses, loss]`: a longer list takes the place of the list that was made before the loop."""
    if not interp.loops or len(stmt.targets) != 1 or not isinstance(stmt.value, ir.Binary | ir.Display) or not _is_place(stmt.targets[0]):
        return value
    place = ir.render(stmt.targets[0])
    match stmt.value:
        case ir.Binary(op="+", left=former, right=more) if ir.render(former) == place:
            parts = [ir.Star(more.node, more)]
        case ir.Display(kind="list", items=[ir.Star(value=former), *parts]) if ir.render(former) == place:
            pass
        case _:
            return value
    with interp.looking():
        old = evaluate(interp, former)
        lists = [o for o in refs(old, List) if len(o.loops or ()) < len(interp.loops)]
        added = (
            [element_of(interp, evaluate(interp, p.value)) if isinstance(p, ir.Star) else evaluate(interp, p) for p in parts]
            if lists
            else []
        )
    if not lists or len(lists) < len(old):
        return value
    for each in added:
        kept = hooks.stored.run(interp, stmt.node, old, each, None)
        for obj in lists:
            obj.items = None
            obj.changed = True
            interp.write(obj, "[]", kept)
    return old
