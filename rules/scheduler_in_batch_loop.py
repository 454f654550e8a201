"""A scheduler that counts epochs is stepped on every batch."""

from looplint.rule import Program, Report, Reports, name_of, note

CODE = "LL201"


def check(program: Program) -> Reports:
    for event in program.of("schedule"):
        loop = program.batch_loop(event)
        if loop is None or loop.parent is None or not event.certain or len(event.subjects) != 1 or _has_argument(event):
            continue
        (scheduler,) = event.subjects
        if epoch_unit(scheduler, loop) and not _guarded(program, event, loop, scheduler):
            name = name_of(scheduler)
            construct = next((e for e in program.of("construct") if scheduler in e.subjects), None)
            message = f"{name} counts epochs, but is stepped on every batch: the schedule ends within the first epochs"
            yield Report(event, message, note(construct, f"the horizon of {name} is given in epochs here"), repair=("move-to-epoch-end", event, loop))


def _guarded(program, event, loop, scheduler) -> bool:
    """Whether a condition that the optimizer's step does not share decides if the scheduler is stepped here."""
    depth = event.loops.index(loop) + 1
    with_step = {g.test for e in program.of("step") if loop in e.loops for g in e.guards}
    return any(g.depth >= depth and g.test not in with_step and scheduler.name not in g.names for g in event.guards)


def _has_argument(event) -> bool:
    args = event.data["args"]
    return bool(args.positional or args.keywords)


def epoch_unit(scheduler, loop) -> bool:
    """Whether the scheduler's horizon is in epochs: by its expression, or because it equals the epoch loop's bound."""
    unit = scheduler.info.get("unit")
    if unit is not None:
        return unit == "epochs"
    horizon = scheduler.info.get("horizon")
    bound = loop.parent.bound
    return horizon is not None and any(getattr(a, "value", None) == horizon.value for a in bound)
