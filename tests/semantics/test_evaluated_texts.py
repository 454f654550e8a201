"""`eval("torch.optim." + name)` gives a member of a module by its name, as `getattr` does; other text may do anything."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    import torch.optim as optim

    def fit(args, loader):
        net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 1))
        {before}
        opt = {made}
        {after}
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
"""
MADE = [
    'eval("torch.optim." + args.optim)(net.parameters(), lr=0.1)',
    'eval(f"torch.optim.{args.optim}")(net.parameters(), lr=0.1)',
    'eval("optim.%s" % args.optim)(net.parameters(), lr=0.1)',
    'eval("optim.{}".format(args.optim))(net.parameters(), lr=0.1)',
    'eval("torch.optim.Adam")(net.parameters(), lr=0.1)',
]
UNKNOWN = [
    'eval("make_" + args.optim)(net.parameters())',
    'eval("torch.optim." + args.optim + "(net.parameters())")',
    "eval(args.optim)(net.parameters())",
    'eval(f"library.{args.optim}")(net)',
]


REPLACED = "net[1] = nn.Linear(8, 2)"


@pytest.mark.parametrize("made", MADE)
def test_a_member_by_its_name(made: str) -> None:
    assert_marked(PROGRAM.format(before="pass", made=made, after=f"{REPLACED}  # expect: LL502"))
    assert_marked(PROGRAM.format(before=REPLACED, made=made, after="pass"))


@pytest.mark.parametrize("made", UNKNOWN)
def test_text_that_may_do_anything(made: str) -> None:
    assert_marked(PROGRAM.format(before="pass", made=made, after=REPLACED))


def test_a_schedule_by_its_name() -> None:
    assert_marked("""
        def fit(args, loader):
            net = nn.Linear(8, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            schedule = eval("torch.optim.lr_scheduler." + args.schedule)(opt, args.turns)
            for epoch in range(10):
                schedule.step()  # expect: LL203
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
    """)
