"""Gradients are clipped before backward() has computed them."""

from looplint.rule import Automaton, Program, Report, Reports, name_of, note

CODE = "LL103"

AUTOMATON = Automaton(
    start="empty",
    arrows={
        ("*", "clear"): "empty",
        ("empty", "clip"): "clipped-empty",
        ("spent", "clip"): "clipped-empty",
        ("clipped-empty", "iterate"): "empty",
        ("clipped-empty", "clear"): "clipped-empty",
        ("clipped-empty", "backward"): "unclipped",
        ("unclipped", "clear"): "empty",
        ("*", "backward"): "filled",
        ("unclipped", "backward"): "unclipped",
        ("unclipped", "clip"): "clipped",
        ("filled", "clip"): "clipped",
        ("*", "step"): "applied",
        ("applied", "iterate"): "spent",
    },
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        visits = program.run(AUTOMATON, optimizer)
        early = {v.event for v in visits if v.event.kind == "clip" and v.always("empty", "spent")}
        reported = set()
        for visit in visits:
            if visit.event.kind != "step":
                continue
            for state in visit.sometimes("unclipped"):
                clip = state.last("clip")
                if clip in early and clip not in reported:
                    reported.add(clip)
                    message = f"the clip runs before backward(): there are no gradients yet, and {name_of(optimizer)} steps with unclipped ones"
                    notes = note(state.last("backward"), "the gradients are computed here") + note(visit.event, "and used here, unclipped")
                    yield Report(clip, message, notes, repair=("move-before-step", clip, visit.event))
