"""`Tensor.numpy()` refuses a tensor with a graph: LL303 says so of a model that is trained, and takes one from out of sight for frozen."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

TRAINED = """
        def train(loader, valid):
            net = nn.Sequential(nn.Linear(8, 2), nn.ReLU())
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(3):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    optimizer.step()
                rows = []
                for x, y in valid:
                    out = net(x){marked}
                    rows.append({kept})
                print(rows)
"""
FROM_A_FILE = """
        import pickle
        class Sampler:
            def __init__(self, path):
                with open(path, "rb") as file:
                    self.net = pickle.load(file)["ema"].to("cuda")
                self.net.eval()
            def sample(self, batches):
                rows = []
                for x in torch.utils.data.DataLoader(batches):
                    out = self.net(x){marked}
                    rows.append({{"out": out}})
                return rows
        def main(path, batches):
            for row in Sampler(path).sample(batches):
                print({used})
"""


@pytest.mark.parametrize("kept", ["out.numpy()", "out.cpu().numpy()", "out.softmax(-1).cpu().numpy()"])
def test_an_array_with_a_graph_ends_the_run(kept: str) -> None:
    text = f"import torch\nfrom torch import nn\n{dedent(TRAINED.format(kept=kept, marked=''))}"
    (found,) = looplint.lint(text, isolated=True)
    assert (found.code, found.severity) == ("LL303", "error")
    assert "numpy() raises a RuntimeError" in found.message


@pytest.mark.parametrize("kept", ["out.tolist()", "out.numpy(force=True)", "out.argmax(1).numpy()"])
def test_what_torch_turns_into_numbers_costs_memory(kept: str) -> None:
    text = f"import torch\nfrom torch import nn\n{dedent(TRAINED.format(kept=kept, marked=''))}"
    (found,) = looplint.lint(text, isolated=True)
    assert (found.code, found.severity) == ("LL303", "warning")
    assert "memory and time" in found.message


def test_a_model_from_a_file_whose_results_become_arrays_is_frozen() -> None:
    assert_marked(FROM_A_FILE.format(used='row["out"].cpu().numpy()', marked=""))


def test_a_model_from_a_file_whose_results_become_numbers_may_not_be() -> None:
    assert_marked(FROM_A_FILE.format(used='row["out"].argmax(1).tolist()', marked="  # expect: LL303"))


OF_PARTS = """
        def train(model, loader, optimizer, geometry):
            total = 0.0
            for batch in loader:
                optimizer.zero_grad()
                {forward}
                target = torch.tensor(geometry({array}.numpy()))
                loss = ((target - {predicted}) ** 2).mean()
                loss.backward()
                optimizer.step()
                total += loss{marked}
            return total / len(loader)
"""
PARTS = [
    ("out = model(batch)", "out.sigma", "out.predicted"),
    ("batch = model(batch)", "batch.sigma.cpu()", "batch.predicted"),
    ("out = model(batch)", 'out["sigma"]', 'out["predicted"]'),
    ("sigma, predicted = model(batch)", "sigma", "predicted"),
]


@pytest.mark.parametrize(("forward", "array", "predicted"), PARTS)
def test_a_part_that_becomes_an_array_says_nothing_of_one_that_goes_backward(forward: str, array: str, predicted: str) -> None:
    parts = {"forward": forward, "array": array, "predicted": predicted}
    assert_marked(OF_PARTS.format(**parts, marked="  # expect: LL402"))
    assert_marked(OF_PARTS.format(**parts, marked=".item()"))
