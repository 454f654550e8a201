"""Where `a and b` held, each of them did, and where `a or b` did not, neither did: what another test asks of one of them is then decided."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def main(args, data, valid):
            model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(3):
                model.train()
                if CONDITION:
                    FIRST
                else:
                    SECOND
                if AFTER:
                    model.train()
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()MARK
                    opt.step()
        """
VALIDATION = "model.eval(); print(model(valid).detach())"
DECIDED = {
    "and": ("args.probe and args.often", VALIDATION, "pass"),
    "and, the other way round": ("args.often and args.probe", VALIDATION, "pass"),
    "in parentheses": ("args.probe and (args.often or args.late)", VALIDATION, "pass"),
    "three": ("args.often and args.probe and args.late", VALIDATION, "pass"),
    "neither": ("not args.probe or not args.often", "pass", VALIDATION),
    "not both": ("not (args.probe and args.often)", "pass", VALIDATION),
}
OPEN = {
    "or": ("args.probe or args.often", VALIDATION, "pass"),
    "not both of them": ("args.probe and args.often", "pass", VALIDATION),
}


@pytest.mark.parametrize(("condition", "first", "second"), DECIDED.values(), ids=DECIDED)
def test_what_a_part_of_a_condition_decides(condition: str, first: str, second: str) -> None:
    program = PROGRAM.replace("CONDITION", condition).replace("FIRST", first).replace("SECOND", second)
    assert_marked(program.replace("AFTER", "args.probe").replace("MARK", ""))


@pytest.mark.parametrize("condition", ["args.probe is not None and args.often", "args.often and args.probe is not None"])
def test_what_is_not_none(condition: str) -> None:
    program = PROGRAM.replace("CONDITION", condition).replace("FIRST", VALIDATION).replace("SECOND", "pass")
    assert_marked(program.replace("AFTER", "args.probe is not None").replace("MARK", ""))


@pytest.mark.parametrize(("condition", "first", "second"), OPEN.values(), ids=OPEN)
def test_what_it_leaves_open(condition: str, first: str, second: str) -> None:
    program = PROGRAM.replace("CONDITION", condition).replace("FIRST", first).replace("SECOND", second)
    assert_marked(program.replace("AFTER", "args.probe").replace("MARK", "  # expect: LL304"))
