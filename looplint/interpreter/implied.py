"""Tests whose outcome the conditions around them have decided: no path leads into the other branch."""

from __future__ import annotations

from looplint.interpreter import handed_down, settled
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.state import read_by
from looplint.syntax import ir
from looplint.syntax.implication import Implications


def outcome(interp: Interpreter, test: ir.Expr) -> bool | None:
    """The outcome that a test must have under the conditions around it; None where they leave it open.

    Only what has one value for as long as they hold is asked: options of the command line, attributes that a constructor sets once for all, and
    parameters that their function does not bind again.
    """
    if not interp.guards:
        return None
    test, held = ir.affirmed(test, True)
    _, names = read_by(test)
    owner, home, said = interp.in_whose_words(test, names)
    speaker = owner or home.ctx
    around = [guard for guard in interp.guards if guard.speaker == speaker]
    if not around or not (owner is not None or settled.by_options(interp.frame, test, names) or handed_down.is_told_once(home, said)):
        return None
    found = Implications((guard.meaning, guard.held) for guard in around).outcome(said)
    return None if found is None else found == held
