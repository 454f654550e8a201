"""Code out of sight that is asked for what a model has under the name of a loss gives that, and leaves the gradients as they are."""

import pytest

from programs import assert_marked

PROGRAM = """
import utils
from utils import gather_attribute, get_attr, collect_fields, train_attribute

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, y):
        h = self.layer(x)
        self.loss = dict(nll=nn.functional.cross_entropy(h, y))
        return h.argmax(-1)

def train(x, y):
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(200):
        {clear}
        model(x, y)
        losses = {losses}
        loss = sum(losses.values())
        {backward}
        optimizer.step(){unfilled}
"""
ASKED = {
    "all that the parts have": 'gather_attribute(model, "loss")',
    "by a keyword": 'collect_fields(name="losses", module=model)',
    "of a package": 'utils.gather_attribute(model, "nll_loss")',
    "one attribute": 'get_attr(model, "loss")',
}


@pytest.mark.parametrize("losses", ASKED.values(), ids=ASKED)
def test_it_clears_nothing(losses: str) -> None:
    assert_marked(PROGRAM.format(clear="pass", losses=losses, backward="loss.backward()  # expect: LL102", unfilled=""))


@pytest.mark.parametrize("losses", ASKED.values(), ids=ASKED)
def test_it_goes_nowhere_backward(losses: str) -> None:
    assert_marked(PROGRAM.format(clear="optimizer.zero_grad()", losses=losses, backward="print(loss)", unfilled="  # expect: LL107"))


@pytest.mark.parametrize("losses", ASKED.values(), ids=ASKED)
def test_what_it_gives_goes_backward(losses: str) -> None:
    assert_marked(PROGRAM.format(clear="optimizer.zero_grad()", losses=losses, backward="loss.backward()", unfilled=""))


@pytest.mark.parametrize(
    "losses",
    [
        'gather_attribute(model, "state")',
        'train_attribute(model, "loss")',
        "gather_attribute(model, step)",
        'gather_attribute((model, optimizer), "loss")',
    ],
    ids=["something else", "a name of training", "what is not known", "an optimizer besides"],
)
def test_other_code_may_do_anything(losses: str) -> None:
    assert_marked(PROGRAM.format(clear="pass", losses=losses, backward="loss.backward()", unfilled=""))
