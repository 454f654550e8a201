"""A model is validated in train mode: dropout and batch norm are active."""

from looplint.rule import Program, Report, Reports, mode_matters, mode_states, name_of, note, related, validation_loop

CODE = "LL302"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of("forward"):
        module = next(iter(event.subjects))
        if program.is_trained(event) or event.data.get("frozen") or not event.certain or event.key not in program.facts.scored:
            continue
        if not related(program.stepped_modules, {module}) or mode_matters(top_of(module)) is False:
            continue
        loop = validation_loop(program, event)
        if loop is None and not (event.grad is False and event.loops and event.key in program.facts.compared):
            continue
        visit = mode_states(program, module, event)
        if visit is None or not visit.always("train") or (loop, module) in reported:
            continue
        reported.add((loop, module))
        trained = next((e for e in program.of("forward") if module in e.subjects and program.is_trained(e)), None)
        name = name_of(module)
        message = f"{name} is in train mode in this validation pass: dropout is active, and batch norm uses and updates batch statistics"
        switch = next((s.last("train") for s in visit.states if s.last("train")), None)
        notes = note(switch, "train mode is switched on here") if switch else note(trained, f"{name} is trained here")
        yield Report(event, message, notes, repair=("insert-eval", module, loop, event))


def top_of(module):
    *_, last = module.lineage()
    return last
