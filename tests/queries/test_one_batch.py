"""A loop over a loader that always ends in its first turn tries one batch: no validation pass, in which the mode of the model would matter."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))

    def forward(self, x):
        return self.body(x)


def main(train_loader, criterion):
    net = Net()
    net.load_state_dict(torch.load("pretrained.pt", map_location="cpu"))
    for x, y in train_loader:
        out = net(x)MARK
        loss = criterion(out, y)
        print("loss", loss.item())
        END
    del net


if __name__ == "__main__":
    main(torch.utils.data.DataLoader(read()), nn.CrossEntropyLoss())
"""


@pytest.mark.parametrize("end", ["break", "return loss", "raise SystemExit"])
def test_a_loop_of_one_turn(end: str) -> None:
    assert_marked(PROGRAM.replace("END", end).replace("MARK", ""))


@pytest.mark.parametrize("end", ["pass", "if loss > 10:\n            break"])
def test_a_pass(end: str) -> None:
    assert_marked(PROGRAM.replace("END", end).replace("MARK", "  # expect: LL302  # expect: LL303"))
