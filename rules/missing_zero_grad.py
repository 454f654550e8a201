"""Nothing clears the gradients between an optimizer's step and the next backward."""

from looplint.rule import Program, Report, Reports, name_of, note, uncleared

CODE = "LL102"


def check(program: Program) -> Reports:
    uncleared_optimizers = [(o, u) for o in program.optimizers if (u := uncleared(program, o))]
    for optimizer, found in uncleared_optimizers:
        if _others_cleared_twice(program, optimizer, found.loop):
            continue  # LL109 says more
        name = name_of(optimizer)
        message = f"gradients add up over all batches: nothing clears {name}'s gradients between {name}.step() and the next backward()"
        yield Report(found.backward, message, note(found.step, "the gradients are used here, and stay"), repair=("insert-clear", optimizer, found.backward, found.loop))


def _others_cleared_twice(program: Program, optimizer: object, loop: object) -> bool:
    clears = [e for e in program.of("clear") if loop in e.loops]
    return any(sum(o in e.subjects for e in clears) > 1 for o in program.optimizers if o is not optimizer)
