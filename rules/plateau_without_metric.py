"""ReduceLROnPlateau is stepped without the metric it watches."""

from looplint.rule import Program, Report, Reports, name_of, note

CODE = "LL204"


def check(program: Program) -> Reports:
    for event in program.of("schedule"):
        if len(event.subjects) != 1 or not event.certain:
            continue
        (scheduler,) = event.subjects
        args = event.data["args"]
        if scheduler.qualname.endswith(".ReduceLROnPlateau") and not args.positional and not args.keywords and not args.starred:
            construct = next((e for e in program.of("construct") if scheduler in e.subjects), None)
            message = f"{name_of(scheduler)}.step() needs the metric it watches: without it ReduceLROnPlateau raises TypeError"
            yield Report(event, message, note(construct, "ReduceLROnPlateau is built here"), repair=("pass-metric", event))
