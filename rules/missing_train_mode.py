"""After a validation pass the model goes on training in eval mode."""

from looplint.rule import Program, Report, Reports, mode_states, name_of, note, related

CODE = "LL301"


def check(program: Program) -> Reports:
    reported = set()
    for event in program.of("forward"):
        module = next(iter(event.subjects))
        if not program.is_trained(event) or event.data.get("frozen") or not event.certain or not related(program.stepped_modules, {module}):
            continue
        visit = mode_states(program, module, event)
        if visit is None:
            continue
        for loop in event.loops:
            later = visit.steady(loop)
            switch = next((s.last("eval") for s in later), None)
            if not later or any(s.state != "eval" for s in later) or switch is None or loop not in switch.loops:
                continue
            if (switch, module) not in reported:
                reported.add((switch, module))
                name = name_of(module)
                message = f"{name} is in eval mode here from the second epoch on: dropout is off and batch norm does not learn, because nothing calls {name}.train() again"
                yield Report(event, message, note(switch, "eval() is called here, in the epoch before"), repair=("insert-train", module, loop, event))
            break
