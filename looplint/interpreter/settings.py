"""Settings: constants that whoever runs the program is to change: at the top of a module, in a class of nothing else, or in capitals in a function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from looplint.domain.values import ClassRef, ModuleRef, Ref, Value, constant_of
from looplint.interpreter import imports
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.names import lookup
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


def decide(interp: Interpreter, test: ir.Expr) -> bool:
    """Whether the outcome of a test is that of settings alone: with another one of them, the program runs the other branch."""
    match test:
        case ir.Name():
            return _is_setting(interp, interp.frame, test.id)
        case ir.Attr(value=ir.Name(id=owner), attr=name):
            return _is_setting_of(lookup(interp, interp.frame, owner), name)
        case ir.Unary(operand=operand):
            return decide(interp, operand)
        case ir.Compare() | ir.Binary():
            operands = [test.left, *test.rights] if isinstance(test, ir.Compare) else [test.left, test.right]
            read = [each for each in operands if not isinstance(each, ir.Const)]
            return bool(read) and all(decide(interp, each) for each in read)
    return False


def _is_setting(interp: Interpreter, frame: Frame, name: str) -> bool:
    """Whether a name is one of its module's settings, or was imported as one of another module's."""
    top = frame.module.frame
    here: Frame | None = frame
    while here is not None and here is not top:
        if name in here.locals:
            return name.isupper() and name in _constants_in(here.function) - _set_from_within(here.module, "nonlocal")
        here = here.closure
    if top is None or name not in top.locals:
        return False
    if name in _settings_of(interp, frame.module):
        return True
    value = top.locals[name]
    return imports.is_import(value) and _is_switch(imports.resolve(interp, value))


def _settings_of(interp: Interpreter, module: ModuleInfo) -> frozenset[str]:
    """The names that a module gives a constant at its top, and nothing else anywhere."""
    known = interp.settings.get(module.filename)
    if known is None:
        code = module.lowered()
        known = frozenset() if code is None else _constants_in(code.top) - _set_from_within(module, "global")
        interp.settings[module.filename] = known
    return known


def _set_from_within(module: ModuleInfo, kind: Literal["global", "nonlocal"]) -> set[str]:
    """The names that the functions of a module say they set around themselves."""
    code = module.lowered()
    return {name for function in code.functions for name, of in function.declared.items() if of == kind} if code is not None else set()


@ir.kept_with_code
def _constants_in(function: ir.Function) -> frozenset[str]:
    """The names that a function, or a module as one, gives a constant outside of any branch, and nothing else."""
    direct = {
        stmt.targets[0].id
        for stmt in _run_by_itself(function.body)
        if isinstance(stmt, ir.Assign) and isinstance(stmt.targets[0], ir.Name) and _is_constant(stmt.value)
    }
    times = Counter(param.name for param in function.params)
    for stmt in ir.statements(function.body):
        times.update(_set_by(stmt))
    return frozenset(name for name in direct if times[name] == 1)


def _run_by_itself(body: list[ir.Stmt]) -> Iterator[ir.Stmt]:
    """The statements of a block outside of branches; what a module does only when it is run is no branch: `if __name__ == "__main__":`."""
    for stmt in body:
        yield stmt
        match stmt:
            case ir.If(test=ir.Compare(left=ir.Name(id="__name__")), body=run):
                yield from run


def _set_by(stmt: ir.Stmt) -> set[str]:
    match stmt:
        case ir.Assign():
            return set().union(*(ir.paths_in(target) for target in stmt.targets))
        case ir.AugAssign() | ir.For():
            return ir.paths_in(stmt.target)
        case ir.With():
            return set().union(*(ir.paths_in(target) for _, target in stmt.items if target is not None))
    return set()


def _is_constant(expr: ir.Expr) -> bool:
    """Whether an expression is a number, a text or a flag; None says that something is not there, and is no setting."""
    return isinstance(expr, ir.Const) and isinstance(expr.value, bool | int | float | str)


def _is_switch(value: Value) -> bool:
    known = constant_of(value)
    return known is not None and isinstance(known.value, bool | int | float | str)


def _is_setting_of(owner: Value, name: str) -> bool:
    """Whether an attribute is a constant of a module, or of a class that has nothing else."""
    return bool(owner) and all(
        isinstance(a, ModuleRef)
        or (isinstance(a, ClassRef) and not a.cls.methods)
        or (isinstance(a, Ref) and a.obj.cls is not None and not a.obj.cls.cls.methods)
        for a in owner
    )
