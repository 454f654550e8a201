"""Which names statements read and set, so that no repair carries a statement past one that it depends on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import libcst as cst

from looplint.repairs.layout import Statement
from looplint.syntax.nodes import children

Names = frozenset[str]


def reads(node: cst.CSTNode) -> Names:
    """The names and attribute chains (`self.opt`) that a piece of code reads or changes through."""
    return frozenset(_paths(node))


def sets(node: cst.CSTNode) -> Names:
    """The names and attribute chains that a statement gives a new value."""
    found: set[str] = set()
    work: list[cst.CSTNode] = [node]
    while work:
        item = work.pop()
        match item:
            case cst.AssignTarget() | cst.AugAssign() | cst.AnnAssign() | cst.For() | cst.CompFor() | cst.NamedExpr():
                found |= set(_targets(item.target))
            case cst.AsName():
                found |= set(_targets(item.name))
            case cst.FunctionDef() | cst.ClassDef():
                found.add(item.name.value)
                continue
            case cst.ImportAlias():
                found.add((item.evaluated_alias or item.evaluated_name).partition(".")[0])
                continue
            case cst.Del():
                found |= set(_targets(item.target))
        work += children(item)
    return frozenset(found)


def depends(
    mover: Statement,
    crossed: Iterable[Statement],
    same: Names = frozenset(),
    *,
    renewed: bool = False,
    of_library: Collection[cst.CSTNode] = (),
) -> bool:
    """Whether a statement cannot be carried past others: one sets what the other reads or sets.

    Args:
        mover: the statement.
        crossed: the others.
        same: names that the statement sets to the object they stand for already.
        renewed: whether it is to find the parts that others give the objects whose methods it calls.
        of_library: calls of methods that a library has written, which use no attribute of a program.
    """
    mine_read, mine_set = reads(mover.node), sets(mover.node) - same
    asked = _asked(mover.node)
    for other in crossed:
        theirs = sets(other.node)
        if _meets(theirs, mine_read) or _meets(theirs, mine_set) or (mine_set and _meets(mine_set, reads(other.node))):
            return True
        if (not renewed and _is_part(theirs, asked)) or (mine_set and _is_part(mine_set, _asked(other.node, of_library))):
            return True
    return False


def _asked(node: cst.CSTNode, besides: Collection[cst.CSTNode] = ()) -> Names:
    """The names of the objects of which a piece of code calls methods: each may use all that its object holds."""
    found: set[str] = set()
    work = [node]
    while work:
        item = work.pop()
        if isinstance(item, cst.Call) and isinstance(item.func, cst.Attribute) and item not in besides:
            found.add(dotted(item.func.value) or "")
        work += children(item)
    return frozenset(found - {""})


def _is_part(set_names: Names, owners: Names) -> bool:
    """Whether a set name is an attribute of one of some objects."""
    return any(s.startswith(f"{owner}.") for s in set_names for owner in owners)


def binds(owner: cst.CSTNode, inner: cst.CSTNode) -> bool:
    """Whether the head of a compound statement gives values to names that a statement in it uses."""
    return _meets(head_names(owner), reads(inner))


def head_names(owner: cst.CSTNode) -> Names:
    """The names to which the head of a compound statement gives values."""
    match owner:
        case cst.For():
            return frozenset(_targets(owner.target))
        case cst.With():
            return frozenset(n for item in owner.items if item.asname for n in _targets(item.asname.name))
        case cst.Try():
            return frozenset(n for h in owner.handlers if h.name for n in _targets(h.name.name))
    return frozenset()


def clause_names(node: cst.CSTNode) -> Names:
    """The names that the comprehensions and lambdas of a piece of code bind for themselves."""
    found: set[str] = set()
    work = [node]
    while work:
        item = work.pop()
        match item:
            case cst.CompFor():
                found |= set(_targets(item.target))
            case cst.Lambda():
                found |= {p.name.value for p in item.params.params}
        work += children(item)
    return frozenset(found)


def _meets(set_names: Names, used: Names) -> bool:
    """A set name is used when it, a part of it, or what contains it is."""
    return any(u == s or u.startswith(f"{s}.") for s in set_names for u in used)


def _targets(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case cst.Name() | cst.Attribute():
            path = dotted(node)
            if path:
                yield path
        case cst.Subscript():
            yield from _targets(node.value)
        case cst.Tuple() | cst.List():
            for element in node.elements:
                yield from _targets(element.value)


def _paths(node: cst.CSTNode) -> Iterator[str]:
    work = [node]
    while work:
        item = work.pop()
        match item:
            case cst.Attribute():
                path = dotted(item)
                if path:
                    yield path
                work.append(item.value)
            case cst.Name():
                yield item.value
            case cst.Arg():
                work.append(item.value)
            case cst.ImportAlias():
                continue
            case _:
                work += children(item)


def dotted(node: cst.BaseExpression) -> str | None:
    """The text of a name or of an attribute chain of one; None for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr.value}" if base else None
    return None
