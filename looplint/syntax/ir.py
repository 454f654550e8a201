"""The structured code that lowering makes of a module: small, immutable in spirit, with a reference to each CST node.

Nothing after lowering walks the CST; the nodes are kept for positions and repairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import libcst as cst

from looplint.dataclass import dataclass, field


@dataclass(slots=True, eq=False)
class Const:
    """A number, text, bytes, True, False, None or `...`."""

    node: cst.CSTNode
    value: Any


@dataclass(slots=True, eq=False)
class Name:
    """A name that is read or set."""

    node: cst.CSTNode
    id: str


@dataclass(slots=True, eq=False)
class Attr:
    """`value.attr`."""

    node: cst.CSTNode
    value: Expr
    attr: str


@dataclass(slots=True, eq=False)
class Arg:
    """An argument of a call: by position, by `keyword`, or unpacked (`star` is "*" or "**")."""

    value: Expr
    keyword: str | None = None
    star: str = ""


@dataclass(slots=True, eq=False)
class Call:
    """A call. It is `dropped` where it is a statement, or an item of one: nobody takes its result."""

    node: cst.CSTNode
    func: Expr
    args: list[Arg]
    dropped: bool = False


@dataclass(slots=True, eq=False)
class Display:
    """A tuple, list or set display."""

    node: cst.CSTNode
    kind: str
    items: list[Expr]


@dataclass(slots=True, eq=False)
class DictDisplay:
    """`{key: value}`; a key of None unpacks another dictionary."""

    node: cst.CSTNode
    items: list[tuple[Expr | None, Expr]]


@dataclass(slots=True, eq=False)
class Subscript:
    """`value[index]`."""

    node: cst.CSTNode
    value: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Binary:
    """An operator with two operands, `op` as it is written."""

    node: cst.CSTNode
    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Unary:
    """An operator with one operand; `op` may be "not"."""

    node: cst.CSTNode
    op: str
    operand: Expr


@dataclass(slots=True, eq=False)
class Compare:
    """A comparison, chained where there are several `rights`."""

    node: cst.CSTNode
    left: Expr
    ops: list[str]
    rights: list[Expr]


@dataclass(slots=True, eq=False)
class BoolOp:
    """`left and right`, `left or right`."""

    node: cst.CSTNode
    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class IfExp:
    """`body if test else orelse`."""

    node: cst.CSTNode
    test: Expr
    body: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Lambda:
    """A lambda, as the function that it is."""

    node: cst.CSTNode
    function: Function


@dataclass(slots=True, eq=False)
class Clause:
    """A `for ... in ...` of a comprehension, with its conditions."""

    target: Expr
    iter: Expr
    tests: list[Expr]


@dataclass(slots=True, eq=False)
class Comprehension:
    """A comprehension or generator expression; `kind` is the name of its CST node, `elements` are the element, or key and value."""

    node: cst.CSTNode
    kind: str
    elements: list[Expr]
    clauses: list[Clause]


@dataclass(slots=True, eq=False)
class Star:
    """`*value` in a display or a target."""

    node: cst.CSTNode
    value: Expr


@dataclass(slots=True, eq=False)
class Yield:
    """`yield value`; where it is `delegated`, `yield from value`."""

    node: cst.CSTNode
    value: Expr | None
    delegated: bool = False


@dataclass(slots=True, eq=False)
class Walrus:
    """`(target := value)`."""

    node: cst.CSTNode
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class Format:
    """An f-string: its interpolated expressions."""

    node: cst.CSTNode
    parts: list[Expr]


@dataclass(slots=True, eq=False)
class Opaque:
    """Anything else: only its parts matter."""

    node: cst.CSTNode
    parts: list[Expr]


Expr = (
    Const | Name | Attr | Call | Display | DictDisplay | Subscript | Binary | Unary | Compare | BoolOp | IfExp | Lambda |
    Comprehension | Star | Yield | Walrus | Format | Opaque
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Assign:
    """`targets = value`, with or without an annotation."""

    node: cst.CSTNode
    targets: list[Expr]
    value: Expr


@dataclass(slots=True, eq=False)
class AugAssign:
    """`target op= value`; `op` without its equals sign."""

    node: cst.CSTNode
    target: Expr
    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class ExprStmt:
    """An expression as a statement."""

    node: cst.CSTNode
    value: Expr


@dataclass(slots=True, eq=False)
class If:
    """An `if`; an `elif` stands in `orelse`."""

    node: cst.CSTNode
    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]


@dataclass(slots=True, eq=False)
class For:
    """A `for` loop: `assigned` are the paths that its body sets, `reset` those of them that it sets to a constant."""

    node: cst.CSTNode
    target: Expr
    iter: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    assigned: frozenset[str] = frozenset()
    reset: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class While:
    """A `while` loop; see `For`."""

    node: cst.While
    test: Expr
    body: list[Stmt]
    orelse: list[Stmt]
    assigned: frozenset[str] = frozenset()
    reset: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class With:
    """A `with` and its items: what is entered, and where it goes."""

    node: cst.With
    items: list[tuple[Expr, Expr | None]]
    body: list[Stmt]


@dataclass(slots=True, eq=False)
class Try:
    """A `try`; of each handler the name of its exception and its body."""

    node: cst.CSTNode
    body: list[Stmt]
    handlers: list[tuple[str | None, list[Stmt]]]
    orelse: list[Stmt]
    final: list[Stmt]


@dataclass(slots=True, eq=False)
class Case:
    """A case of a `match`: the value it compares with, or None, and the names it binds."""

    pattern: Expr | None
    binds: list[str]
    guard: Expr | None
    body: list[Stmt]


@dataclass(slots=True, eq=False)
class Match:
    """A `match` statement."""

    node: cst.CSTNode
    subject: Expr
    cases: list[Case]


@dataclass(slots=True, eq=False)
class Return:
    """A `return`."""

    node: cst.CSTNode
    value: Expr | None


@dataclass(slots=True, eq=False)
class Jump:
    """break, continue or raise."""

    node: cst.CSTNode
    kind: str
    value: Expr | None = None


@dataclass(slots=True, eq=False)
class Delete:
    """A `del`."""

    node: cst.CSTNode
    targets: list[Expr]


@dataclass(slots=True, eq=False)
class Assert:
    """An `assert`."""

    node: cst.CSTNode
    test: Expr


@dataclass(slots=True, eq=False)
class FunctionDef:
    """A `def`: the function gets its name here."""

    node: cst.CSTNode
    function: Function


@dataclass(slots=True, eq=False)
class ClassDef:
    """A `class`: the class gets its name here."""

    node: cst.CSTNode
    cls: Class


@dataclass(slots=True, eq=False)
class ImportName:
    """One bound name of an import: `module` (with its leading dots counted in `level`), the name taken from it, or None."""

    module: str
    name: str | None
    bound: str
    level: int


@dataclass(slots=True, eq=False)
class Import:
    """An `import` or `from ... import`."""

    node: cst.CSTNode
    names: list[ImportName]


@dataclass(slots=True, eq=False)
class Scope:
    """global or nonlocal declarations."""

    node: cst.CSTNode
    kind: str
    names: list[str]


Stmt = (
    Assign | AugAssign | ExprStmt | If | For | While | With | Try | Match | Return | Jump | Delete | Assert | FunctionDef | ClassDef | Import | Scope
)  # fmt: skip


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


def path_of(expr: Expr) -> str | None:
    """The dotted text of a name or an attribute chain (`self.opt`), or None."""
    match expr:
        case Name():
            return expr.id
        case Attr():
            base = path_of(expr.value)
            return f"{base}.{expr.attr}" if base else None
    return None


def named(path: str, node: cst.CSTNode) -> Expr:
    """The expression that a dotted name is the text of."""
    first, *rest = path.split(".")
    expr: Expr = Name(node, first)
    for part in rest:
        expr = Attr(node, expr, part)
    return expr


def children(expr: Expr) -> Iterator[Expr]:
    """The direct sub-expressions of an expression."""
    match expr:
        case Attr() | Star():
            yield expr.value
        case Walrus():
            yield expr.value
        case Call():
            yield expr.func
            for arg in expr.args:
                yield arg.value
        case Display():
            yield from expr.items
        case DictDisplay():
            for key, value in expr.items:
                if key is not None:
                    yield key
                yield value
        case Subscript():
            yield expr.value
            yield expr.index
        case Binary() | BoolOp():
            yield expr.left
            yield expr.right
        case Unary():
            yield expr.operand
        case Compare():
            yield expr.left
            yield from expr.rights
        case IfExp():
            yield expr.test
            yield expr.body
            yield expr.orelse
        case Comprehension():
            yield from expr.elements
            for clause in expr.clauses:
                yield clause.iter
                yield from clause.tests
        case Yield():
            if expr.value is not None:
                yield expr.value
        case Format() | Opaque():
            yield from expr.parts


def bodies(stmt: Stmt) -> Iterator[list[Stmt]]:
    """The blocks of a compound statement."""
    match stmt:
        case If() | For() | While():
            yield from (stmt.body, stmt.orelse)
        case With():
            yield stmt.body
        case Try():
            yield from (stmt.body, *(body for _, body in stmt.handlers), stmt.orelse, stmt.final)
        case Match():
            yield from (case.body for case in stmt.cases)


def expressions(stmt: Stmt) -> Iterator[Expr]:
    """The expressions of a statement itself, without those of the blocks in it."""
    match stmt:
        case Assign() | AugAssign() | ExprStmt():
            yield stmt.value
        case If() | While() | Assert():
            yield stmt.test
        case For():
            yield stmt.iter
        case With():
            yield from (context for context, _ in stmt.items)
        case Match():
            yield stmt.subject
        case Return() | Jump() if stmt.value is not None:
            yield stmt.value


def statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """The statements of a block and of the blocks in it, without those of functions and classes defined there."""
    for stmt in body:
        yield stmt
        for inner in bodies(stmt):
            yield from statements(inner)


def paths_in(expr: Expr) -> set[str]:
    """The names and attribute chains an expression reads, with every prefix of each chain."""
    found: set[str] = set()
    work = [expr]
    while work:
        item = work.pop()
        path = path_of(item)
        if path:
            found.add(path)
        work.extend(children(item))
    return found


_EMPTY = cst.Module([])


def render(expr: Expr | None) -> str:
    """A short canonical text of an expression, for condition keys and messages."""
    match expr:
        case None:
            return ""
        case Const():
            return repr(expr.value)
        case Name():
            return expr.id
        case Attr(value=Compare()):
            return f"({render(expr.value)}).{expr.attr}"
        case Attr():
            return f"{render(expr.value)}.{expr.attr}"
        case Call():
            args = ", ".join((f"{a.keyword}=" if a.keyword else a.star) + render(a.value) for a in expr.args)
            return f"{render(expr.func)}({args})"
        case Display():
            inner = ", ".join(render(i) for i in expr.items)
            return f"[{inner}]" if expr.kind == "list" else f"({inner})"
        case Subscript():
            return f"{render(expr.value)}[{render(expr.index)}]"
        case Binary():
            return f"({render(expr.left)} {expr.op} {render(expr.right)})"
        case Unary():
            return f"{expr.op}({render(expr.operand)})"
        case Compare():
            return render(expr.left) + "".join(f" {op} {render(r)}" for op, r in zip(expr.ops, expr.rights))
        case BoolOp():
            return f"({render(expr.left)} {expr.op} {render(expr.right)})"
        case _:
            return " ".join(_EMPTY.code_for_node(expr.node).split())
