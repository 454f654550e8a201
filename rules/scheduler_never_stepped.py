"""A scheduler is built, and nothing ever steps it."""

from looplint.rule import Program, Report, Reports, name_of, note, refs

CODE = "LL205"


def check(program: Program) -> Reports:
    if not program.complete:
        return
    stepped = {o for e in program.of("schedule") for o in e.subjects}
    if any(not e.subjects for e in program.of("schedule")):
        return
    for event in program.of("construct"):
        for scheduler in event.subjects:
            if not scheduler.qualname.startswith("torch.optim.lr_scheduler.") or scheduler in stepped or scheduler.escaped or scheduler.many or scheduler.info.get("wrapped"):
                continue
            optimizers = refs(scheduler.info.get("optimizer"), "optimizer")
            step = next((e for e in program.of("step") if e.loops and any(o in e.subjects for o in optimizers)), None)
            if step is None:
                continue
            name = name_of(scheduler)
            message = f"{name} is never stepped: the learning rate keeps the value the scheduler gave it when it was built"
            yield Report(event, message, note(step, f"{name_of(optimizers[0])} trains here"))
