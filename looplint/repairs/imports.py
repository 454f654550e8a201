"""How a file names what a repair needs of a module, and the import of it where there is none."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Block, Layout, Statement


def named(draft: Draft, layout: Layout, module: str, name: str) -> str:
    """The text by which a file calls `module.name`; the draft gets the import where the file lacks it.

    Raises:
        Infeasible: the file holds nothing that an import could stand before, or imports the module only where it is needed: it may be missing elsewhere.
    """
    for statement in _of_every_run(layout.top):
        match statement.node:
            case cst.Import(names=aliases):
                for alias in aliases:
                    if alias.evaluated_name == module:
                        return f"{alias.evaluated_alias or module}.{name}"
                    if alias.evaluated_name.startswith(f"{module}.") and alias.evaluated_alias is None:
                        return f"{module}.{name}"
            case cst.ImportFrom(module=cst.BaseExpression() as origin, names=aliases) if layout.code(origin) == module and not isinstance(
                aliases, cst.ImportStar
            ):
                for alias in aliases:
                    if alias.evaluated_name == name:
                        return alias.evaluated_alias or name
    if any(module in _imported(s.node) for s in layout.by_node.values()):
        raise Infeasible(f"the file imports {module} only where it needs it: an import at its top would make it needed everywhere")
    _add(draft, layout, f"import {module}")
    return f"{module}.{name}"


def _of_every_run(block: Block) -> Iterator[Statement]:
    """The statements that have run wherever a block has: its own, and those of a `try` none of whose handlers lets the block go on."""
    for statement in block.statements:
        yield statement
        if isinstance(statement.node, cst.Try) and all(
            _ends_in_an_error(each) for each in statement.blocks[1 : len(statement.node.handlers) + 1]
        ):
            yield from _of_every_run(statement.blocks[0])


def _ends_in_an_error(block: Block) -> bool:
    return bool(block.statements) and isinstance(block.statements[-1].node, cst.Raise)


def imported_in(layout: Layout, function: Statement, before: Statement, module: str) -> bool:
    """Whether a function itself imports a module, under its own name, on every way to a statement of it."""
    own = (s for s in layout.by_node.values() if s.block.owner is function and s.start < before.start)
    return any(isinstance(s.node, cst.Import) and any(a.evaluated_name == module and not a.asname for a in s.node.names) for s in own)


def _imported(node: cst.CSTNode) -> set[str]:
    """The modules and packages that a statement imports, or imports from."""
    match node:
        case cst.Import(names=aliases):
            return {alias.evaluated_name.partition(".")[0] for alias in aliases}
        case cst.ImportFrom(module=cst.Name(value=origin), relative=[]):
            return {origin}
    return set()


def _add(draft: Draft, layout: Layout, code: str) -> None:
    """Insert an import before the first one of the file, or below what has to stay first."""
    first = next((s for s in layout.top.statements if not _stays_first(s.node)), None)
    if first is None:
        raise Infeasible("the file has no statement before which an import could be inserted")
    if isinstance(first.node, cst.Import | cst.ImportFrom):
        draft.line_before(first, code)
    elif first.before is not None:
        draft.line_after(first.before, f"{layout.newline}{code}")
    else:
        draft.line_before(first, f"{code}{2 * layout.newline}")


def _stays_first(node: cst.CSTNode) -> bool:
    """A docstring, and imports from `__future__`."""
    if isinstance(node, cst.Expr):
        return isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)
    return isinstance(node, cst.ImportFrom) and isinstance(node.module, cst.Name) and node.module.value == "__future__"
