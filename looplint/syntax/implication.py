"""What conditions that hold say of another one: where `mode == "train"` holds, `mode == "test"` does not."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.syntax import ir


class Implications:
    """The outcomes that follow from some conditions, all in the words of one place."""

    def __init__(self, conditions: Iterable[tuple[ir.Expr, bool]]) -> None:
        self._outcomes: dict[str, bool] = {}
        # The constants of which an expression is one, and those that it is not.
        self._among: dict[str, frozenset[object]] = {}
        self._others: dict[str, frozenset[object]] = {}
        # What was asked, by its identity: the branches of a long `elif` share their conditions.
        self._asked: dict[int, tuple[ir.Expr, bool | None]] = {}
        for condition, held in conditions:
            for part, outcome in ir.settled(condition, held):
                self._add(part, outcome)

    def _add(self, test: ir.Expr, held: bool) -> None:
        text, says = _asserted(test)
        self._outcomes[text] = held == says
        asked = _membership(test)
        if asked is not None:
            left, values, says = asked
            if held != says:
                self._others[left] = self._others.get(left, frozenset()) | values
            else:
                self._among[left] = self._among.get(left, values) & values

    def outcome(self, test: ir.Expr) -> bool | None:
        """The outcome of a test; None where it does not follow."""
        if id(test) not in self._asked:
            self._asked[id(test)] = test, self._outcome(test)
        return self._asked[id(test)][1]

    def _outcome(self, test: ir.Expr) -> bool | None:
        test, held = ir.affirmed(test, True)
        found = self._of_one(test)
        if found is None and isinstance(test, ir.BoolOp):
            found = self._of_parts(test)
        return None if found is None else found == held

    def _of_parts(self, test: ir.BoolOp) -> bool | None:
        outcomes = {self.outcome(test.left), self.outcome(test.right)}
        decisive = test.op == "or"
        if decisive in outcomes:
            return decisive
        return None if None in outcomes else not decisive

    def _of_one(self, test: ir.Expr) -> bool | None:
        text, says = _asserted(test)
        if text in self._outcomes:
            return self._outcomes[text] == says
        asked = _membership(test)
        if asked is None:
            return None
        left, values, says = asked
        others = self._others.get(left, frozenset())
        if left not in self._among:
            return None if values - others else not says
        among = self._among[left] - others
        if among.isdisjoint(values):
            return not says
        return says if among <= values else None


def _membership(test: ir.Expr) -> tuple[str, frozenset[object], bool] | None:
    """What a test compares, as text, with which constants, and whether it holds where it is one of them.

    `mode == "a"`, `mode in ("a", "b")` and `mode == "a" or mode == "b"` do, `mode != "a"` and `mode != "a" and mode != "b"` do not.
    """
    match test:
        case ir.Compare(left=left, ops=["==" | "!=" as op], rights=[ir.Const(value=str() | int() as value)]):
            return ir.render(left), frozenset({value}), op == "=="
        case ir.Compare(left=left, ops=["in" | "not in" as op], rights=[ir.Display(items=items)]):
            values = frozenset(e.value for e in items if isinstance(e, ir.Const))
            return (ir.render(left), values, op == "in") if len(values) == len(items) else None
        case ir.BoolOp(op=op, left=one, right=other):
            first, second = _membership(one), _membership(other)
            if first is not None and second is not None and first[0] == second[0] and first[2] == second[2] == (op == "or"):
                return first[0], first[1] | second[1], first[2]
    return None


def _asserted(test: ir.Expr) -> tuple[str, bool]:
    """What a test asks, as text, and whether it holds where that does: `a != b` asks for `a == b`, and does not hold there."""
    match test:
        case ir.Compare(ops=[op]) if op in ir.DENIED:
            return ir.render(ir.Compare(test.node, test.left, [ir.DENIED[op]], test.rights)), False
    return ir.render(test), True
