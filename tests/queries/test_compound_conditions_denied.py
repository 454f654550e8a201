"""`not (a and b)` rules out what stands under `a and b`, in whatever statement: the branch without a scaler is one for full precision."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
def train(model, loader, opt, scaler, args, native, quiet):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        {unscaled}
            scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        {on}
            opt.step(){mark}
            scaler.update()
        {off}
            opt.step(){other}
"""
BRANCHES = {
    "one text": ("if args.fp16 and native:", "if args.fp16 and native:", "else:"),
    "the opposite": ("if args.fp16 and native:", "if args.fp16 and native:", "if not (args.fp16 and native):"),
    "parts that hold by themselves": (
        "if args.fp16 and native and not quiet:",
        "if args.fp16 and native and not quiet:",
        "if not (args.fp16 and native):",
    ),
    "one of two": ("if args.full or quiet:\n            pass\n        else:", "if not args.full and not quiet:", "if args.full or quiet:"),
}


@pytest.mark.parametrize(("unscaled", "on", "off"), BRANCHES.values(), ids=BRANCHES)
def test_the_branch_without_the_scaler_steps_in_full_precision(unscaled: str, on: str, off: str) -> None:
    assert_marked(LOOP.format(unscaled=unscaled, on=on, off=off, mark="  # expect: LL604", other=""))


def test_what_steps_under_other_parts_is_reported() -> None:
    marks = {"mark": "  # expect: LL604", "other": ""}
    assert_marked(LOOP.format(unscaled="if args.fp16 and native:", on="if args.fp16 and quiet:", off="else:", **marks))


def test_a_correct_loop_is_silent() -> None:
    text = LOOP.format(unscaled="if args.fp16 and native:", on="if args.fp16 and native:", off="else:", mark="", other="")
    assert_marked(text.replace("opt.step()", "scaler.step(opt)", 1))
