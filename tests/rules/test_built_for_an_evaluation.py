"""LL303: a model that is built where it is evaluated, and gets its weights there, needs no graph, in whatever mode it is."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from torch.utils.data import DataLoader

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 2))

        def forward(self, x):
            return self.body(x)

    def evaluate(weights, data, save, hand_over):
        net = Net()
        {weights}
        loader, right = DataLoader(data, batch_size=8), 0
        {context}
            for x, y in loader:
                {body}
        return right
"""
WEIGHTS = ["net.load_state_dict(weights)", 'net.load_state_dict(torch.load("net.pt", map_location="cpu"))']
BODIES = {
    "compared with labels": "right += (net(x).argmax(1) == y).sum().item(){found}",
    "compared by a loss": "right += nn.functional.cross_entropy(net(x), y).item(){found}",
    "compared later": """_, predicted = torch.max(net(x).data, 1){found}
                right += (predicted == y).sum().item()""",
}
PARTS = {"weights": WEIGHTS[0], "context": "if True:", "body": BODIES["compared with labels"].format(found="")}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_model_that_gets_its_weights(body: str, weights: str) -> None:
    found = {**PARTS, "weights": weights, "body": body.format(found="  # expect: LL303")}
    assert_marked(PROGRAM.format(**found))
    assert_marked(PROGRAM.format(**{**found, "body": body.format(found=""), "context": "with torch.no_grad():"}))


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"weights": "pass"}, id="without weights"),
        pytest.param({"weights": f"{WEIGHTS[0]}\n        hand_over(net)"}, id="that others get hold of"),
        pytest.param(
            {"weights": "if weights is not None: net.load_state_dict(weights)\n        net = hand_over(net)"},
            id="that others put in its place",
        ),
        pytest.param({"body": "hand_over(net(x))"}, id="that is not compared"),
        pytest.param(
            {"body": "x.requires_grad_()\n                save(torch.autograd.grad(nn.functional.cross_entropy(net(x), y), x))"},
            id="for a gradient",
        ),
        pytest.param({"body": "nn.functional.cross_entropy(net(x), y).backward()\n                save(x)"}, id="that goes backward"),
        pytest.param({"weights": f"{WEIGHTS[0]}\n        net.requires_grad_(False)"}, id="that is frozen"),
    ],
)
def test_what_may_need_its_graph_or_has_none(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts}))


APPLIED = {
    "dropped": "net(x){found}",
    "clamped and dropped": """out = net(x){found}
                out = torch.clamp(out, 0, 1)""",
    "kept here": "right = max(right, net(x).shape[1]){found}",
    "printed": "print(net(x)){found}",
    "saved": "save(net(x)){found}",
}


@pytest.mark.parametrize("body", APPLIED.values(), ids=APPLIED)
def test_a_model_that_is_applied_to_a_loader_where_nothing_is_trained(body: str) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, "body": body.format(found="  # expect: LL303")}))


TRAINED_TOO = """
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
"""


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"body": "yield net(x)"}, id="a generator"),
        pytest.param({"body": "return net(x)"}, id="given back"),
        pytest.param({"body": "right = right + net(x).mean()"}, id="summed and given back"),
        pytest.param({"body": "save.last = net(x)"}, id="kept elsewhere"),
        pytest.param({"body": "net(x)", "context": f"if True:\n            pass{TRAINED_TOO}\n        if True:"}, id="where it is trained"),
        pytest.param({"body": "net(x)", "context": "with torch.no_grad():"}, id="without gradients"),
    ],
)
def test_what_is_applied_where_it_may_train(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts}))
