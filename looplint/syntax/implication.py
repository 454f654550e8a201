"""What conditions that hold say of another one: where `mode == "train"` holds, `mode == "test"` does not."""

from __future__ import annotations

from collections.abc import Iterable

from looplint.syntax import ir

# Each operator that says the opposite of another one.
_OPPOSITES = {"!=": "==", "is not": "is", "not in": "in"}


class Implications:
    """The outcomes that follow from some conditions, all in the words of one place."""

    def __init__(self, conditions: Iterable[tuple[ir.Expr, bool]]) -> None:
        self._outcomes: dict[str, bool] = {}
        self._equal: dict[str, object] = {}
        for condition, held in conditions:
            for part, outcome in ir.settled(condition, held):
                self._add(part, outcome)

    def _add(self, test: ir.Expr, held: bool) -> None:
        text, says = _asserted(test)
        self._outcomes[text] = held == says
        match test:
            case ir.Compare(left=left, ops=["==" | "!="], rights=[ir.Const(value=str() | int() as value)]) if held == says:
                self._equal[ir.render(left)] = value

    def outcome(self, test: ir.Expr) -> bool | None:
        """The outcome of a test; None where it does not follow."""
        test, held = ir.affirmed(test, True)
        found = self._of_parts(test) if isinstance(test, ir.BoolOp) else self._of_one(test)
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
        match test:
            case ir.Compare(left=left, rights=[ir.Const(value=str() | int() as value)], ops=["==" | "!="]):
                known = self._equal.get(ir.render(left))
                return (known == value) == says if known is not None else None
            case ir.Compare(left=left, rights=[ir.Display(items=items)], ops=["in" | "not in"]):
                known = self._equal.get(ir.render(left))
                values = [e.value for e in items if isinstance(e, ir.Const)]
                return (known in values) == says if known is not None and len(values) == len(items) else None
        return None


def _asserted(test: ir.Expr) -> tuple[str, bool]:
    """What a test asks, as text, and whether it holds where that does: `a != b` asks for `a == b`, and does not hold there."""
    match test:
        case ir.Compare(ops=[op]) if op in _OPPOSITES:
            return ir.render(ir.Compare(test.node, test.left, [_OPPOSITES[op]], test.rights)), False
    return ir.render(test), True
