"""What the code does with what a name holds: in the current function, under its other names, and in the functions that it is passed to."""

from __future__ import annotations

from looplint.dataclass import dataclass
from looplint.domain.objects import Obj
from looplint.domain.values import ClassRef, Func, ModuleRef, Value, ref
from looplint.interpreter import classes, imports
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

# The use of a value, of its attributes and of its entries: "" is the value itself, ".optimizer" an attribute of it, "[g]" an entry.
Uses = dict[str, ir.Usage]

# Through how many names and functions a value is followed in the text.
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Scope:
    """A function in which a name is used, and the class that it is a method of."""

    function: ir.Function
    module: ModuleInfo
    owner: ClassRef | None = None


def uses(interp: Interpreter, scope: Scope, path: str, depth: int = 0) -> Uses:
    """How the value of a dotted name is used.

    Args:
        scope: the function in which it has the name.
        path: the name, as "optimizer", "trainer.model" or "self.model".
        depth: how many names and functions it has come through.
    """
    head, attribute = ir.head_of(path), path.partition(".")[2]
    if head == "self" and attribute and scope.owner is not None:
        return _of_attribute(interp, scope.owner, attribute, depth)
    key = (scope.function, scope.owner.cls if scope.owner is not None else None, path)
    known = interp.evidence.usage.get(key)
    if known is None and depth <= _DEPTH:
        known = interp.evidence.usage[key] = {}
        for function in (scope.function, *_inside(interp, scope, head)):
            _gather(interp, Scope(function, scope.module, scope.owner), function.usage, path, known, depth)
    return known or {}


def uses_of_attribute(interp: Interpreter, obj: Obj, cls: ClassRef, name: str) -> Uses:
    """How an attribute of an object is used: by the methods of its class, and where it goes by another name in the function that runs."""
    frame = interp.frame
    found = uses(interp, Scope(frame.function, cls.module, cls), f"self.{name}")
    others = [each for each, held in frame.locals.items() if each != "self" and held == ref(obj)]
    if not others:
        return found
    together: Uses = {}
    for used in (found, *(uses(interp, Scope(frame.function, frame.module, frame.owner), f"{each}.{name}") for each in others)):
        merge(together, "", used)
    return together


def uses_everywhere(interp: Interpreter, module: ModuleInfo, name: str) -> Uses:
    """How a module's body uses a name, and the functions that do not bind it."""
    found: Uses = {}
    code = module.lowered()
    if code is None:
        return found
    for function in _users(interp, code, name):
        if function is code.top or name not in _bound(interp, function):
            _gather(interp, Scope(function, module, _owner(module, function)), function.usage, name, found, 0)
    return found


def _users(interp: Interpreter, code: ir.ModuleCode, name: str) -> list[ir.Function]:
    """The functions of a module that use a name."""
    if code.top not in interp.evidence.users:
        users = interp.evidence.users[code.top] = {}
        for function in code.functions:
            for head in dict.fromkeys(ir.head_of(path) for path in function.usage):
                users.setdefault(head, []).append(function)
    return interp.evidence.users[code.top].get(name, [])


def is_bound(interp: Interpreter, module: ModuleInfo, function: ir.Function, name: str) -> bool:
    """Whether a name gets a value somewhere in a function, in one around it, or in the module's body."""
    code = module.lowered()
    if code is None or name in _bound(interp, code.top) or any(f.declared.get(name) == "global" for f in code.functions):
        return True
    return any(name in _bound(interp, f) for f in code.functions if f is function or function.qualname.startswith(f"{f.qualname}."))


def _bound(interp: Interpreter, function: ir.Function) -> set[str]:
    if function not in interp.evidence.bound:
        interp.evidence.bound[function] = ir.bound_names(function)
    return interp.evidence.bound[function]


def _inside(interp: Interpreter, scope: Scope, name: str) -> list[ir.Function]:
    """The functions inside a function that use a name of it."""
    code = scope.module.lowered()
    if code is None or scope.function is code.top:
        return []
    prefix = f"{scope.function.qualname}."
    return [f for f in _users(interp, code, name) if f.qualname.startswith(prefix) and all(p.name != name for p in f.params)]


def _of_attribute(interp: Interpreter, owner: ClassRef, attribute: str, depth: int) -> Uses:
    """How the methods of a class and of its bases use an attribute of their object."""
    key = (owner.cls, attribute)
    known = interp.evidence.usage.get(key)
    if known is None and depth <= _DEPTH:
        known = interp.evidence.usage[key] = {}
        for each in classes.mro(interp, owner):
            for function in each.cls.methods.values():
                _follow_names(interp, Scope(function, each.module, owner), f"self.{attribute}", known, depth)
                for path in _given_by(function):
                    suffix = _suffix(path, f"self.{attribute}")
                    if suffix is not None:
                        merge(known, suffix, uses(interp, Scope(function, each.module, owner), f"self.{function.name}", depth + 1))
            for function in [*each.cls.methods.values()][:1]:
                _gather_own(interp, Scope(function, each.module, owner), each.cls.usage, attribute, known, depth)
    return known or {}


def _given_by(function: ir.Function) -> list[str]:
    """What a property gives, where that has a name: `return self._model`, or a part of it."""
    if not ir.is_property(function):
        return []
    returns = (stmt for stmt in ir.statements(function.body) if isinstance(stmt, ir.Return) and stmt.value is not None)
    return [path for stmt in returns if stmt.value is not None and (path := ir.path_of(stmt.value)) is not None]


def _gather(interp: Interpreter, scope: Scope, usage: dict[str, ir.Usage], path: str, into: Uses, depth: int) -> None:
    _gather_own(interp, scope, usage, path, into, depth)
    _follow_names(interp, scope, path, into, depth)


def _gather_own(interp: Interpreter, scope: Scope, usage: dict[str, ir.Usage], path: str, into: Uses, depth: int) -> None:
    for name, found in usage.items():
        suffix = _suffix(name, path)
        if suffix is None:
            continue
        into.setdefault(suffix, ir.Usage()).add(found)
        for callee, position in found.passed:
            _hand_over(interp, scope, callee, position, suffix, into, depth)
        for callee, keyword in found.named:
            _hand_over(interp, scope, callee, keyword, suffix, into, depth)


def _methods_of(interp: Interpreter, scope: Scope, path: str, depth: int) -> frozenset[str]:
    """The methods that are called under a dotted name: in the function, of an attribute in its class, or of an entry that it is given."""
    own = scope.function.usage.get(path)
    methods = own.methods if own is not None else frozenset()
    for place in _entries_given(scope.function).get(path, ()):
        kept = uses(interp, scope, place, depth + 1).get("")
        methods |= kept.methods if kept is not None else frozenset()
    if path.startswith("self.") and scope.owner is not None:
        kept = uses(interp, scope, path, depth + 1).get("")
        return methods | (kept.methods if kept is not None else frozenset())
    return methods


@ir.kept_with_code
def _entries_given(function: ir.Function) -> dict[str, list[str]]:
    """The entries that a function gives what its names hold, by the name: `self.models[key] = model`."""
    found: dict[str, list[str]] = {}
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Subscript() as target], value=ir.Name(id=name)) if (place := ir.place_of(target)) is not None:
                found.setdefault(name, []).append(place)
    return found


def _follow_names(interp: Interpreter, scope: Scope, path: str, into: Uses, depth: int) -> None:
    """What is done with a value under its other names, and with what its calls give under the names that this gets."""
    for source, target in scope.function.aliases:
        suffix = _suffix(source, path)
        if suffix is not None and target != path:
            merge(into, suffix, uses(interp, scope, target, depth + 1))
    for source, target in scope.function.made:
        suffix = _suffix(source, path)
        if suffix is not None and target != path:
            into.setdefault(suffix, ir.Usage()).given_methods |= _methods_of(interp, scope, target, depth)


def _suffix(name: str, path: str) -> str | None:
    """What follows a dotted name in another one; None where that is not one of its attributes or entries."""
    if name == path:
        return ""
    return name[len(path) :] if name.startswith((f"{path}.", f"{path}[")) else None


def merge(into: Uses, suffix: str, found: Uses) -> None:
    """Add how something is used to how what it is a part of is used, under a suffix."""
    for further, usage in list(found.items()):  # a function that passes its argument on to itself extends the iteration
        into.setdefault(suffix + further, ir.Usage()).add(usage)


def _hand_over(interp: Interpreter, scope: Scope, callee: str, place: int | str, suffix: str, into: Uses, depth: int) -> None:
    """The value becomes a parameter of a function of the project."""
    if depth >= _DEPTH:
        return
    # A function that a name stands for: `run = self.run_nodes if nodes else self.run_graphs`, and `run(model, optimizer)`.
    named = [source for source, target in scope.function.aliases if target == callee]
    of_self = all(name.startswith(("self.", ir.SUPER)) for name in named or (callee,))
    for func in (each for name in (callee, *named) for each in _functions(interp, scope, name)):
        param = _parameter(func, place)
        if param is not None:
            # The object whose method calls another one of it may be of a class derived from the one that defines that.
            owner = scope.owner if func.owner is not None and of_self else func.owner
            merge(into, suffix, uses(interp, Scope(func.function, func.module, owner), param.name, depth + 1))
            for path in _kept_in_result(scope, callee, func, param):
                merge(into, suffix, uses(interp, scope, path, depth + 1))
            if param.annotation is not None:
                into.setdefault(suffix, ir.Usage()).annotations |= {ir.render(param.annotation)}


def _kept_in_result(scope: Scope, callee: str, func: Func, param: ir.Param) -> list[str]:
    """The names by which a caller knows what a constructor keeps: `self.state.model`, after `self.state = State(model)`."""
    if func.function.name != "__init__":
        return []
    attributes = [
        target.removeprefix("self.") for source, target in func.function.aliases if source == param.name and target.startswith("self.")
    ]
    return [f"{made}.{attribute}" for called, made in scope.function.made if called == callee for attribute in attributes]


def _parameter(func: Func, place: int | str) -> ir.Param | None:
    params = func.function.params
    if isinstance(place, str):
        return next((p for p in params if p.name == place and p.kind not in ("*", "**")), None)
    plain = [p for p in params if p.kind == "plain"][1 if func.owner is not None and not ir.is_static(func.function) else 0 :]
    return plain[place] if place < len(plain) else None


def _functions(interp: Interpreter, scope: Scope, callee: str) -> list[Func]:
    """The functions of the project that a dotted name calls, as the text tells; for a class, its constructor."""
    if callee.endswith("[]"):
        return [func for name in _in_table(scope, callee.removesuffix("[]")) for func in _functions(interp, scope, name)]
    head, _, rest = callee.partition(".")
    if head == "self" and scope.owner is not None:
        return _member(interp, scope.owner, rest)
    if head == ir.SUPER and scope.owner is not None:
        return _inherited(interp, scope, scope.owner, rest)
    code = scope.module.lowered()
    if not rest and code is not None:
        for qualname in (f"{scope.function.qualname}.{head}", head):
            inner = next((f for f in code.functions if f.qualname == qualname), None)
            if inner is not None:
                return [Func(inner, scope.module)]
        cls = next((c for c in code.classes if c.qualname == head), None)
        if cls is not None:
            return _member(interp, ClassRef(cls, scope.module), "__init__")
    return [
        func for atom in _imported(interp, scope, head, rest) for func in ([atom] if isinstance(atom, Func) else _constructor(interp, atom))
    ]


def _in_table(scope: Scope, name: str) -> list[str]:
    """The dotted names of what stands in a dict or a list of a name, where a function or the module's body writes it down: `{"a": train_a, "b": train_b}`."""
    code = scope.module.lowered()
    for function in (scope.function, *([code.top] if code is not None else [])):
        if (written := _tables(function).get(name)) is not None:
            return written
    return []


@ir.kept_with_code
def _tables(function: ir.Function) -> dict[str, list[str]]:
    """The dicts and lists that a function writes down, by their names: the dotted names that stand in them."""
    found: dict[str, list[str]] = {}
    for stmt in ir.statements(function.body):
        match stmt:
            case ir.Assign(targets=[ir.Name(id=name)], value=ir.DictDisplay(items=entries)):
                items = [value for _, value in entries]
            case ir.Assign(targets=[ir.Name(id=name)], value=ir.Display(items=items)):
                pass
            case _:
                continue
        found.setdefault(name, []).extend(path for each in items if (path := ir.path_of(each)) is not None)
    return found


def _constructor(interp: Interpreter, atom: object) -> list[Func]:
    return _member(interp, atom, "__init__") if isinstance(atom, ClassRef) else []


def _imported(interp: Interpreter, scope: Scope, head: str, rest: str) -> Value:
    """What a dotted name from another module of the project is."""
    frame = scope.module.frame
    value = imports.resolve(interp, frame.locals.get(head, frozenset())) if frame is not None else frozenset()
    for name in rest.split(".") if rest else ():
        found = [imports.member(interp, a, name) for a in value if isinstance(a, ModuleRef)]
        value = frozenset().union(*(v for v in found if v is not None))
    return value


def _member(interp: Interpreter, cls: ClassRef, name: str) -> list[Func]:
    found = classes.find_member(interp, cls, name)
    if found is None or not isinstance(found[0], ir.Function):
        return []
    return [Func(found[0], found[1].module, found[1].closure, None, found[1])]


def _inherited(interp: Interpreter, scope: Scope, owner: ClassRef, name: str) -> list[Func]:
    """What `super()` gives in a method: the next definition of a name after the class that the method is defined in."""
    classes_of = classes.mro(interp, owner)
    here = next((n for n, each in enumerate(classes_of) if scope.function in each.cls.methods.values()), None)
    after = classes_of[here + 1 :] if here is not None else ()
    found = next(((each.cls.methods[name], each) for each in after if name in each.cls.methods), None)
    return [Func(found[0], found[1].module, found[1].closure, None, found[1])] if found is not None else []


def _owner(module: ModuleInfo, function: ir.Function) -> ClassRef | None:
    """The class that a function is a method of."""
    code = module.lowered()
    cls = next((c for c in code.classes if function in c.methods.values()), None) if code is not None else None
    return ClassRef(cls, module) if cls is not None else None
