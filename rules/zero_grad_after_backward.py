"""Gradients are cleared after they were computed and before the optimizer uses them."""

from looplint.rule import Automaton, Program, Report, Reports, name_of, note

CODE = "LL101"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "backward"): "filled",
        ("filled", "iterate"): "of-last-iteration",
        ("filled", "clear"): "dropped",
        ("dropped", "clear"): "dropped",
        ("*", "clear"): "empty",
        ("*", "step"): "applied",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        visits = program.run(AUTOMATON, optimizer)
        clears = {v.event for v in visits if v.event.kind == "clear" and v.certain and v.always("filled", "dropped")}
        reported = set()
        for visit in visits:
            if visit.event.kind != "step" or not visit.always("dropped"):
                continue
            for state in visit.sometimes("dropped"):
                clear = state.last("clear")
                if clear in clears and clear not in reported:
                    reported.add(clear)
                    message = f"{name_of(optimizer)}'s gradients are cleared between backward() and step(): the step has nothing to apply, so nothing is learned"
                    notes = note(state.last("backward"), "the gradients are computed here") + note(visit.event, "this step uses nothing")
                    yield Report(clear, message, notes, repair=("move-clear", optimizer, clear, state.last("backward")))
