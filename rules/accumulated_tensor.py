"""A running sum adds up tensors with their graphs."""

from looplint.rule import Program, Report, Reports, note

CODE = "LL402"


def check(program: Program) -> Reports:
    for event in program.of("accumulate"):
        value = event.data["value"]
        if value.graph != "yes" or event.key in program.facts.accumulated_backward or not event.data["carried"]:
            continue
        loop = event.data["carried"][-1]
        made = [program.forwards[k] for k in value.forwards if k in program.forwards]
        if not any(loop in e.loops for e in made):
            continue
        target = event.data["target"]
        message = f"{target} adds up tensors with their autograd graphs: the nodes of every batch stay in memory until {target} is gone"
        yield Report(event, message, note(made[0], "the graph comes from this forward pass"), repair=("detach-added", event, value.scalar))
