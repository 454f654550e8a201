"""Names from other modules of the project: a module's body is followed once, when something of it is used."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.domain.values import NOTHING, Atom, External, ModuleRef, Value, const, join
from looplint.interpreter.frames import Frame
from looplint.interpreter.gpu_only import is_gpu_only
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.lookup import is_listed
from looplint.syntax.project import ModuleInfo

# What binds names that no text tells.
_BINDING = frozenset({"exec", "globals", "builtins", "__builtins__", "execfile", "get_ipython"})


def module_by_filename(interp: Interpreter, filename: str) -> ModuleInfo | None:
    return interp.main if interp.main.filename == filename else interp.project.by_filename(filename)


def load(interp: Interpreter, info: ModuleInfo) -> None:
    """Run an imported module's body beside the graph: importing it is no part of the loop."""
    if info.frame is not None:
        return
    code = info.lowered()
    if code is None:
        return
    frame = Frame(code.top, info, None, interp.context(None, "module", info.filename), 0)
    info.frame = frame
    frame.locals["__name__"] = const(info.path.stem if info.path else "module")
    interp.flags.needs_accelerator |= is_gpu_only(code)
    with interp.beside(frame):
        interp.run_block(code.top.body)


def is_import(value: Value) -> bool:
    """Whether a name was imported and not used yet."""
    return any(isinstance(a, External) and a.qualname.startswith("import:") for a in value)


def resolve(interp: Interpreter, value: Value) -> Value:
    """Follow imports that were not needed until now."""
    return _import(interp, value) if is_import(value) else value


def _import(interp: Interpreter, value: Value) -> Value:
    result: Value = NOTHING
    for atom in value:
        if isinstance(atom, External) and atom.qualname.startswith("import:"):
            _, importer, level, module, name = atom.qualname.split(":")
            result = join(result, _imported(interp, importer, int(level), module, name))
        else:
            result = join(result, frozenset({atom}))
    return result


def _imported(interp: Interpreter, importer: str, level: int, module: str, name: str) -> Value:
    info = module_by_filename(interp, importer)
    found = interp.project.find(info, module, level) if info else None
    pending = (importer, level, module, name)
    if pending in interp.importing:
        found, level = None, 0  # modules that import each other
    elif found is info:
        found = None
        if module:
            own = interp.project.find(info, name, 1) if info and name and _is_package(info) else None
            if own is not None:
                load(interp, own)
                return frozenset({ModuleRef(own)})  # a package that asks for its submodule by its own name
            level = 0  # a file named like the library it imports; without a name, a package asks for its own submodule
    interp.importing.add(pending)
    try:
        return _from_module(interp, info, found, level, module, name)
    finally:
        interp.importing.discard(pending)


def _is_package(info: ModuleInfo) -> bool:
    return info.path is not None and info.path.name == "__init__.py"


def _from_module(interp: Interpreter, info: ModuleInfo | None, found: ModuleInfo | None, level: int, module: str, name: str) -> Value:
    if found is None:
        if level and info is not None and name:
            deeper = interp.project.find(info, f"{module}.{name}" if module else name, level)
            if deeper is not None:
                load(interp, deeper)
                return frozenset({ModuleRef(deeper)})
        return frozenset({External(f"{module}.{name}" if name else module)})
    load(interp, found)
    if not name:
        return frozenset({ModuleRef(found)})
    return member(interp, ModuleRef(found), name) or frozenset({External(f"{module}.{name}")})


def member(interp: Interpreter, atom: Atom, name: str) -> Value | None:
    """A name of a project module, or of one of its submodules."""
    return _member(interp, atom.module, name, set()) if isinstance(atom, ModuleRef) else None


def from_stars(interp: Interpreter, info: ModuleInfo, name: str) -> Value | None:
    """A name that a star import of a module may have brought in; the last of them counts."""
    return _from_stars(interp, info, name, set())


def binds_all(interp: Interpreter, info: ModuleInfo) -> bool:
    """Whether all that may bind a global name of a module is in sight: it is a file of its own, and no star brings in what a library has."""
    if info.source.path is None or info.source.language != "python" or info.frame is None:
        return False
    code = info.lowered()
    if code is None or any(not _BINDING.isdisjoint(f.usage) for f in code.functions):
        return False
    # A module that a folder of the project should have, and has not, brings in nothing.
    return all(interp.project.find(info, star.partition(".")[0], 0) is not None for star in _unread_stars(info, set()))


def _unread_stars(info: ModuleInfo, asked: set[ModuleInfo]) -> Iterator[str]:
    """The modules out of sight from which stars bring names into a module, through others too."""
    asked.add(info)
    for star in info.frame.stars if info.frame is not None else ():
        if isinstance(star, str):
            yield star
        elif star not in asked:
            yield from _unread_stars(star, asked)


def _member(interp: Interpreter, info: ModuleInfo, name: str, asked: set[ModuleInfo]) -> Value | None:
    if info.frame is not None:
        value = info.frame.locals.get(name)
        if value is not None:
            return resolve(interp, value)
        found = _from_stars(interp, info, name, asked)
        if found is not None:
            return found
    if _is_package(info):
        sub = interp.project.find(info, name, 1)
        if sub is not None:
            load(interp, sub)
            return frozenset({ModuleRef(sub)})
    if info.namespace:
        return frozenset({External(f"{info.namespace}.{name}")})  # an installed package of the same name comes before it
    return None


def _from_stars(interp: Interpreter, info: ModuleInfo, name: str, asked: set[ModuleInfo]) -> Value | None:
    """Of a module out of sight, a name that the tables list. `asked`: the modules asked already, as stars may lead in a circle."""
    asked.add(info)
    for star in reversed(info.frame.stars if info.frame is not None else ()):
        found: Value | None = None
        if isinstance(star, str):
            found = frozenset({External(f"{star}.{name}")}) if is_listed(f"{star}.{name}") else None
        elif star not in asked:
            found = _member(interp, star, name, asked)
        if found is not None:
            return found
    return None
