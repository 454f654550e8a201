"""Gradients are clipped after the optimizer has used them."""

from looplint.rule import Automaton, Program, Report, Reports, name_of, note

CODE = "LL104"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "clear"): "empty",
        ("*", "backward"): "filled",
        ("*", "step"): "applied",
        ("applied", "iterate"): "spent",
        ("filled", "clip"): "clipped",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        for visit in program.run(AUTOMATON, optimizer):
            if visit.event.kind != "clip" or not visit.always("applied"):
                continue
            step = next((s.last("step") for s in visit.states if s.state == "applied"), None)
            if step is None or not set(visit.event.loops) <= set(step.loops):
                continue
            message = f"the clip runs after {name_of(optimizer)}.step(): the step has already used the unclipped gradients"
            yield Report(visit.event, message, note(step, "the gradients are used here"), repair=("move-before-step", visit.event, step))
