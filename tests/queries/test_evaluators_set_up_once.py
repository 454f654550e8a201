"""LL303: the constructor of an evaluator puts its model into eval mode once, and its methods, which nobody is seen to call, evaluate it with graphs."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Evaluator:
    def __init__(self, {given}, loader):
        {before}
        self.model = {model}
        {switch}
        self.loader = loader
        {after}

    def evaluate(self):
        losses = []
        {context}
            for x, y in self.loader:
                {body}
        return sum(losses)
    {others}
"""
BODY = "losses.append(nn.functional.cross_entropy(self.model(x), y).item())"
FOUND = f"{BODY}  # expect: LL303"
PARTS = {
    "given": "model",
    "before": "pass",
    "model": "model",
    "switch": "self.model.eval()",
    "after": "pass",
    "context": "if True:",
    "body": BODY,
    "others": "",
}
BUILT = "nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 2))"


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({}, id="handed in"),
        pytest.param({"given": "path", "model": BUILT, "before": "state = torch.load(path)", "switch": "self.model.load_state_dict(state); self.model.eval()"}, id="built and loaded"),
        pytest.param({"switch": "self.set_up()", "others": "def set_up(self):\n        self.model.eval()"}, id="in a method of its own"),
        pytest.param({"switch": "model.eval(); self.model = nn.DataParallel(model)"}, id="wrapped afterwards"),
    ],
)  # fmt: skip
def test_the_pass_records_graphs(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts, "body": FOUND}))
    assert_marked(PROGRAM.format(**{**PARTS, **parts, "context": "with torch.no_grad():"}))


TRAINS = """
    def fit(self):
        for x, y in self.loader:
            self.model.train()
            nn.functional.cross_entropy(self.model(x), y).backward()
            self.step()
"""


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param({"before": "torch.set_grad_enabled(False)"}, id="gradients are off from then on"),
        pytest.param({"after": "torch.set_grad_enabled(False)"}, id="they are switched off last"),
        pytest.param({"switch": "if loader is not None: self.model.eval()"}, id="not always in eval mode"),
        pytest.param({"switch": "self.model.eval(); self.model.requires_grad_(False)"}, id="frozen"),
        pytest.param({"others": TRAINS.strip()}, id="trained elsewhere"),
        pytest.param({"body": "losses.append(self.model(x))"}, id="results for callers"),
        pytest.param({"body": "x.requires_grad_(); losses.append(torch.autograd.grad(self.model(x).sum(), x)[0].norm().item())"}, id="differentiated"),
    ],
)  # fmt: skip
def test_graphs_that_are_wanted_or_are_none(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts}))
