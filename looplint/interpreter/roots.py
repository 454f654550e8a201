"""Where following begins: the module body, then every function that nobody calls, with objects by the roles of its parameters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from looplint.domain.objects import (
    Container,
    Dataset,
    DerivedTrainer,
    FrameworkModule,
    Instance,
    Loss,
    Module,
    Optimizer,
    Scaler,
    Scheduler,
)
from looplint.domain.tags import kept_at
from looplint.domain.tensors import tensors_in
from looplint.domain.values import ClassRef, Func, Ref, Value, const, ref, refs
from looplint.flow.graph import Loose
from looplint.interpreter import calls, classes, functions, generators, handed_out, hooks, training_methods
from looplint.interpreter.assignments import assign
from looplint.interpreter.callers import call_by_a_base, callers_first, only_without_gradients
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.frames import Frame
from looplint.interpreter.gpu_only import is_gpu_only
from looplint.interpreter.interpreter import AGAIN_FUEL, ALONE_FUEL, ROOT_FUEL, Interpreter, OutOfFuel
from looplint.interpreter.kept_apart import only_keeps
from looplint.interpreter.opened import open_up
from looplint.interpreter.outside import parameter
from looplint.interpreter.roles import is_gone_over, names_a_loader
from looplint.interpreter.statements import run_block
from looplint.interpreter.unreached_methods import follow_insides
from looplint.knowledge.frameworks import FRAMEWORK_HOOKS, LOADER_HOOKS
from looplint.knowledge.pytorch import CONVERSIONS, SCALER_METHODS
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo, Project
from looplint.syntax.superseded import superseded

# Where a call of a function has used more than this part of what the function gets as a root, it is too large for that as well.
_ALMOST_ALL = 0.85
# So many generators that one call has left, each with its own arguments, are followed.
_ALIKE = 4


def interpreter_of(project: Project, main: ModuleInfo) -> Interpreter:
    """An interpreter for one linted file, its moves bound to it."""
    interp = Interpreter(project, main)
    interp.run_block = partial(run_block, interp)
    interp.evaluate = partial(evaluate, interp)
    interp.assign = partial(assign, interp)
    interp.call = partial(calls.call, interp)
    interp.call_function = partial(functions.call_function, interp)
    return interp


def follow(interp: Interpreter) -> bool:
    """Follow a whole linted file.

    Returns:
        False when the program was larger than the interpreter follows; what was cut off is not in the graph.
    """
    code = interp.main.code
    assert code is not None
    frame = Frame(code.top, interp.main, None, interp.context(None, "main"), 0)
    interp.frame = interp.main.frame = frame
    frame.locals["__name__"] = const("__main__")
    interp.flags.needs_accelerator |= is_gpu_only(code)
    complete = _begin(interp, lambda: interp.run_block(code.top.body), "")
    complete = _deferred(interp) and complete
    for function in _filling_globals(code):
        if function not in interp.reached.functions:
            complete = _function(interp, Func(function, interp.main)) and complete
    mixed = _loops_of_mixins(interp, code)
    gone = superseded(code)
    for cls in code.classes:
        complete = (cls in gone or _methods(interp, cls, mixed)) and complete
    for function in callers_first(_definitions(code.top.body)):
        if function not in interp.reached.functions and function not in gone:
            complete = _function(interp, Func(function, interp.main)) and complete
    complete = _deferred(interp) and complete
    follow_insides(interp)
    handed_out.note_uses(interp)
    return complete and interp.complete


def _filling_globals(code: ir.ModuleCode) -> list[ir.Function]:
    """The functions without parameters that give the file's own names a value which its body leaves open: what others read there, they have made."""
    open_names = {
        target.id
        for stmt in code.top.body
        if isinstance(stmt, ir.Assign) and isinstance(stmt.value, ir.Const) and stmt.value.value is None
        for target in stmt.targets
        if isinstance(target, ir.Name)
    }
    functions = _definitions(code.top.body) if open_names else ()
    return [f for f in functions if not f.params and any(f.declared.get(name) == "global" for name in open_names)]


def _definitions(body: list[ir.Stmt]) -> list[ir.Function]:
    found = []
    for stmt in body:
        match stmt:
            case ir.FunctionDef():
                found.append(stmt.function)
            case ir.If():
                found.extend(_definitions([*stmt.body, *stmt.orelse]))
            case ir.Try():
                found.extend(_definitions([*stmt.body, *stmt.orelse, *(s for _, b in stmt.handlers for s in b)]))
    return found


def _begin(interp: Interpreter, run: Callable[[], object], root: str, function: ir.Function | None = None) -> bool:
    """Follow from one root on; one that is larger than its budget is followed once more with less of what it calls, and then without other files.

    Args:
        interp: the interpreter.
        run: follows it.
        root: its name.
        function: the function that it is, if it is one.

    Returns:
        False where the root was larger: what is then in the graph is what its own file tells, to which all others are out of sight.
    """
    budget = min(ROOT_FUEL, interp.left)
    in_vain = function is not None and interp.spent.get(function, 0) > _ALMOST_ALL * budget
    if not in_vain and _within(interp, run, root, budget):
        return True
    interp.again = True
    if _within(interp, run, root, min(AGAIN_FUEL, interp.left)):
        interp.again = False
        return True
    interp.again, interp.alone = False, True
    _within(interp, run, root, ALONE_FUEL)
    interp.alone = False
    return False


def _within(interp: Interpreter, run: Callable[[], object], root: str, budget: int) -> bool:
    if budget <= 0:
        return False
    interp.root = root
    interp.candidates = interp.assembling = 0
    interp.grad, interp.autocast, interp.guards, interp.loops, interp.scopes, interp.active = True, None, (), (), [], []
    interp.fuel, interp.floor = budget, 0
    interp.recordings.clear()
    interp.heads.clear()
    interp.constants = {}
    top = interp.frame
    length, noted, followed = len(interp.graph.nodes), len(interp.remarks), interp.reached.mark()
    entry = interp.graph.add("entry", (), [])
    interp.graph.entries.append(entry)
    interp.at = [Loose(entry)]
    try:
        run()
    except OutOfFuel:
        interp.graph.cut(length)
        interp.forget_remarks(noted)
        interp.reached.forget(followed)  # what is cut off judges nothing: functions of other files are judged there
        interp.frame = top
        return False
    finally:
        interp.frame = top
        interp.root = ""
        interp.left -= budget - max(interp.fuel, 0)
    return True


def _function(interp: Interpreter, func: Func) -> bool:
    root = f"{interp.main.filename}::{func.function.qualname}"

    def run() -> None:
        # Methods of the bases call what a subclass writes for them.
        line = classes.mro(interp, func.owner) if func.owner is not None else []
        if (site := call_by_a_base(line, func.function)) is not None:
            interp.reached.by_bases[root] = site
        if interp.main.code is not None and only_without_gradients(interp.main.code, line, func.function):
            interp.grad = None  # as its callers have it, for what one can tell
        frame = functions.enter_alone(interp, func)
        bound = [func.bound] if func.bound is not None else []
        frame.instance = func.bound or frozenset()
        if func.function.name != "__init__":
            for obj in (a.obj for a in frame.instance if isinstance(a, Ref)):
                open_up(interp, obj)
        for number, param in enumerate(func.function.params):
            if number < len(bound):
                frame.locals[param.name] = bound[number]
            else:
                frame.locals[param.name] = parameter(interp, func, param)
                for module in refs(frame.locals[param.name], Module):
                    module.handed_to = root if only_keeps(func.function, param.name) else ""
        given = [frame.locals[param.name] for param in func.function.params]
        result = functions.run_frame(interp, frame)
        if interp.grad is not True:
            interp.reached.ending_without_gradients.add(root)
        hooks.returned_outside.run(interp, func, result)
        handed_out.leave_to_callers(interp, result)
        kept = [value for atom in frame.instance if isinstance(atom, Ref) for value in atom.obj.heap.values()]
        for obj in interp.reachable([result, frame.instance, *kept]):
            obj.outlives = True
        handed_out.note_left(interp, [result, frame.yields, frame.instance, *given])
        for atom in result:
            if isinstance(atom, Ref) and isinstance(atom.obj, Container) and _may_still_go_backward(interp, ref(atom.obj)):
                atom.obj.leaves = True
        if _may_still_go_backward(interp, result):
            interp.uses.going_backward.update(*(kept_at(t.tags) for t in tensors_in([result])))

    interp.reached.functions.setdefault(func.function)
    return _begin(interp, run, root, func.function)


def _may_still_go_backward(interp: Interpreter, value: Value) -> bool:
    """Whether a caller may go backward through what it gets, or what that holds: a graph serves once, and this one may have served."""
    return any(not t.forwards <= interp.uses.trained for t in tensors_in([value]))


def _methods(interp: Interpreter, cls: ir.Class, mixed: Mapping[ir.Function, set[ir.Class]]) -> bool:
    """The methods that nobody called, on an instance whose constructor got arguments by role.

    Args:
        interp: the interpreter.
        cls: the class.
        mixed: the loops of mixins, and the classes on whose objects they are followed.
    """
    found = ClassRef(cls, interp.main)
    uncalled = [f for f in cls.methods.values() if f not in interp.reached.functions and f not in mixed]
    mixes = any(cls in users for users in mixed.values())
    if not (uncalled or mixes) or interp.main.frame is None:
        return True
    interp.fuel = ROOT_FUEL
    kind = classes.kind_of_class(interp, found)
    loop = hooks.loop_of_framework.run(interp, found) if issubclass(kind, FrameworkModule) else None
    complete = loop is None or _begin(interp, loop, f"{interp.main.filename}::{cls.qualname}.fit")
    if loop is not None and kind is not DerivedTrainer:
        return complete
    if issubclass(kind, FrameworkModule):
        uncalled = _with_loops_of_their_own(interp, [f for f in uncalled if f not in interp.reached.functions])
    elif kind in (Dataset, Optimizer, Scheduler, Loss):
        return True
    elif kind is Scaler:
        uncalled = [f for f in uncalled if f.name not in SCALER_METHODS]  # what torch's are, whatever they are made of
    inherited = _inherited_loops(interp, found)
    if kind is Module and not (cls.trains_itself or inherited or _repeats_an_inherited_step(interp, found)):
        uncalled = [f for f in uncalled if f.name != "forward" and _tells_by_itself(f)]
    if not (uncalled or mixes) and not _set_up_by_a_base(interp, found):
        return True
    instance = calls.instance_for(interp, found)
    training = training_methods.training_in_loops(interp.main.code) | training_methods.repeating_a_step(interp.main.code, cls)
    # One that built other objects builds this one as well, and a base that was followed as it is trains this one.
    again = {f: base for f, base in inherited.items() if base.module is interp.main}
    again |= _inherited_set_ups(interp, found)
    owners = {**again, **inherited}
    for function in training_methods.in_order(cls, list(dict.fromkeys([*again, *uncalled, *inherited]))):
        if (function in interp.reached.functions and function not in again) or (function.name == "forward" and function not in training):
            continue  # a forward computes: what it adds up is for its callers
        member = classes.find_member(interp, found, function.name)
        if member is None or member[0] is not function:
            continue
        bound = None if ir.is_static(function) else ref(instance)
        owner = owners.get(function, found)
        complete = _function(interp, Func(function, owner.module, owner.closure, bound, owner)) and complete
    for function in _left_early(interp, found):
        complete = _function(interp, Func(function, found.module, found.closure, ref(instance), found)) and complete
    return complete


def _left_early(interp: Interpreter, cls: ClassRef) -> list[ir.Function]:
    """The methods that were called and went backward in none of their loops: each call left before, for what the object had not yet got.

    What other methods have made since is there when they are called again: `if self.teacher is None: return super().train_epoch(loader)`.
    """
    code = interp.main.code
    loops = [
        e for e in (code.gradient_calls if code is not None else ()) if e.kind == "backward" and e.loop is not None and e.cls is cls.cls
    ]
    followed = {e.function for e in loops if e.call in interp.reached.gradient_calls}
    missed = dict.fromkeys(e.function for e in loops if e.function in interp.reached.functions and e.function not in followed)
    return [
        f
        for f in missed
        if f in cls.cls.methods.values() and f.params and not ir.is_static(f) and _asks_for_what_others_make(interp, cls, f)
    ]


def _asks_for_what_others_make(interp: Interpreter, cls: ClassRef, method: ir.Function) -> bool:
    """Whether a method tests an attribute of its object that methods other than the constructor set."""
    tests = (part for stmt in method.body if isinstance(stmt, ir.If) for part in ir.walk(stmt.test))
    asked = {part.attr for part in tests if isinstance(part, ir.Attr) and ir.path_of(part.value) == method.params[0].name}
    return any(True for name in asked for _ in classes.set_again(interp, cls, name))


def _inherited_loops(interp: Interpreter, cls: ClassRef) -> dict[ir.Function, ClassRef]:
    """The methods that train in a loop of those bases to which a class gives attributes, or methods that they call, each with its base.

    They are followed on an object of the class: what the base leaves open, its subclass tells, or another base beside it.
    """
    found: dict[ir.Function, ClassRef] = {}
    line = classes.mro(interp, cls)
    own: set[str] = set()
    steps: set[str] = set()
    for base in line:
        code = base.module.lowered()
        nearer, methods = frozenset(own), tuple(base.cls.methods.values())
        backward = [each for each in code.gradient_calls if each.kind == "backward"] if code is not None else []
        steps |= {each.function.name for each in backward if each.function in methods} - nearer
        given = nearer | _given_beside(interp, line, base)
        called = any(given & each.methods for f in methods for each in training_methods.written_in(f))
        if called or ("__init__" in nearer and base.module is not interp.main):
            training = training_methods.training_in_loops(code) | training_methods.repeating(methods, steps)
            loops = [f for f in methods if f in training]
            found.update({f: base for f in (_with_callers(base, loops) if given - nearer else loops) if f.name not in nearer})
        own |= base.cls.methods.keys()
    return found | _inherited_passes(interp, line, found)


def _inherited_passes(interp: Interpreter, line: list[ClassRef], loops: Iterable[ir.Function]) -> dict[ir.Function, ClassRef]:
    """The methods of bases that call in a loop one which they leave to a subclass, and that no loop of theirs calls: `self.test_step(batch)`."""
    if not line or not _is_plain(interp, line[0]):
        return {}
    found: dict[ir.Function, ClassRef] = {}
    called = frozenset[str]().union(*(f.methods for f in loops))
    own: set[str] = set()
    for number, base in enumerate(line):
        methods = [f for name, f in base.cls.methods.items() if name not in own | called]
        left = {name for name in own if number and all(ir.is_left_open(f) for each in line[number:] if (f := each.cls.methods.get(name)))}
        found |= {f: base for f in methods if f in training_methods.repeating(methods, left)}
        own |= base.cls.methods.keys()
    return found


def _loops_of_mixins(interp: Interpreter, code: ir.ModuleCode) -> dict[ir.Function, set[ir.Class]]:
    """The loops of the file's classes that call methods which they have not, with the classes that put those beside them and that nothing in sight builds."""
    found: dict[ir.Function, set[ir.Class]] = {}
    training = training_methods.training_in_loops(code)
    for cls in code.classes if training else ():
        line = classes.mro(interp, ClassRef(cls, interp.main)) if len(cls.bases) > 1 else []
        for base in line[1:]:
            loops = [f for f in base.cls.methods.values() if f in training and f not in interp.reached.functions]
            beside = _given_beside(interp, line, base) if loops and base.module is interp.main else frozenset()
            for function in _with_callers(base, loops) if any(beside & f.methods for f in base.cls.methods.values()) else ():
                found.setdefault(function, set()).add(cls)
    return {f: users for f, users in found.items() if all(_is_plain(interp, ClassRef(cls, interp.main)) for cls in users)}


def _with_callers(cls: ClassRef, loops: list[ir.Function]) -> list[ir.Function]:
    """The methods of a class that call some of them, and these."""
    names = {f.name for f in loops}
    return [*(f for f in cls.cls.methods.values() if f not in loops and not names.isdisjoint(f.methods)), *loops]


def _is_plain(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether an object of a class is nothing that a library knows."""
    return classes.kind_of_class(interp, cls) is Instance


def _given_beside(interp: Interpreter, line: list[ClassRef], base: ClassRef) -> frozenset[str]:
    """The methods that a base has not, and those have which stand behind it in the line of a class: a mixin calls them."""
    own = classes.mro(interp, base)
    behind = [each for each in line[line.index(base) + 1 :] if each not in own]
    names = frozenset(name for each in behind for name in each.cls.methods)
    return names - {name for each in own for name in each.cls.methods} if names else names


def _inherited_set_ups(interp: Interpreter, cls: ClassRef) -> dict[ir.Function, ClassRef]:
    """The constructor that a class inherits, and the methods of its bases that make what other methods take, each with the class that defines it.

    A class with a constructor of its own has this one, if it was followed for other objects: what the bases make comes through it.
    """
    line = classes.mro(interp, cls)
    constructor, defining = next(((each.cls.methods["__init__"], each) for each in line if "__init__" in each.cls.methods), (None, cls))
    found = (
        {constructor: defining}
        if constructor is not None and (defining.cls is not cls.cls or constructor in interp.reached.functions)
        else {}
    )
    if defining.cls is cls.cls:
        return found
    taken = [f for base in line for f in base.cls.methods.values() if "self" in f.usage]
    seen = set(cls.cls.methods)
    for base in line[1:]:
        found |= {
            f: base
            for f in base.cls.methods.values()
            if f.name not in seen and f.name != "__init__" and training_methods.makes_for(f, taken)
        }
        seen |= base.cls.methods.keys()
    return found


def _repeats_an_inherited_step(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether methods of a class call in a loop one that it has from a base and that goes backward: `for batch in loader: self.observe(batch)`."""
    steps: set[str] = set()
    for base in classes.mro(interp, cls)[1:]:
        code = base.module.lowered() if base.cls.trains_itself else None
        methods = frozenset(base.cls.methods.values())
        steps |= {
            e.function.name for e in (code.gradient_calls if code is not None else ()) if e.kind == "backward" and e.function in methods
        }
    return bool(training_methods.repeating(cls.cls.methods.values(), steps - cls.cls.methods.keys()))


def _set_up_by_a_base(interp: Interpreter, cls: ClassRef) -> bool:
    """Whether a class that nobody builds has its constructor from a base, and that calls a method which the class defines: its parts are made there."""
    owner = next((each for each in classes.mro(interp, cls) if "__init__" in each.cls.methods), cls)
    made = {name for name, method in cls.cls.methods.items() if method not in interp.reached.functions}
    return owner.cls is not cls.cls and not made.isdisjoint(owner.cls.methods["__init__"].methods)


def _tells_by_itself(method: ir.Function) -> bool:
    """Whether a model's method is worth following without its caller: it goes over batches that it is given, or drops what a conversion gives."""
    over_batches = any(p.name in method.usage and is_gone_over(method.usage[p.name]) and names_a_loader(p.name) for p in method.params)
    return over_batches or not method.dropped.isdisjoint(CONVERSIONS)


def _with_loops_of_their_own(interp: Interpreter, methods: list[ir.Function]) -> list[ir.Function]:
    """The methods that go backward or step in a loop, as of a subclass whose `train` takes the place of the library's; and those that give loaders."""
    training = training_methods.training_in_loops(interp.main.code)
    of_data = {"setup", *LOADER_HOOKS} if any(f.name in LOADER_HOOKS for f in methods) else set()
    return [f for f in methods if (f in training and f.name not in FRAMEWORK_HOOKS) or f.name in of_data]


def _deferred(interp: Interpreter) -> bool:
    """Functions that were passed to code that cannot be followed, and generators from which no analysed code took an item: they may run."""
    complete = True
    followed: Counter[tuple[ir.Function, int]] = Counter()
    while interp.agenda.generators:
        obj, func = interp.agenda.generators.popitem()
        # One that makes another of itself leaves another one each time.
        followed[func.function, id(obj.node)] += 1
        if func.module is interp.main and followed[func.function, id(obj.node)] <= _ALIKE:
            complete = (
                _begin(interp, partial(generators.run, interp, obj), f"{interp.main.filename}::{func.function.qualname}") and complete
            )
    while interp.agenda.values:
        value = interp.agenda.values.pop()
        for atom in value:
            if (
                isinstance(atom, Func)
                and atom.function not in interp.reached.functions
                and not atom.function.is_lambda
                and (atom.module is interp.main or _is_for_an_own_object(interp, atom))
            ):
                complete = _function(interp, atom) and complete
    return complete


def _is_for_an_own_object(interp: Interpreter, func: Func) -> bool:
    """Whether a function of another file was made in a method that was followed on an object of a class of the file, as what a base runs in a thread."""
    instance = func.closure.instance if func.closure is not None else frozenset()
    return any(isinstance(a, Ref) and a.obj.cls is not None and a.obj.cls.module is interp.main for a in instance)
