"""The loss that a model's own forward returns is known, where it is None without targets, where one of several models is applied, and scaled."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, 8)

    def forward(self, x, y=None):
        logits = self.body(x)
        if y is not None:
            loss = nn.functional.cross_entropy(logits, y{reduction})
        else:
            loss = None
        return logits, loss

def train(width, steps, k, resume):
    {model}
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cuda")
    for step in range(steps):
        for part in range(k):
            {batch}
            _, loss = net(x, y)
            {backward}{mark}
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
"""
ONE = "net = Net(width)"
CHOSEN = """if resume:
        net = Net(width)
        net.load_state_dict(torch.load("weights.pt", map_location="cpu"))
    else:
        net = Net(2 * width)"""
SCALED = "scaler.scale(loss).backward()"
TAKEN = 'x, y = get_batch("train")'
FOUND = "  # expect: LL108"


@pytest.mark.parametrize("model", [ONE, CHOSEN, "net = torch.compile(Net(width))"])
@pytest.mark.parametrize("batch", [TAKEN, "x, y = next_batch()", "x, y = data.sample_minibatch(8)"])
def test_a_loss_that_is_not_divided(model: str, batch: str) -> None:
    assert_marked(PROGRAM.format(reduction="", model=model, batch=batch, backward=SCALED, mark=FOUND))


@pytest.mark.parametrize(
    ("reduction", "batch", "backward"),
    [
        ("", TAKEN, "scaler.scale(loss / k).backward()"),
        (', reduction="sum"', TAKEN, SCALED),
        ("", "x, y = one[part]", SCALED),
        ("", "x, y = get_task()", SCALED),
    ],
)
def test_one_that_is_or_needs_no_division(reduction: str, batch: str, backward: str) -> None:
    assert_marked(PROGRAM.format(reduction=reduction, model=ONE, batch=batch, backward=backward, mark=""))
