"""Functions, classes and modules of the structured code, with what their texts tell beforehand."""

from __future__ import annotations

from typing import Literal

import libcst as cst

from looplint.dataclass import dataclass, field
from looplint.syntax.ir.expression_nodes import Call, Expr
from looplint.syntax.ir.statement_nodes import Stmt


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

    methods: set[str] = field(default_factory=set)
    attrs: set[str] = field(default_factory=set)
    called: bool = False
    iterated: bool = False
    # The dotted names of the functions it is handed to, each with its place among the arguments.
    passed: set[tuple[str, int]] = field(default_factory=set)
    # Whether it is subtracted, multiplied or divided, as numbers and tensors are.
    computed: bool = False


@dataclass(slots=True, eq=False)
class Function:
    """A function, a lambda or a module's body, with what its text tells beforehand.

    `declared` maps names to "global" or "nonlocal", `usage` paths to what is done with them; `tested` are the names that conditions read,
    `methods` the names of the methods called, `dropped` those of methods whose results nobody takes.
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


@dataclass(slots=True, eq=False)
class Class:
    """A class; one that `trains_itself` goes backward or clears gradients in its own methods, as a model that is its trainer too."""

    name: str
    qualname: str
    bases: list[Expr]
    body: list[Stmt]
    node: cst.CSTNode
    methods: dict[str, Function] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    trains_itself: bool = False


# The methods by which a loss goes backward and an optimizer steps, whatever they belong to.
GRADIENT_METHODS: dict[str, Literal["backward", "step"]] = {"backward": "backward", "manual_backward": "backward", "step": "step"}


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
