"""LL302: what a trained model puts out for the batches of a loader and is collected as arrays is measured out of torch: embeddings, scores."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import numpy as np
from torch.utils.data import DataLoader

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 4))

    def forward(self, x):
        return self.body(x)

def collect(net, loader):
    {mode}
    {collect}

def fit(data, held_out):
    net = Net()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    loader, valid = DataLoader(data, batch_size=8, shuffle=True), DataLoader(held_out, batch_size=8)
    for epoch in range(10):
        net.train()
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        found = np.asarray(collect(net, valid))
        ranks = np.argsort(np.matmul(found, found.T), axis=-1)[:, ::-1]
        print(float(np.mean([1 / (1 + list(row).index(n)) for n, row in enumerate(ranks)])))
"""
FOUND = "  # expect: LL302"
WAYS = {
    "arrays in a list": """found = []
    for x, y in loader:
        with torch.no_grad():
            found.append(net(x).cpu().numpy()){mark}
    return np.concatenate(found)""",
    "numbers in a list": """found = []
    with torch.inference_mode():
        for x, y in loader:
            found.extend(net(x).tolist()){mark}
    return found""",
    "arrays by a comprehension": """with torch.no_grad():
        return np.concatenate([net(x).numpy() for x, y in loader]){mark}""",
    "arrays in a dictionary": """found = {{"embedding": [], "label": []}}
    with torch.no_grad():
        for x, y in loader:
            out = net(x){mark}
            found["embedding"].append(out.detach().cpu().numpy())
            found["label"].append(y.numpy())
    return found""",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_collected_in_train_mode(way: str) -> None:
    assert_marked(PROGRAM.format(collect=way.format(mark=FOUND), mode="pass"))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_collected_in_eval_mode(way: str) -> None:
    assert_marked(PROGRAM.format(collect=way.format(mark=""), mode="net.eval()"))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_in_a_mode_that_is_asked_for(way: str) -> None:
    assert_marked(PROGRAM.format(collect=way.format(mark=""), mode="net.train()  # the dropout is to be sampled"))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_of_a_model_without_modes(way: str) -> None:
    assert_marked(PROGRAM.format(collect=way.format(mark=""), mode="pass").replace("nn.Dropout(0.5)", "nn.ReLU()"))


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_of_what_another_model_is_trained_with(way: str) -> None:
    program = PROGRAM.format(collect=way.format(mark=""), mode="pass")
    assert_marked(
        program.replace("    net = Net()", "    net, critic = Net(), nn.Linear(4, 1)").replace(
            "cross_entropy(net(x), y)", "mse_loss(critic(net(x)), y)"
        )
    )


def test_of_some_noise_and_not_of_a_loader() -> None:
    assert_marked(
        PROGRAM.format(
            collect="""found = []
    with torch.no_grad():
        for n in range(16):
            found.append(net(torch.randn(8, 8)).numpy())
    return found""",
            mode="pass",
        )
    )
