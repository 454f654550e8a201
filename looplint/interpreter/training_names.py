"""Which functions may train or evaluate, by their names: those in which a backward or a step stands, or an `eval()`, and those from which a call by name leads to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo, Project


class LeadingNames:
    """The names of the functions that call some methods, or what does, in the modules read so far; each module is gone through once."""

    def __init__(self, methods: Iterable[str]) -> None:
        self.names: set[str] = set()
        self._codes: set[ir.ModuleCode] = set()
        # The modules when they were looked at last, and those of them that were not lowered then.
        self._modules: Collection[ModuleInfo] | None = None
        self._waiting: list[ModuleInfo] = []
        self._callers: dict[str, set[str]] = {}
        # The functions whose calls were looked after.
        self._asked: set[ir.Function] = set()
        self._add(methods)

    def update(self, main: ModuleInfo, modules: Collection[ModuleInfo]) -> None:
        """Look at those modules of a project that were read since the last time."""
        if modules is not self._modules:
            self._modules, self._waiting = modules, [main, *modules]
        lowered = [info.code for info in self._waiting if info.code is not None]
        if not lowered:
            return
        self._waiting = [info for info in self._waiting if info.code is None]
        for code in lowered:
            if code not in self._codes:
                self._codes.add(code)
                self._read(code)

    def look_after(self, function: ir.Function, info: ModuleInfo, project: Project) -> None:
        """Read the modules that what a function calls comes from, and what that calls: no call may have led there yet."""
        work = [(function, info)]
        while work:
            function, info = work.pop()
            if function not in self._asked:
                self._asked.add(function)
                for name, usage in function.usage.items():
                    if usage.called or usage.methods:
                        work += _named(project, info, name, usage.methods, set())

    def _read(self, code: ir.ModuleCode) -> None:
        others = ((item.bound, {item.name}) for items in _imports(code).values() for item in items if item.name and item.name != item.bound)
        for caller, called in (*_calls(code), *others):
            for name in called:
                self._callers.setdefault(name, set()).add(caller)
            if not self.names.isdisjoint(called):
                self._add([caller])
        self._add_directly(code)

    def _add_directly(self, code: ir.ModuleCode) -> None:
        """Add those functions of a module that do by more than the name of a method what is looked for."""

    def _add(self, names: Iterable[str]) -> None:
        work = [name for name in names if name not in self.names]
        while work:
            name = work.pop()
            if name not in self.names:
                self.names.add(name)
                work.extend(self._callers.get(name, ()))


class TrainingNames(LeadingNames):
    """The names of the functions that may train."""

    def __init__(self) -> None:
        super().__init__(ir.GRADIENT_METHODS)

    def _add_directly(self, code: ir.ModuleCode) -> None:
        self._add(call.function.name for call in code.gradient_calls)


@ir.kept_with_code
def _calls(code: ir.ModuleCode) -> list[tuple[str, set[str]]]:
    """The functions of a module, with what they call."""
    return [(function.name, function.called()) for function in code.functions]


def _named(
    project: Project, info: ModuleInfo, name: str, methods: Collection[str], asked: set[tuple[ModuleInfo, str]]
) -> Iterator[tuple[ir.Function, ModuleInfo]]:
    """What a name of a module stands for: a function, the methods of a class, or those functions of another module that are called by its name."""
    code = info.lowered()
    if code is None or (info, name) in asked:
        return
    asked.add((info, name))
    yield from ((function, info) for function in _definitions(code).get(name, ()))
    for item in (*_imports(code).get(name, ()), *_imports(code).get("*", ())):
        found = project.find(info, item.module, item.level)
        if item.name is not None:
            if found is not None and found is not info:
                yield from _named(project, found, name if item.name == "*" else item.name, methods, asked)
            found = project.find(info, f"{item.module}.{item.name}" if item.module else item.name, item.level) if item.name != "*" else None
        if found is not None:
            for method in methods:
                yield from _named(project, found, method, (), asked)


@ir.kept_with_code
def _definitions(code: ir.ModuleCode) -> dict[str, list[ir.Function]]:
    """The functions of a module and the methods of its classes, by the names of the former and of the classes."""
    found: dict[str, list[ir.Function]] = {cls.name: [*cls.methods.values()] for cls in code.classes}
    for function in code.functions:
        found.setdefault(function.qualname, [function])
    return found


@ir.kept_with_code
def _imports(code: ir.ModuleCode) -> dict[str, list[ir.ImportName]]:
    """What the body of a module imports, by the names that it gets."""
    found: dict[str, list[ir.ImportName]] = {}
    for stmt in ir.statements(code.top.body):
        for item in stmt.names if isinstance(stmt, ir.Import) else ():
            found.setdefault(item.bound, []).append(item)
    return found
