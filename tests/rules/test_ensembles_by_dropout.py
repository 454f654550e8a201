"""LL302: passes that are made again and again after a `train()` are an ensemble by dropout; one pass after it is a mistake."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Detector:
            def __init__(self, train_loader, test_loader):
                self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
                self.train_loader, self.test_loader = train_loader, test_loader
            def fit(self):
                optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
                self.net.train()
                for x, y in self.train_loader:
                    optimizer.zero_grad()
                    nn.functional.cross_entropy(self.net(x), y).backward()
                    optimizer.step()
            def score(self, repeats):
                found = []
                {switch}
                for {number} in {passes}:
                    with torch.no_grad():
                        rows = []
                        for x, y in self.test_loader:
                            rows.append(self.net(x).argmax(1).eq(y).float().mean().item()){marked}
                    {kept}
                return found
        def main(train_loader, test_loader):
            detector = Detector(train_loader, test_loader)
            detector.fit()
            print(detector.score(10))
"""
PARTS = {"switch": "self.net.train()", "number": "_", "passes": "range(repeats)", "kept": "found.append(sum(rows))", "marked": ""}


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"passes": "tqdm(range(repeats))"},
        {"number": "turn"},
        {"switch": "self.net.train(mode=True)", "passes": "range(5)"},
    ],
)
def test_passes_that_are_repeated_in_train_mode(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts}))


@pytest.mark.parametrize(
    "parts",
    [
        {"switch": "pass"},
        {"passes": "self.folds"},
        {"number": "turn", "kept": "print(turn, sum(rows))"},
    ],
)
def test_others_are_reported(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, **parts, "marked": "  # expect: LL302"}))
