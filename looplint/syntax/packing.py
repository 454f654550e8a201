"""Lowered modules as bytes, from which the bodies of functions are taken out when they are needed.

Of most modules that a file imports a few functions are followed. What their classes and functions are called, take and use is there at once.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
import zlib
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import Any

import libcst as cst

from looplint.dataclass import dataclass
from looplint.syntax import ir

# Half of the nodes of a tree are these; no place and no repair is asked of them, so that one node serves for all alike.
_SHARED: dict[object, cst.CSTNode] = {
    ("SimpleWhitespace", ""): cst.SimpleWhitespace(""),
    ("SimpleWhitespace", " "): cst.SimpleWhitespace(" "),
    ("Newline", None): cst.Newline(),
}


def pack(code: ir.ModuleCode) -> bytes | None:
    """A lowered module as bytes; None where it is nested too deeply. What was found out about it is left out: it may refer to anything."""
    if code.later is not None:
        code.later.load(code)
    code.spans.clear()
    code.facts.clear()
    for function in code.functions:
        function.facts.clear()
    # What the module knows of a body's inside is packed with the module.
    known = {id(code.top), *(id(call.function) for call in code.gradient_calls)}
    try:
        separable = {
            number: packed
            for number, function in enumerate(code.functions)
            if id(function) not in known and (packed := _packed_body(function)) is not None
        }
        head = _without_bodies(code, [code.functions[number] for number in separable])
    except RecursionError:
        return None
    return pickle.dumps((zlib.compress(head, 1), separable))


def unpack(packed: bytes) -> ir.ModuleCode:
    """The module that was packed; equal to it, and made of other nodes."""
    head, bodies = pickle.loads(packed)
    code = pickle.loads(zlib.decompress(head))
    assert isinstance(code, ir.ModuleCode)
    for number, body in bodies.items():
        function = code.functions[number]
        function.later = _Body(body)
        del function.body
    if bodies:
        code.later = _Tree(code.tree, [code.functions[number] for number in bodies])
        del code.tree
    return code


@dataclass(frozen=True, slots=True)
class _Body:
    """The body of a function that was not needed yet."""

    packed: bytes

    def load(self, function: ir.Function) -> None:
        function.later = None
        function.body, block = pickle.loads(zlib.decompress(self.packed))
        _put(function.node, block)


@dataclass(frozen=True, slots=True)
class _Tree:
    """The tree of a module, which lacks the bodies of some functions."""

    tree: cst.Module
    lacking: list[ir.Function]

    def load(self, code: ir.ModuleCode) -> None:
        code.later = None
        for function in self.lacking:
            if function.later is not None:
                function.later.load(function)
        code.tree = self.tree


def _packed_body(function: ir.Function) -> bytes | None:
    """The body of a function and that of its node; None where there is a function or a class in it, which the module knows as well."""
    if not isinstance(function.node, cst.FunctionDef):
        return None
    try:
        return zlib.compress(_dumped((function.body, function.node.body), _BodyPickler), 1)
    except _Inseparable:
        return None


def _without_bodies(code: ir.ModuleCode, functions: list[ir.Function]) -> bytes:
    """A module, packed without the bodies of some functions."""
    bodies = [(function, function.body, function.node.body) for function in functions if isinstance(function.node, cst.FunctionDef)]
    try:
        for function, _, _ in bodies:
            function.body = []
            _put(function.node, _EMPTY)
        return _dumped(code, _Pickler)
    finally:
        for function, body, block in bodies:
            function.body = body
            _put(function.node, block)


_EMPTY = cst.IndentedBlock([])


def _put(node: cst.CSTNode, block: cst.BaseSuite) -> None:
    """Give a definition its body: nodes are frozen for those who change trees, not for who makes them."""
    object.__setattr__(node, "body", block)


class _Inseparable(Exception):
    """There is something in a body that its module knows as well."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        kind = type(obj)
        if kind is FunctionType and obj in _MADE_BY:
            return _maker, (_MADE_BY[obj],)
        if not issubclass(kind, cst.CSTNode):
            return NotImplemented
        if kind is cst.SimpleWhitespace or kind is cst.Newline:
            key = (kind.__name__, obj.value)
            if key in _SHARED:
                return _shared, key
        make, values = _maker(kind), _values(kind)
        return make, values(obj)


class _BodyPickler(_Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is ir.Function or type(obj) is ir.Class:
            raise _Inseparable
        return super().reducer_override(obj)


def _shared(kind: str, value: str | None) -> cst.CSTNode:
    return _SHARED[kind, value]


# The classes of nodes by the functions that `_maker` has made for them.
_MADE_BY: dict[object, type[cst.CSTNode]] = {}


@cache
def _maker(kind: type[cst.CSTNode]) -> Callable[..., cst.CSTNode]:
    """What makes a node of a class from its fields, without looking at whether they go together: the constructor and unpickling take twice the time."""
    fields = [field.name for field in dataclasses.fields(kind)]
    given: dict[str, Any] = {f"put_{name}": getattr(kind, name).__set__ for name in fields} | {"new": object.__new__, "kind": kind}
    puts = "".join(f"    put_{name}(node, {name})\n" for name in fields)
    exec(f"def make({', '.join(fields)}):\n    node = new(kind)\n{puts}    return node\n", given)
    make: Callable[..., cst.CSTNode] = given["make"]
    _MADE_BY[make] = kind
    return make


@cache
def _values(kind: type[cst.CSTNode]) -> Callable[[cst.CSTNode], tuple[object, ...]]:
    """What gives the fields of a node of a class."""
    fields = [field.name for field in dataclasses.fields(kind)]
    return attrgetter(*fields) if len(fields) > 1 else lambda node: tuple(getattr(node, name) for name in fields)


def _dumped(obj: object, pickler: type[pickle.Pickler]) -> bytes:
    file = io.BytesIO()
    pickler(file, pickle.HIGHEST_PROTOCOL).dump(obj)
    return file.getvalue()
