"""Parameters that a program writes into the groups of an optimizer are the optimizer's, as those of `add_param_group`."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            net.extra = nn.Parameter(torch.ones(3)){mark}
            {given}
            opt.zero_grad()
            nn.functional.mse_loss(net(x) + net.extra.sum(), y).backward()
            opt.step()
"""


@pytest.mark.parametrize(
    "given",
    [
        "opt.param_groups[-1]['params'][0] = net.extra",
        "opt.param_groups[0]['params'] = [net.extra]",
        "opt.param_groups[0]['params'] = list(net.parameters())",
        "for group in opt.param_groups: group['params'] = list(net.parameters())",
        "opt.add_param_group({'params': [net.extra]})",
    ],
)
def test_what_is_written_into_its_groups_is_stepped(given: str) -> None:
    assert_marked(LOOP.format(given=given, mark=""))


@pytest.mark.parametrize(
    "given", ["pass", "opt.param_groups[0]['lr'] = 0.01", "for group in opt.param_groups: group['lr'] *= 0.5", "names = [net.extra]"]
)
def test_other_settings_of_a_group_are_no_parameters(given: str) -> None:
    assert_marked(LOOP.format(given=given, mark="  # expect: LL502"))
