"""What later phases find out about lowered code, kept with the code."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from looplint.syntax.ir.definitions import Function, ModuleCode

Code = TypeVar("Code", Function, ModuleCode)
Fact = TypeVar("Fact")


def kept_with_code(find: Callable[[Code], Fact]) -> Callable[[Code], Fact]:
    """Ask a function once for each lowered code that it is given.

    A cache of calls would keep the code, and the tree that it came from, beyond its last use.
    """

    @wraps(find)
    def found(code: Code) -> Fact:
        if find not in code.facts:
            code.facts[find] = find(code)
        return cast(Fact, code.facts[find])

    return found
