"""An optimizer steps in a loop, and no backward() ever gives it gradients."""

from looplint.rule import Program, Report, Reports, name_of, note, related

CODE = "LL107"


def check(program: Program) -> Reports:
    if not program.complete:
        return
    for optimizer in program.optimizers:
        if optimizer.kind != "optimizer" or optimizer.escaped or optimizer.many:
            continue
        if any(program.touches(e, optimizer) for e in program.of("backward", "escape")):
            continue
        for event in program.of("step"):
            if optimizer not in event.subjects or not event.loops or event.data.get("closure"):
                continue
            loop = event.loops[-1]
            if any(loop in e.loops for e in program.of("escape")) or program.facts.scaled_gradients:
                continue
            holds = optimizer.info.get("holds", frozenset())
            forward = next((e for e in program.of("forward") if loop in e.loops and e.grad and (not holds or related(holds, e.subjects))), None)
            if forward is not None:
                message = f"{name_of(optimizer)}.step() without any backward(): there are no gradients, and the step silently does nothing"
                yield Report(event, message, note(forward, "the forward pass whose loss is never sent backward"))
                break
