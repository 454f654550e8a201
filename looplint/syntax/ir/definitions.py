"""Functions, classes and modules of the structured code, with what their texts tell beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import libcst as cst

from looplint.dataclass import dataclass, field
from looplint.syntax.ir.expression_nodes import Arg, Attr, Call, Const, Display, Expr, Name, Star, path_of
from looplint.syntax.ir.statement_nodes import (
    Assign,
    AugAssign,
    ClassDef,
    ExprStmt,
    For,
    FunctionDef,
    Import,
    Jump,
    Return,
    Stmt,
    Try,
    With,
    statements,
)

Code = TypeVar("Code", contravariant=True)


class Later(Protocol[Code]):
    """What some code lacks until it is needed."""

    def load(self, code: Code, /) -> None: ...


# How the name of a function begins that `super()` gives, as text.
SUPER = "super()"


@dataclass(slots=True, eq=False)
class Param:
    """A parameter; `kind` is "plain", "keyword", "*" or "**"."""

    name: str
    kind: str
    default: Expr | None
    annotation: Expr | None


@dataclass(slots=True)
class Usage:
    """How a function uses one of its names: evidence for the role of a parameter."""

    methods: frozenset[str] = frozenset()
    attrs: frozenset[str] = frozenset()
    # How often it is called, and how often of these to take the place of what is called: `optimizer = optimizer(parameters)`.
    calls: int = 0
    rebound: int = 0
    # The methods that are called on what its calls give, under the names that this gets.
    given_methods: frozenset[str] = frozenset()
    iterated: bool = False
    # The dotted names of the functions it is passed to, each with its place among the arguments; those of `super()` begin with SUPER, and `[]` follows the
    # name of a table that a function is taken from.
    passed: frozenset[tuple[str, int]] = frozenset()
    # The same for those to which it goes by a keyword.
    named: frozenset[tuple[str, str]] = frozenset()
    # The dotted names of the functions that get it in a list or tuple that is written as their first argument: `torch.cat([x, y])`.
    listed: frozenset[str] = frozenset()
    # The dotted names of the functions that get, as their first argument, what one of its methods gives: `Adam(model.groups(rate))`.
    feeds: frozenset[str] = frozenset()
    # Whether an entry of it is taken by its name, or all are handed on as keyword arguments, as those of a dictionary.
    keyed: bool = False
    # Whether it is subtracted, multiplied or divided, as numbers and tensors are, or sliced along several axes, as only tensors are.
    computed: bool = False
    # The annotations of the parameters that it becomes, as text.
    annotations: frozenset[str] = frozenset()

    @property
    def called(self) -> bool:
        return self.calls > 0

    @property
    def applied(self) -> bool:
        """Whether it is called for something else than to take its own place: what that makes is not called itself."""
        return self.calls > self.rebound

    def add(self, other: Usage) -> None:
        """Take in how it is used elsewhere."""
        self.methods |= other.methods
        self.attrs |= other.attrs
        self.calls += other.calls
        self.rebound += other.rebound
        self.given_methods |= other.given_methods
        self.iterated = self.iterated or other.iterated
        self.computed = self.computed or other.computed
        self.keyed = self.keyed or other.keyed
        self.passed |= other.passed
        self.named |= other.named
        self.listed |= other.listed
        self.feeds |= other.feeds
        self.annotations |= other.annotations


@dataclass(slots=True, eq=False)
class Function:
    """A function, a lambda or a module's body, with what its text tells beforehand.

    `declared` maps names to "global" or "nonlocal", `usage` paths to what is done with them; `tested` are the names that conditions read
    and those that get None, True or False, `methods` the names of the methods called, `dropped` those of methods whose results are not used,
    `aliases` the dotted names that are assigned to others, with these.
    """

    name: str
    qualname: str
    params: list[Param]
    body: list[Stmt]
    decorators: list[Expr]
    node: cst.CSTNode
    is_lambda: bool = False
    is_generator: bool = False
    declared: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    tested: set[str] = field(default_factory=set)
    methods: set[str] = field(default_factory=set)
    dropped: set[str] = field(default_factory=set)
    aliases: list[tuple[str, str]] = field(default_factory=list)
    # The dotted names of what is called, with those that the results are assigned to.
    made: list[tuple[str, str]] = field(default_factory=list)
    # What was found out about it (`kept_with_code`).
    facts: dict[object, object] = field(default_factory=dict, repr=False)
    # What gives its body, and that of its node, where they were left packed.
    later: Later[Function] | None = field(default=None, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name != "body" or self.later is None:
                raise AttributeError(name)
            self.later.load(self)
            return self.body

    @property
    def usage_of_self(self) -> Usage | None:
        """What is done with its first parameter, which is a method's own object."""
        return self.usage.get(self.params[0].name) if self.params else None

    def called(self) -> set[str]:
        """The names of what it calls, of methods or of functions."""
        return self.methods | {name for name, usage in self.usage.items() if usage.called}


@dataclass(slots=True, eq=False)
class Field:
    """A name that the body of a class annotates, and the value that it gives it."""

    annotation: Expr
    default: Expr | None


@dataclass(slots=True, eq=False)
class Class:
    """A class; one that `trains_itself` goes backward or clears gradients in its own methods, as a model that is its trainer too."""

    name: str
    qualname: str
    bases: list[Expr]
    body: list[Stmt]
    node: cst.CSTNode
    # By their names; what sets a property is "rate.setter".
    methods: dict[str, Function] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    # The assignments of its body and the classes in it, by their names: the first of each.
    assigned: dict[str, Assign] = field(default_factory=dict)
    inner: dict[str, Class] = field(default_factory=dict)
    # The names that its body annotates, in order: the fields of a dataclass.
    fields: dict[str, Field] = field(default_factory=dict)
    trains_itself: bool = False


# The methods by which a loss goes backward and an optimizer steps, whatever they belong to.
GRADIENT_METHODS: dict[str, Literal["backward", "step"]] = {"backward": "backward", "manual_backward": "backward", "step": "step"}


def gradient_kind(call: Call) -> Literal["backward", "step"] | None:
    """What a call does in a training loop by its name: `loss.backward()`, `optimizer.step()`, and a scaler's whole update, `loss_scaler(loss, optimizer)`."""
    match call:
        case Call(func=Attr(attr=name)) if name in GRADIENT_METHODS:
            return GRADIENT_METHODS[name]
        case Call(func=Attr(attr=name) | Name(id=name), args=[Arg(), Arg(value=Attr(attr=given) | Name(id=given)), *_]):
            return "backward" if name.lower().endswith("scaler") and "opt" in given.lower() else None
    return None


@dataclass(slots=True, eq=False)
class GradientCall:
    """A call that, by the name of its method, sends a loss backward or makes an optimizer step: what a reader takes for a part of a training loop.

    `loop` is the innermost loop of the text around it in its function.
    """

    call: Call
    kind: Literal["backward", "step"]
    function: Function
    cls: Class | None
    loop: cst.CSTNode | None


@dataclass(slots=True, eq=False)
class ModuleCode:
    """A lowered module; `top` is its body as a function without parameters."""

    tree: cst.Module
    top: Function
    functions: list[Function]
    classes: list[Class]
    gradient_calls: list[GradientCall]
    # The first row and column and the last of each node; empty until a place is needed.
    spans: dict[cst.CSTNode, tuple[int, int, int, int]] = field(default_factory=dict)
    # What was found out about it (`kept_with_code`).
    facts: dict[object, object] = field(default_factory=dict, repr=False)
    # What gives its tree with the bodies of all functions, where some were left packed.
    later: Later[ModuleCode] | None = field(default=None, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            if name != "tree" or self.later is None:
                raise AttributeError(name)
            self.later.load(self)
            return self.tree


def decorator_name(decorator: Expr) -> str:
    """The last part of a decorator's name, be it called or not."""
    return (path_of(decorator.func if isinstance(decorator, Call) else decorator) or "").rpartition(".")[2]


def is_static(function: Function) -> bool:
    """Whether a method gets no object."""
    return any(isinstance(d, Name) and d.id == "staticmethod" for d in function.decorators)


def is_abstract(function: Function) -> bool:
    """Whether a method is for subclasses to write."""
    return any((path_of(d) or "").rpartition(".")[2] == "abstractmethod" for d in function.decorators)


def is_left_open(function: Function) -> bool:
    """Whether a method is for subclasses to write, or does nothing that another one would not replace."""
    return is_abstract(function) or all(does_nothing(stmt) for stmt in function.body)


def does_nothing(stmt: Stmt) -> bool:
    """Whether a statement has no effect and gives nothing: a docstring, `...`, `pass`, `return None`, or an error."""
    match stmt:
        case ExprStmt(value=Const()) | Return(value=None | Const()) | Jump():
            return True
    return False


def is_property(function: Function) -> bool:
    """Whether a method is called where its name is read: `property`, and what others call after it (`cached_property`, `classproperty`)."""
    return any((path_of(d) or "").endswith("property") for d in function.decorators)


def is_of_class(function: Function) -> bool:
    """Whether a method gets its class in place of an object."""
    return any("class" in (path_of(d) or "").rpartition(".")[2] for d in function.decorators)


def bound_names(function: Function) -> set[str]:
    """The names that a function binds itself, its parameters among them."""
    found = {p.name for p in function.params}.union(*(binds(stmt) for stmt in statements(function.body)))
    return found - function.declared.keys()


def targets(stmt: Stmt) -> list[Expr]:
    """What a statement itself assigns to: names, attributes, items, and displays of these."""
    match stmt:
        case Assign(targets=assigned):
            return list(assigned)
        case AugAssign(target=target) | For(target=target):
            return [target]
        case With(items=items):
            return [target for _, target in items if target is not None]
    return []


def single_targets(target: Expr) -> list[Expr]:
    """What a target assigns to, with displays taken apart: the names, attributes and items in `a, (self.b, c[0]) = given`."""
    return [each for item in target.items for each in single_targets(item)] if isinstance(target, Display) else [target]


def assigned(stmt: Stmt) -> list[tuple[Expr, Expr]]:
    """What each single target of an assignment gets, as far as the text pairs them: `x, y = x.cuda(), y.cuda()` is two."""
    if not isinstance(stmt, Assign):
        return []
    return [pair for target in stmt.targets for pair in _paired(target, stmt.value)]


def _paired(target: Expr, value: Expr) -> list[tuple[Expr, Expr]]:
    match target, value:
        case Display(items=left), Display(items=right) if len(left) == len(right) and not any(isinstance(i, Star) for i in (*left, *right)):
            return [pair for each, given in zip(left, right, strict=True) for pair in _paired(each, given)]
    return [(target, value)]


def binds(stmt: Stmt) -> set[str]:
    """The names that a statement itself binds, without those of the blocks in it."""
    match stmt:
        case Try(handlers=handlers):
            return {name for name, _ in handlers if name}
        case Import(names=names):
            return {item.bound for item in names}
        case FunctionDef(function=inner):
            return {inner.name}
        case ClassDef(cls=cls):
            return {cls.name}
    return {name for target in targets(stmt) for name in _names(target)}


def _names(target: Expr) -> Iterator[str]:
    match target:
        case Name(id=name):
            yield name
        case Star(value=value):
            yield from _names(value)
        case Display(items=items):
            for item in items:
                yield from _names(item)
