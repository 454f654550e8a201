"""One of several optimizers is cleared twice, and another one never."""

from looplint.rule import Program, Report, Reports, name_of, note, uncleared

CODE = "LL109"


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        found = uncleared(program, optimizer)
        if found is None:
            continue
        clears = [e for e in program.of("clear") if found.loop in e.loops]
        for other in program.optimizers:
            mine = [e for e in clears if other in e.subjects]
            if other is not optimizer and len(mine) > 1:
                one, two = name_of(optimizer), name_of(other)
                message = f"{one}'s gradients are never cleared, while {two} is cleared {len(mine)} times: {one}.step() uses the gradients of all batches so far"
                wrong = _misplaced(mine, found.step.index)
                yield Report(found.step, message, note(wrong, f"this clears {two}; {one} was probably meant"), repair=("clear-other", wrong, other, optimizer))
                break


def _misplaced(clears: list, step: int):
    """The clear that stands nearest before the step."""
    before = [e for e in clears if e.index < step]
    return max(before, key=lambda e: e.index) if before else clears[-1]
