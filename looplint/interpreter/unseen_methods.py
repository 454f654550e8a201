"""What a method of a model out of sight may be: the classes of the program that have one of its name tell whether that trains by itself.

Such a class is one of a module that was read, or of a package from which the program takes classes by names that it computes: `getattr(models, name)()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from looplint.domain.values import ClassRef, External, ModuleRef
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


def note_table(interp: Interpreter, members: ModuleRef) -> None:
    """Note that the program takes a member of a module by a name that is not known."""
    interp.evidence.tables.setdefault(members.module)


def trains_itself(interp: Interpreter, method: str) -> Literal["always", "sometimes", "never"]:
    """Whether the methods of a name that the program's classes have send something backward: all of them, some, or none that is in sight."""
    key = (method, len(interp.evidence.tables), len(interp.project.modules))
    if key not in interp.evidence.training_methods:
        found = {_goes_backward(cls, method) for info in _modules(interp) for cls in _classes_with(info, method)}
        interp.evidence.training_methods[key] = "never" if True not in found else "sometimes" if False in found else "always"
    return interp.evidence.training_methods[key]


def trains_in_some_subclass(interp: Interpreter, cls: ClassRef | None, method: ir.Function) -> bool:
    """Whether a method is one that a base of its class leaves to its subclasses, and some of these go backward in it: what calls it serves them too."""
    if cls is None or not cls.cls.bases or cls.cls.methods.get(method.name) is not method:
        return False
    return any(
        _trains_below(interp, base.cls, method.name)
        for base in classes.mro(interp, cls)[1:]
        if _is_left_open(base.cls.methods.get(method.name))
    )


def _is_left_open(function: ir.Function | None) -> bool:
    """Whether a class leaves a method to its subclasses. One that is not abstract and returns something is of use as it is."""
    if function is None or not ir.is_left_open(function):
        return False
    return ir.is_abstract(function) or not any(isinstance(stmt, ir.Return) for stmt in function.body)


def is_replaced_below(interp: Interpreter, cls: ClassRef, method: ir.Function) -> bool:
    """Whether a method is left to subclasses, or one that is in sight has its own in its place."""
    return ir.is_left_open(method) or bool(_classes_below(interp, cls.cls, method.name))


def _trains_below(interp: Interpreter, base: ir.Class, method: str) -> bool:
    """Whether a method goes backward in a class below another one."""
    key = (base, method, len(interp.project.modules))
    if key not in interp.evidence.training_subclasses:
        interp.evidence.training_subclasses[key] = any(_goes_backward(cls, method) for cls in _classes_below(interp, base, method))
    return interp.evidence.training_subclasses[key]


def _classes_below(interp: Interpreter, base: ir.Class, method: str) -> list[ir.Class]:
    """The classes that define a method and have a base of this one's name, or of a name that such a class has."""
    modules = dict.fromkeys(each for info in interp.project.modules for each in (info, *_of_package(interp, info)))
    having = [cls for info in modules for cls in _classes_with(info, method)]
    family, met = {base.name}, 0
    while len(family) > met:
        met = len(family)
        family |= {cls.name for cls in having if any((ir.path_of(b) or "").rpartition(".")[2] in family for b in cls.bases)}
    return [cls for cls in having if cls.name in family and cls.name != base.name]


def _of_package(interp: Interpreter, info: ModuleInfo) -> Iterator[ModuleInfo]:
    """The modules of a package that it takes names from, looked up or not."""
    return _imported(interp, info) if info.path is not None and info.path.name == "__init__.py" else iter(())


def _modules(interp: Interpreter) -> list[ModuleInfo]:
    """The modules of the program in which a class of an object out of sight may stand."""
    named = [info for table in interp.evidence.tables for info in (table, *_imported(interp, table))]
    return list(dict.fromkeys((interp.main, *interp.project.modules, *named)))


def _imported(interp: Interpreter, table: ModuleInfo) -> Iterator[ModuleInfo]:
    """The modules from which another one has names that were not looked up so far."""
    for value in table.frame.locals.values() if table.frame is not None else ():
        for atom in value:
            if isinstance(atom, External) and atom.qualname.startswith("import:"):
                _, _, level, module, _ = atom.qualname.split(":")
                found = interp.project.find(table, module, int(level)) if module else None
                if found is not None:
                    yield found


def _classes_with(info: ModuleInfo, method: str) -> Iterator[ir.Class]:
    """The classes of a module that define a method; the module is lowered only if its text has one."""
    code = info.lowered() if f"def {method}(" in info.source.text else None
    for cls in code.classes if code is not None else ():
        if method in cls.methods and not ir.is_abstract(cls.methods[method]):
            yield cls


def _goes_backward(cls: ir.Class, method: str) -> bool:
    """Whether a method sends something backward, itself or in a method of its class that it calls on itself."""
    run, work = set[str](), [method]
    while work:
        run.add(here := work.pop())
        function = cls.methods[here]
        if "backward" in function.methods or any(path.endswith("autograd.grad") for path in function.called()):
            return True
        usage = function.usage_of_self
        work += (usage.methods & cls.methods.keys()) - run if usage is not None else ()
    return False
