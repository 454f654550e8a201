"""A loop computes gradients, and its optimizer never steps."""

from looplint.rule import Program, Report, Reports, name_of, note

CODE = "LL106"


def check(program: Program) -> Reports:
    if not program.complete:
        return
    steps = program.of("step")
    if any(not e.subjects for e in steps):
        return
    for optimizer in program.optimizers:
        if optimizer.symbolic or optimizer.kind != "optimizer" or optimizer.escaped or optimizer.many or any(optimizer in e.subjects for e in steps):
            continue
        construct = next((e for e in program.of("construct") if optimizer in e.subjects), None)
        for event in program.of("backward"):
            if construct and event.loops and event.root == construct.root and program.touches(event, optimizer) == "must" and not event.data.get("manual"):
                if any(program.touches(e, optimizer) for e in program.of("escape")):
                    break
                name = name_of(optimizer)
                message = f"gradients are computed in this loop, but {name}.step() is called on no path: the parameters never change"
                yield Report(event, message, note(construct, f"{name} is built here"), repair=("insert-step", optimizer, event))
                break
