"""A dict with fewer entries than the names it is unpacked into ends the run: nothing trains on behind that."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
class Chat:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(3, 3), nn.Dropout())
        self.kept = {{"loss": 0.0, "score": 0.0}}
        self.results = {{}}

    def fit(self, loader, valid, opt):
        model = self.model
        for epoch in range(3):
            model.train()
            for step, (x, y) in enumerate(loader):
                opt.zero_grad()
                nn.functional.mse_loss(model(x), y).backward(){mark}
                opt.step()
                if step % 100 == 0:
                    {names} = self.score(valid)

    def score(self, valid):
        results = self.measure(valid)
        self.results.update(results)
        return results

    def measure(self, valid):
        model = self.model
        results = {{"loss": [], "score": []}}
        model.eval()
        for x, y in valid:
            with torch.no_grad():
                results["loss"].append(nn.functional.mse_loss(model(x), y).item())
        results["loss"] = sum(results["loss"])
        {more}
        return {given}
"""
MARK = "  # expect: LL304"


@pytest.mark.parametrize("names", ["results, _, _", "(loss, score, more)", "a, b, c, d"])
def test_fewer_entries(names: str) -> None:
    assert_marked(PROGRAM.format(names=names, more="pass", given="results", mark=""))


@pytest.mark.parametrize(
    ("names", "more", "given"),
    [
        pytest.param("results, score", "pass", "results", id="as many"),
        pytest.param("results", "pass", "results", id="one name"),
        pytest.param("results, *rest", "pass", "results", id="the rest in a list"),
        pytest.param("results, _, _", "results['count'] = 3", "results", id="one more"),
        pytest.param("results, _, _", "if valid: results['count'] = 3", "results", id="one more, perhaps"),
        pytest.param("results, _, _", "results.update(valid.counts)", "results", id="more that is not known"),
        pytest.param("results, _, _", "fill(results)", "results", id="to code out of sight"),
        pytest.param("results, _, _", "pass", "self.kept", id="of an object that others may fill"),
        pytest.param("results, _, _", "pass", "results, 1, 2", id="a tuple"),
    ],
)
def test_what_may_fit(names: str, more: str, given: str) -> None:
    assert_marked(PROGRAM.format(names=names, more=more, given=given, mark=MARK))
