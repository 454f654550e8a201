"""What code outside of a class does with an attribute of its objects: `helper.task.model(x)`, of a Helper that makes `self.task` out of sight."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.domain.values import ClassRef
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.usage import Scope, Uses, merge, uses
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


def with_others(interp: Interpreter, owner: ClassRef | None, path: str, found: Uses) -> Uses:
    """How an attribute is used, with what is done with it by other names of its object, where one class alone makes an attribute of that name.

    Args:
        interp: the interpreter.
        owner: the class of the object.
        path: the dotted name, as "self.task".
        found: how the methods of the class use it.
    """
    head, _, attribute = path.partition(".")
    if owner is None or head != "self" or not attribute or "." in attribute:
        return found
    modules = dict.fromkeys((interp.main, *interp.project.modules))
    key = ("with others", owner.cls, attribute, len(modules))
    if key not in interp.evidence.usage:
        interp.evidence.usage[key] = _together(interp, attribute, modules, found) if _is_made_by(owner.cls, attribute, modules) else found
    return interp.evidence.usage[key]


def _together(interp: Interpreter, attribute: str, modules: Iterable[ModuleInfo], found: Uses) -> Uses:
    together: Uses = {}
    merge(together, "", found)
    for module in modules:
        code = module.lowered()
        for function, name in _by_attribute(code).get(attribute, ()) if code is not None else ():
            merge(together, "", uses(interp, Scope(function, module), f"{name}.{attribute}"))
    return together


def _is_made_by(cls: ir.Class, attribute: str, modules: Iterable[ModuleInfo]) -> bool:
    """Whether of all classes that are read one alone gives its objects an attribute of a name that a call makes."""
    codes = (module.lowered() for module in modules)
    makers = [maker for code in codes if code is not None for maker in _makers(code).get(attribute, ())]
    return makers == [cls.qualname]


@ir.kept_with_code
def _makers(code: ir.ModuleCode) -> dict[str, list[str]]:
    """The classes of a file by the attributes that their methods give what calls make."""
    found: dict[str, dict[str, None]] = {}
    for cls in code.classes:
        for _, target in (made for method in cls.methods.values() for made in method.made):
            if target.startswith("self."):
                found.setdefault(target.removeprefix("self."), {})[cls.qualname] = None
    return {attribute: [*names] for attribute, names in found.items()}


@ir.kept_with_code
def _by_attribute(code: ir.ModuleCode) -> dict[str, list[tuple[ir.Function, str]]]:
    """The functions of a file by the attributes that they ask names for, with these names: "task" and `helper` of `helper.task.model`."""
    found: dict[str, dict[tuple[ir.Function, str], None]] = {}
    for function in (code.top, *code.functions):
        for path in function.usage:
            name, _, rest = path.partition(".")
            if rest and name != "self" and "[" not in name:
                found.setdefault(rest.partition(".")[0].partition("[")[0], {})[function, name] = None
    return {attribute: [*users] for attribute, users in found.items()}
