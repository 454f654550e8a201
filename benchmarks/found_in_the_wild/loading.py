"""Foreign modules, loaded from a checkout by path, with stand-ins for the packages that the measured code does not need."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class _Anything(type):
    """The type of a class that stands for whatever a package offers: a base class, a decorator, a function, a namespace."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _anything(name)

    def __getitem__(cls, item: object) -> Any:
        return cls

    def __or__(cls, other: object) -> Any:
        return cls

    __ror__ = __or__

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls.__module__ != __name__:
            return super().__call__(*arguments, **keywords)  # a class of the repository that is derived from a stand-in
        if len(arguments) == 1 and not keywords and callable(arguments[0]):
            return arguments[0]  # a decorator
        return _anything(cls.__name__)


def _anything(name: str) -> _Anything:
    return _Anything(name, (), {"__module__": __name__})


class _StandIn(ModuleType):
    """A package that is not installed: it can be imported, and does nothing."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _anything(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds packages to do without, and all modules in them."""

    def __init__(self, packages: Iterable[str]) -> None:
        self.packages = frozenset(packages)

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        parts = fullname.split(".")
        known = any(".".join(parts[:end]) in self.packages for end in range(1, len(parts) + 1))
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        return None


def load(folder: Path, module: str, without: Iterable[str] = ()) -> Any:
    """A module of a checkout, as `import` finds it from a folder there; `without` are packages to do without.

    The folder stays where imports look: functions import too. Each proof has a process of its own.
    """
    instead_of(without)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module(module)


def instead_of(packages: Iterable[str]) -> None:
    """Puts stand-ins in the place of packages."""
    sys.meta_path.insert(0, _Finder(packages))


def provide(module: str, **names: Any) -> None:
    """Gives a stand-in what the measured code does use of the package."""
    for name, value in names.items():
        setattr(importlib.import_module(module), name, value)


def run_script(path: Path, *arguments: str, on_cpu: bool = False) -> dict[str, Any]:
    """Runs a script of a checkout to its end, or to where a stand-in raises SystemExit, and returns its names; `on_cpu` makes it one for the CPU."""
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path), *arguments]
    text = path.read_text(encoding="utf-8")
    if on_cpu:
        text = text.replace('"cuda:0"', '"cpu"').replace(".cuda()", "")
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    try:
        exec(compile(text, str(path), "exec"), names)
    except SystemExit:
        return names
    return names
