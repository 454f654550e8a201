"""Statements of the structured code, the blocks in them, and the expressions that they evaluate themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import libcst as cst

from looplint.dataclass import dataclass
from looplint.syntax.ir.expression_nodes import Call, Expr, walk

if TYPE_CHECKING:
    from looplint.syntax.ir.definitions import Class, Function


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
    """An `if`, or a case of a `match`; an `elif` and the cases after it stand in `orelse`."""

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

    node: cst.CSTNode
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
    # Whether each handler catches that an item is missing (`except IndexError`), and nothing else.
    of_items: bool = False


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
    Assign | AugAssign | ExprStmt | If | For | While | With | Try | Return | Jump | Delete | Assert | FunctionDef | ClassDef | Import | Scope
)  # fmt: skip


def bodies(stmt: Stmt) -> Iterator[list[Stmt]]:
    """The blocks of a compound statement."""
    match stmt:
        case If() | For() | While():
            yield from (stmt.body, stmt.orelse)
        case With():
            yield stmt.body
        case Try():
            yield from (stmt.body, *(body for _, body in stmt.handlers), stmt.orelse, stmt.final)


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
        case Return() | Jump() if stmt.value is not None:
            yield stmt.value


def calls_in(body: Iterable[Stmt]) -> Iterator[Call]:
    """The calls that some statements make, and those in them."""
    return (part for stmt in statements(body) for part in walk(*expressions(stmt)) if isinstance(part, Call))


def statements(body: Iterable[Stmt]) -> Iterator[Stmt]:
    """The statements of a block and of the blocks in it, without those of functions and classes defined there."""
    # Not by recursion, which would hand each statement on through every block around it.
    open_blocks = [iter(body)]
    while open_blocks:
        stmt = next(open_blocks[-1], None)
        if stmt is None:
            open_blocks.pop()
            continue
        yield stmt
        open_blocks.extend(map(iter, reversed([*bodies(stmt)])))
