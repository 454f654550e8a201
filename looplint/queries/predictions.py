"""The predictions that losses get, and what they came out of: the questions that the rules on losses ask."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.values import Outcome
from looplint.flow.remarks import Score
from looplint.queries.program import Program
from looplint.syntax.site import Site


@dataclass(frozen=True, slots=True)
class Scored:
    """A loss and what its prediction came out of on every path.

    Attributes:
        event: the call of the loss.
        what: how the text names the prediction.
        outcomes: what it came out of.
        measures: whether the loss trains nothing: gradients are off wherever its call is reached, or nothing of the prediction goes backward.
    """

    event: Score
    what: str
    outcomes: tuple[Outcome, ...]
    measures: bool

    @property
    def sites(self) -> tuple[Site, ...]:
        return tuple(dict.fromkeys(o.site for o in self.outcomes))


def scored(program: Program, function: str, op: str) -> Iterator[Scored]:
    """The calls of a loss whose prediction came out of an operation, on every path and whatever the loss is called with."""
    trained = {e.site.node for e in program.of(Score) if _may_train(program, e)}
    for event in program.of(Score):
        outcomes = event.outcomes
        if event.function == function and event.certain and outcomes and all(o.op == op for o in outcomes):
            measures = event.site.node not in trained
            yield Scored(event, _name(event.site.node), tuple(sorted(outcomes, key=_order)), measures)


def _may_train(program: Program, loss: Score) -> bool:
    """Whether a loss has gradients on, and something of its prediction goes backward, or may do so as nothing is known of it."""
    return loss.grad is not False and not (loss.forwards and program.uses.trained.isdisjoint(loss.forwards))


def prediction(call: cst.CSTNode) -> cst.BaseExpression | None:
    """The argument of a loss that is the prediction."""
    if not isinstance(call, cst.Call):
        return None
    named = next((a.value for a in call.args if a.keyword is not None and a.keyword.value == "input"), None)
    return named or next((a.value for a in call.args if a.keyword is None and not a.star), None)


def _name(call: cst.CSTNode) -> str:
    """How the text names a prediction; what is computed where it is used has no name."""
    given = prediction(call)
    return given.value if isinstance(given, cst.Name) else "the prediction"


def _order(outcome: Outcome) -> tuple[str, str]:
    return (outcome.site.module.filename, cst.Module([]).code_for_node(outcome.site.node))
