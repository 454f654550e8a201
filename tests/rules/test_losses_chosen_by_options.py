"""LL701: which of several losses an option has chosen is told by the same option where the loss is applied."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(8, 1)
            def forward(self, x):
                return torch.sigmoid(self.body(x))
        def train(loader, dataset):
            model = Net()
            optimizer = torch.optim.Adam(model.parameters())
            if {one}:
                criterion = nn.BCELoss()
            elif {other}:
                criterion = nn.CrossEntropyLoss()
            for epoch in range(10):
                for x, y in loader:
                    optimizer.zero_grad()
                    if {here}:
                        loss = criterion(model(x), y){marked}
                    else:
                        loss = model(x).mean()
                    loss.backward()
                    optimizer.step()
"""
BINARY = "dataset == 'P12' or dataset == 'P19'"


@pytest.mark.parametrize(
    ("one", "other", "here"),
    [
        (BINARY, "dataset == 'PAM'", BINARY),
        (BINARY, "dataset == 'PAM'", "dataset in ('P19', 'P12')"),
        ("dataset == 'P12'", "True", "dataset == 'P12'"),
        ("dataset != 'PAM' and dataset != 'EEG'", "True", "dataset == 'P12'"),
    ],
)
def test_a_loss_that_the_option_rules_out_is_not_applied(one: str, other: str, here: str) -> None:
    assert_marked(PROGRAM.format(one=one, other=other, here=here, marked=""))


@pytest.mark.parametrize(
    ("one", "other", "here"),
    [
        (BINARY, "dataset == 'PAM'", "dataset == 'PAM'"),
        (BINARY, "dataset == 'PAM'", "dataset != 'P12' and dataset != 'P19'"),
        ("dataset == 'P12'", "True", "dataset in ('PAM', 'EEG')"),
    ],
)
def test_one_that_it_leaves_is(one: str, other: str, here: str) -> None:
    assert_marked(PROGRAM.format(one=one, other=other, here=here, marked="  # expect: LL701"))
