"""LL303: a few examples that are run to look at them cost next to nothing; a pass over data, and what is compared with a target, is no look."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

AFTER_EPOCHS = """
    import torch
    from torch import nn
    from torchvision import utils

    class Callback:
        def __init__(self, net, examples):
            self.net = net
            self.examples = examples

        def on_epoch_end(self):
            self.net.eval()
            LOOP
                output = self.net(INPUT)
                utils.save_image(output, "pictures.png")
            self.net.train()

    class Other:
        def on_epoch_end(self):
            print("an epoch has ended")

    def main(loader, test, args):
        net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))
        opt = torch.optim.Adam(net.parameters())
        callbacks = [Callback(net, test.dataset), Other()]
        for epoch in range(args.epochs):
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            for callback in callbacks:
                callback.on_epoch_end()
"""
FEW = [
    ("for i in range(5):", "self.examples[i][0]"),
    ("for i in range(10):", "torch.randn(64, 3)"),
    ("for i in range(2):", "self.examples[i][0].view(-1)"),
]
MANY = [
    ("for i in range(5000):", "self.examples[i][0]"),
    ("for i in range(len(self.examples)):", "self.examples[i][0]"),
    ("for x, y in torch.utils.data.DataLoader(self.examples):", "x"),
]
DRAWN = """
    import torch
    from torch import nn
    import numpy as np

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.1))

        def forward(self, x):
            return self.body(x)

    def sample(self, config, loader: torch.utils.data.DataLoader):
        model = Net()
        model.load_state_dict(torch.load("net.pt", map_location="cpu"))
        model.eval()
        found = []
        LOOP
            found.append(model(INPUT).sum().item())
        return found
"""
ONE = [
    "2 * torch.ones((1, 3), device='cuda')",
    "torch.randint(0, config.bins, size=(1, 3)).long()",
    "torch.tensor(np.array(each).repeat(3), device='cuda')[None].long()",
    "torch.randn(1, 3)",
    "torch.zeros(3)[None, :]",
]
SEVERAL = [
    "torch.ones((64, 3))",
    "torch.randint(0, 1, size=(64, 3))",
    "torch.tensor(each)[:, None]",
    "torch.full((3,), 1)",
    "torch.zeros(1)",
]


def _severities(program: str, loop: str, given: str) -> list[str]:
    text = dedent(program).replace("LOOP", loop).replace("INPUT", given)
    return [f.severity for f in looplint.lint(text, isolated=True, select=["LL303"], min_severity="advice")]


@pytest.mark.parametrize(("loop", "given"), FEW)
def test_a_few_examples_after_an_epoch(loop: str, given: str) -> None:
    assert _severities(AFTER_EPOCHS, loop, given) == ["advice"]


@pytest.mark.parametrize(("loop", "given"), MANY)
def test_all_examples_after_an_epoch(loop: str, given: str) -> None:
    assert _severities(AFTER_EPOCHS, loop, given) == ["warning"]


def test_a_few_epochs_are_no_few_examples() -> None:
    program = AFTER_EPOCHS.replace("LOOP", "if self.examples:").replace("range(args.epochs)", "range(10)")
    program = program.replace('utils.save_image(output, "pictures.png")', "print(output.sum().item())")
    assert _severities(program, "", "self.examples") == ["warning"]


@pytest.mark.parametrize("given", ONE)
@pytest.mark.parametrize("loop", ["for each in config.analysis_pair:", "for each in self.args.pictures:"])
def test_one_item_that_the_program_makes(loop: str, given: str) -> None:
    assert _severities(DRAWN, loop, given) == ["advice"]


@pytest.mark.parametrize("given", SEVERAL)
def test_several_items(given: str) -> None:
    assert _severities(DRAWN, "for each in config.analysis_pair:", given) == ["warning"]


@pytest.mark.parametrize("loop", ["for each in loader:", "for each in config.train_loader:"])
def test_a_pass_over_data(loop: str) -> None:
    assert _severities(DRAWN, loop, "torch.as_tensor(each)[None]") == ["warning"]
