"""A named tuple is a tuple whose items have names: making one sends nothing backward, and each item stays what it was."""

from __future__ import annotations

import pytest

from programs import assert_marked

IMPORTS = """
    from collections import namedtuple
    import torch, typing
    import records
    from torch import nn, optim
"""
OUTPUT = 'namedtuple("Output", ["logits", "loss"])'
# The class of the tuples is made where they are, in a loss that is followed.
FEATURES = """
    class PerceptualLoss(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 2)
            self.second = nn.Linear(2, 2)
        def forward(self, x):
            first = self.first(x)
            outputs = {made}
            return outputs(first, self.second(first))
    def fit(net: nn.Module, loader):
        perceptual = PerceptualLoss()
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            found, wanted = perceptual(net(x)), perceptual(y)
            loss = (found.low - wanted.low).square().mean() + (found.high - wanted.high).square().mean()
            {then}
"""
NAMES = {
    "a list": 'namedtuple("Features", ["low", "high"])',
    "a text": 'namedtuple("Features", "low, high")',
    "a tuple by its keyword": 'namedtuple("Features", field_names=("low", "high"))',
    "pairs of names and types": 'typing.NamedTuple("Features", [("low", torch.Tensor), ("high", torch.Tensor)])',
    "a default": 'namedtuple("Features", "low high more", defaults=[None])',
}


@pytest.mark.parametrize("made", NAMES.values(), ids=NAMES)
def test_making_one_sends_nothing_backward(made: str) -> None:
    assert_marked(IMPORTS + FEATURES.format(made=made, then="optimizer.step()  # expect: LL107"))
    assert_marked(IMPORTS + FEATURES.format(made=made, then="loss.backward(); optimizer.step()"))


STEPS = """
    Output = {made}
    def fit(net: nn.Module, loader):
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            logits = net(x)
            output = {call}
            {backward}
            optimizer.step()
"""
ITEMS = {
    "by its name": ("Output(logits, nn.functional.mse_loss(logits, y))", "output.loss.backward()"),
    "given by its name": ("Output(loss=nn.functional.mse_loss(logits, y), logits=logits)", "output.loss.backward()"),
    "by its place": ("Output(logits, nn.functional.mse_loss(logits, y))", "output[1].backward()"),
    "unpacked": ("Output(logits, nn.functional.mse_loss(logits, y))", "_, loss = output; loss.backward()"),
    "put in the place of another": ("Output(logits, None)._replace(loss=nn.functional.mse_loss(logits, y))", "output.loss.backward()"),
}


@pytest.mark.parametrize(("call", "backward"), ITEMS.values(), ids=ITEMS)
def test_an_item_is_what_was_given(call: str, backward: str) -> None:
    assert_marked(IMPORTS + STEPS.format(made=OUTPUT, call=call, backward=f"{backward}  # expect: LL102"))
    assert_marked(IMPORTS + STEPS.format(made=OUTPUT, call=call, backward=f"optimizer.zero_grad(); {backward}"))


def test_objects_in_one_are_the_same() -> None:
    program = """
    Agent = namedtuple("Agent", "net optimizer")
    def build():
        net = nn.Linear(2, 2)
        return Agent(net, optim.SGD(net.parameters(), lr=0.1))
    def fit(loader):
        agent = build()
        for x, y in loader:
            {clear}
            agent.net(x).mean().backward(){mark}
            agent.optimizer.step()
    """
    assert_marked(IMPORTS + program.format(clear="pass", mark="  # expect: LL102"))
    assert_marked(IMPORTS + program.format(clear="agent.optimizer.zero_grad()", mark=""))


SEEN_NOWHERE = {
    "what takes one may go backward": (OUTPUT, "Output(logits, logits.mean())", "records.learn(output)"),
    "what takes what is in one may": (OUTPUT, "Output(logits, logits.mean())", "records.learn(output.loss)"),
    "what comes of another method may": (OUTPUT, "Output(logits, logits.mean())", "output._asdict()['loss'].backward()"),
    "items that are not counted": (OUTPUT, "Output(*records.parts(logits))", "records.learn(output)"),
    "names that are not known": ("namedtuple('Output', records.NAMES)", "Output(logits, logits.mean())", "records.learn(output)"),
}


@pytest.mark.parametrize(("made", "call", "backward"), SEEN_NOWHERE.values(), ids=SEEN_NOWHERE)
def test_what_may_go_backward_out_of_sight_stays_silent(made: str, call: str, backward: str) -> None:
    assert_marked(IMPORTS + STEPS.format(made=made, call=call, backward=f"optimizer.zero_grad(); {backward}"))


def test_a_class_that_adds_methods() -> None:
    program = """
    class Losses(namedtuple("Losses", ["main", "aside"])):
        def learn(self):
            (self.main + self.aside).backward()
    def fit(net: nn.Module, loader):
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            Losses(net(x).mean(), net(y).mean()).learn()
            optimizer.step()
    """
    assert_marked(IMPORTS + program)


KEPT = """
    Record = namedtuple("Record", "step loss")
    def fit(net: nn.Module, loader):
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        kept = []
        for step, (x, y) in enumerate(loader):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            kept.append({record}){mark}
"""


@pytest.mark.parametrize("record", ["Record(step, loss)", "Record(step, loss=loss)", "Record(0, loss)._replace(step=step)"])
def test_one_that_is_kept_keeps_its_graphs(record: str) -> None:
    assert_marked(IMPORTS + KEPT.format(record=record, mark="  # expect: LL401"))


@pytest.mark.parametrize(
    "record", ["Record(step, loss.item())", "Record(step, loss.detach())", "Record(step, loss).step", "Record(step, y)"]
)
def test_one_that_is_kept_without_graphs(record: str) -> None:
    assert_marked(IMPORTS + KEPT.format(record=record, mark=""))


CLASSES = """
    class Output(typing.NamedTuple):
        logits: torch.Tensor
        loss: torch.Tensor
        more: typing.Any = None
        {method}
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(2, 2)
        def infer(self, x, y):
            logits = self.head(x)
            return Output(logits, nn.functional.mse_loss(logits, y))
    def losses_of(pairs):
        total = torch.tensor(0.0, requires_grad=True)
        for output, factor in pairs:
            logits, loss, _ = output
            total = total + loss.squeeze() * factor
        return total
    def fit(loader):
        net = Net()
        optimizer = optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            {clear}
            {loss}.backward(){mark}
            optimizer.step()
"""
METHODS = {"a class": "", "a class with methods": "def scaled(self): return self.loss * 2"}
TAKEN = {
    "by its name": "net.infer(x, y).loss",
    "by its place": "net.infer(x, y)[1]",
    "in a sum of pairs": "losses_of(list(zip([net.infer(x, y), net.infer(y, x)], [1, 2])))",
    "in a loop": "sum(each for each in net.infer(x, y))",
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("loss", TAKEN.values(), ids=TAKEN)
def test_fields_of_a_class_are_items(method: str, loss: str) -> None:
    assert_marked(IMPORTS + CLASSES.format(method=method, loss=loss, clear="pass", mark="  # expect: LL102"))
    assert_marked(IMPORTS + CLASSES.format(method=method, loss=loss, clear="optimizer.zero_grad()", mark=""))
