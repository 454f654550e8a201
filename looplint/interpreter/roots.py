"""Where following begins: the module body, then every function that nobody calls, with objects by the roles of its parameters."""

from __future__ import annotations

from functools import partial

from looplint.domain.objects import Container, Dataset, FrameworkModule, Loss, Module, Optimizer, Scheduler
from looplint.domain.tags import kept_at
from looplint.domain.tensors import tensors_in
from looplint.domain.values import ClassRef, Func, Ref, Value, const, ref
from looplint.flow.graph import Loose
from looplint.interpreter import calls, classes, functions, generators, hooks
from looplint.interpreter.assignments import assign
from looplint.interpreter.callers import only_without_gradients
from looplint.interpreter.expressions import evaluate
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import ROOT_FUEL, Interpreter, OutOfFuel
from looplint.interpreter.outside import parameter
from looplint.interpreter.statements import run_block
from looplint.interpreter.unreached_methods import follow_insides
from looplint.knowledge.frameworks import FRAMEWORK_HOOKS
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo, Project


def interpreter_of(project: Project, main: ModuleInfo) -> Interpreter:
    """An interpreter for one linted file, its moves bound to it."""
    m = Interpreter(project, main)
    m.run_block = partial(run_block, m)
    m.evaluate = partial(evaluate, m)
    m.assign = partial(assign, m)
    m.call = partial(calls.call, m)
    m.call_function = partial(functions.call_function, m)
    return m


def follow(m: Interpreter) -> bool:
    """Follow a whole linted file.

    Returns:
        False when the program was larger than the interpreter follows; what was cut off is not in the graph.
    """
    code = m.main.code
    assert code is not None
    frame = Frame(code.top, m.main, None, m.context(None, "main"), 0)
    m.frame = m.main.frame = frame
    frame.locals["__name__"] = const("__main__")
    complete = _begin(m, lambda: m.run_block(code.top.body), "")
    complete = _deferred(m) and complete
    for cls in code.classes:
        complete = _methods(m, cls) and complete
    for stmt in _definitions(code.top.body):
        if stmt.function not in m.reached.functions:
            complete = _function(m, Func(stmt.function, m.main)) and complete
    complete = _deferred(m) and complete
    follow_insides(m)
    return complete and m.complete


def _definitions(body: list[ir.Stmt]) -> list[ir.FunctionDef]:
    found = []
    for stmt in body:
        match stmt:
            case ir.FunctionDef():
                found.append(stmt)
            case ir.If():
                found.extend(_definitions([*stmt.body, *stmt.orelse]))
            case ir.Try():
                found.extend(_definitions([*stmt.body, *stmt.orelse, *(s for _, b in stmt.handlers for s in b)]))
    return found


def _begin(m: Interpreter, run: object, root: str) -> bool:
    if m.left <= 0:
        return False
    m.root = root
    m.candidates = m.assembling = 0
    m.grad, m.autocast, m.guards, m.loops, m.scopes, m.active = True, None, (), (), [], []
    m.fuel, m.floor = min(ROOT_FUEL, m.left), 0
    given = m.fuel
    m.recordings.clear()
    m.constants = {}
    top = m.frame
    length, noted, followed = len(m.graph.nodes), len(m.remarks), m.reached.mark()
    entry = m.graph.add("entry", (), [])
    m.graph.entries.append(entry)
    m.at = [Loose(entry)]
    try:
        assert callable(run)
        run()
    except OutOfFuel:
        m.graph.cut(length)
        m.forget_remarks(noted)
        m.reached.forget(followed)  # what is cut off judges nothing: functions of other files are judged there
        m.frame = top
        return False
    finally:
        m.frame = top
        m.root = ""
        m.left -= given - max(m.fuel, 0)
    return True


def _function(m: Interpreter, func: Func) -> bool:
    root = f"{m.main.filename}::{func.function.qualname}"

    def run() -> None:
        code = m.main.code
        if code is not None and only_without_gradients(code, func.function):
            m.grad = None  # as its callers have it, for what one can tell
        frame = functions.enter_alone(m, func)
        bound = [func.bound] if func.bound is not None else []
        frame.instance = func.bound or frozenset()
        for number, param in enumerate(func.function.params):
            if number < len(bound):
                frame.locals[param.name] = bound[number]
            else:
                frame.locals[param.name] = parameter(m, func, param)
        result = functions.run_frame(m, frame)
        for obj in m.reachable([result, frame.instance]):
            obj.escaped = True
        for atom in result:
            if isinstance(atom, Ref) and isinstance(atom.obj, Container) and _may_still_go_backward(m, ref(atom.obj)):
                atom.obj.leaves = True
        if _may_still_go_backward(m, result):
            m.uses.going_backward = m.uses.going_backward.union(*(kept_at(t.tags) for t in tensors_in([result])))

    m.reached.functions.setdefault(func.function)
    return _begin(m, run, root)


def _may_still_go_backward(m: Interpreter, value: Value) -> bool:
    """Whether a caller may go backward through what it gets, or what that holds: a graph serves once, and this one may have served."""
    return any(not t.forwards <= m.uses.trained for t in tensors_in([value]))


def _methods(m: Interpreter, cls: ir.Class) -> bool:
    """The methods that nobody called, on an instance whose constructor got arguments by role."""
    uncalled = [f for f in cls.methods.values() if f not in m.reached.functions]
    if not uncalled or m.main.frame is None:
        return True
    if m.left <= 0:
        return False
    m.fuel = ROOT_FUEL
    found = ClassRef(cls, m.main)
    kind = classes.kind_of_class(m, found)
    loop = hooks.loop_of_framework.run(m, found) if kind is FrameworkModule else None
    if loop is not None:
        return _begin(m, loop, f"{m.main.filename}::{cls.qualname}.fit")
    if kind is FrameworkModule:
        uncalled = _with_loops_of_their_own(m, uncalled)
    elif kind in (Dataset, Optimizer, Scheduler, Loss):
        return True
    if kind is Module and not cls.trains_itself:
        return True
    complete = True
    instance = calls.instance_for(m, found)
    for function in _in_order(cls, uncalled):
        if function in m.reached.functions or function.name == "forward":
            continue  # a forward computes: what it adds up is for its callers
        member = classes.find_member(m, found, function.name)
        if member is None or member[0] is not function:
            continue
        bound = None if ir.is_static(function) else ref(instance)
        complete = _function(m, Func(function, m.main, None, bound, found)) and complete
    return complete


def _with_loops_of_their_own(m: Interpreter, methods: list[ir.Function]) -> list[ir.Function]:
    """The methods that go backward in a loop: a subclass of a library's trainer whose `train` takes the place of the library's."""
    calls = m.main.code.gradient_calls if m.main.code is not None else ()
    training = {call.function for call in calls if call.kind == "backward" and call.loop is not None}
    return [f for f in methods if f in training and f.name not in FRAMEWORK_HOOKS]


def _in_order(cls: ir.Class, methods: list[ir.Function]) -> list[ir.Function]:
    """Methods as a caller would call them: the constructor, what sets the object up, what trains it; those that others call come with them."""

    def place(function: ir.Function) -> int:
        if function.name == "__init__":
            return 0
        usage = cls.usage.get(function.name)
        if usage is not None and usage.called:
            return 3
        return 2 if any(isinstance(s, ir.For | ir.While) for s in ir.statements(function.body)) else 1

    return sorted(methods, key=place)


def _deferred(m: Interpreter) -> bool:
    """Functions that were passed to code that cannot be followed, and generators from which no analysed code took an item: they may run."""
    complete = True
    while m.agenda.generators:
        obj, func = m.agenda.generators.popitem()
        if func.module is m.main:
            complete = _begin(m, partial(generators.run, m, obj), f"{m.main.filename}::{func.function.qualname}") and complete
    while m.agenda.values:
        value = m.agenda.values.pop()
        for atom in value:
            if (
                isinstance(atom, Func)
                and atom.function not in m.reached.functions
                and not atom.function.is_lambda
                and atom.module is m.main
            ):
                complete = _function(m, atom) and complete
    return complete
