"""Which functions may train, by their names: those in which a backward or a step stands, and those from which a call by name leads to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


class TrainingNames:
    """The names of the functions that may train, in the modules read so far; each module is gone through once."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._modules = -1
        self._codes: set[ir.ModuleCode] = set()
        self._callers: dict[str, set[str]] = {}
        self._add(ir.GRADIENT_METHODS)

    def update(self, main: ModuleInfo, modules: Collection[ModuleInfo]) -> None:
        """Look at the modules of a project, if there are more than last time."""
        if len(modules) == self._modules:
            return
        self._modules = len(modules)
        for code in (info.code for info in (main, *modules)):
            if code is not None and code not in self._codes:
                self._codes.add(code)
                self._read(code)

    def _read(self, code: ir.ModuleCode) -> None:
        for caller, called in _calls(code):
            for name in called:
                self._callers.setdefault(name, set()).add(caller)
            if not self.names.isdisjoint(called):
                self._add([caller])
        self._add(call.function.name for call in code.gradient_calls)

    def _add(self, names: Iterable[str]) -> None:
        work = [name for name in names if name not in self.names]
        while work:
            name = work.pop()
            if name not in self.names:
                self.names.add(name)
                work.extend(self._callers.get(name, ()))


@ir.kept_with_code
def _calls(code: ir.ModuleCode) -> list[tuple[str, set[str]]]:
    """The functions of a module, with what they call."""
    return [(function.name, function.called()) for function in code.functions]
