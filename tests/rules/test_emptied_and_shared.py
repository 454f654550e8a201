"""What was found wrong in repositories, each as a small program: emptied containers, what is taken apart, constructors too deep to follow, repairs."""

from __future__ import annotations

import pytest

import looplint

KEPT = """\
from collections import deque
import torch
from torch import nn, optim
net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
kept = {container}
for epoch in range(3):
    for i, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        kept.append(loss)
        {then}
    {after}
"""
FROM_HUB = """\
import torch
class Vad:
    def __init__(self):
        self.model, (self.find, *_) = torch.hub.load("snakers4/silero-vad", "silero_vad")
    def __call__(self, files):
        found = []
        for audio in torch.utils.data.DataLoader(files):
            for each in self.{asked}(audio, self.model):
                found.append({{"start": each["start"], "end": each["end"]}})
        return found
print(Vad()(files))
"""
TWO_LOADS = """\
import torch
from torch import nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(2, 1)
try:
    model.load_state_dict(torch.load("best.pt"))
except RuntimeError:
    state, pretrained = model.state_dict(), {}
    pretrained = torch.load("best.pt")
    state.update({k: v for k, v in pretrained.items() if k in state})
    model.load_state_dict(state)
model.to(device)
"""
SHARED = """\
import torch
from torch import nn, optim
class Weak(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.out = nn.BatchNorm1d(2), nn.Linear(2, 1)
    def forward(self, x):
        return self.out(self.norm(x))
class Ensemble:
    def __init__(self):
        self.models = []
    def forward(self, x):
        total = 0.0
        with torch.no_grad():
            for m in self.models:
                total = total + m(x)
        return total
ensemble = Ensemble()
for stage in range(3):
    model = Weak()
    opt = optim.Adam(model.parameters())
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y - ensemble.forward(x)).backward()
        opt.step()
    ensemble.models.append(model)
    for x, y in valid:
        print(nn.functional.mse_loss(ensemble.forward(x), y).item())
"""


DEEP = """\
from torch import nn
class Root(nn.Module):
    def __init__(self):
        super().__init__()
class Word(Root):
    def __init__(self):
        Root.__init__(self)
        self.drop = nn.Dropout(0.1)
def build0():
    return Word()
"""


def severities(text: str, code: str) -> list[str]:
    return [f.severity for f in looplint.lint(text, isolated=True) if f.code == code]


@pytest.mark.parametrize(
    ("container", "then", "after", "expected"),
    [
        ("[]", "pass", "pass", ["warning"]),
        ("deque()", "if i % 10 == 9: kept.clear()", "pass", []),
        ("deque()", "if len(kept) > 9: print(kept.popleft().item())", "pass", []),
        ("[]", "if len(kept) > 9: del kept[0]", "pass", []),
        ("[]", "if len(kept) > 9: kept.pop(0)", "pass", []),
        ("[]", "pass", "kept.clear()", ["warning"]),  # an epoch's graphs together
        ("deque(maxlen=9)", "pass", "pass", ["advice"]),
        ("deque([], 9)", "pass", "pass", ["advice"]),
    ],
)
def test_graphs_pile_up_where_nothing_takes_them_out(container: str, then: str, after: str, expected: list[str]) -> None:
    assert severities(KEPT.format(container=container, then=then, after=after), "LL401") == expected


def test_functions_that_come_with_a_model_of_the_hub_are_no_models() -> None:
    assert severities(FROM_HUB.format(asked="find"), "LL401") == []
    assert severities(FROM_HUB.format(asked="model"), "LL401") == ["warning"]


def test_a_load_is_repaired_with_the_one_that_follows_if_it_fails() -> None:
    (found,) = [f for f in looplint.lint(TWO_LOADS, isolated=True) if f.code == "LL803"]
    assert found.fix is not None and len(found.fix.edits) == 2
    assert looplint.fix(TWO_LOADS, isolated=True).text.count('torch.load("best.pt", map_location=device)') == 2


def test_no_mode_is_set_in_lines_that_make_the_targets_of_training() -> None:
    (found,) = [f for f in looplint.lint(SHARED, isolated=True) if f.code == "LL302"]
    assert found.fix is None and found.unrepaired


@pytest.mark.parametrize("depth", range(16, 24, 2))
def test_a_constructor_that_is_too_deep_to_be_followed_may_have_run(depth: int) -> None:
    builders = [f"def build{n}():\n    return build{n - 1}()\n" for n in range(1, depth + 1)]
    assert severities(DEEP + "".join(builders) + f"model = build{depth}()\n", "LL506") == []


SLOTS = """\
import torch
from torch import nn, optim


class Slots:
    def __init__(self, size):
        self.slots = [0] * size

    def update(self, values):
        for i, value in enumerate(values):
            self.slots[i] = value

    def set_first(self, value):
        self.slots[0] = value

    def put(self, i, value):
        self.slots[i] = value


def train(net: nn.Module, loader, size: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    kept = Slots(size)
    parts = [None] * size
    for i, (x, y) in enumerate(loader):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        {keeps}
    return kept.slots, parts[0].item()
"""


@pytest.mark.parametrize(
    ("keeps", "expected"),
    [
        ("kept.update([loss, loss * 2])", []),
        ("kept.update(tuple(loss * k for k in range(size)))", []),
        ("kept.set_first(loss)", []),
        ("for k in range(size): parts[k] = loss", []),
        ("parts[0] = loss", []),
        ("kept.put(i, loss)", ["warning"]),
        ("for k in range(i, i + size): parts[k] = loss", ["warning"]),
    ],
)
def test_slots_that_each_turn_counts_from_zero_are_overwritten(keeps: str, expected: list[str]) -> None:
    assert severities(SLOTS.format(keeps=keeps), "LL401") == expected


FEW = """\
import torch
from torch import nn, optim


def train(net: nn.Module, loader, epochs: int, size: int):
    opt = optim.SGD(net.parameters(), lr=0.1)
    kept = []
    picked = 0
    for epoch in range(epochs):
        shown, seen = [], 0
        for i, (x, y) in enumerate(loader):
            opt.zero_grad()
            out = net(x)
            loss = nn.functional.mse_loss(out, y)
            loss.backward()
            opt.step()
            {keeps}
            seen += 1
        print(torch.cat(shown).mean().item())
    return torch.stack(kept).mean().item()
"""


@pytest.mark.parametrize(
    ("keeps", "expected"),
    [
        ("if len(kept) < size: kept.append(out)", []),
        ("if not len(kept) >= 8 and size > 3: kept.append(out)", []),
        ("if picked < 16:\n                kept.append(out)\n                picked += len(out)", []),
        ("if 16 > picked:\n                kept.append(out)\n                picked += len(out)", []),
        ("if i < 4: shown.append(out)", []),
        ("if seen < 4: shown.append(out)", []),
        ("if i == 0: shown.append(out)", []),
        ("if i < 4: kept.append(out)", ["advice"]),  # some in each epoch
        ("if seen < 4: kept.append(out)", ["advice"]),
        ("if i > 4: kept.append(out)", ["warning"]),
        ("if i % 4 == 0: kept.append(out)", ["warning"]),
        ("if len(shown) < size: kept.append(out)", ["warning"]),
        ("if picked < seen:\n                kept.append(out)\n                picked += len(out)", ["warning"]),
        ("if picked < 16:\n                kept.append(out)\n                picked += len(out)\n            picked -= 1", ["warning"]),
    ],
)
def test_what_only_the_first_turns_keep_does_not_grow(keeps: str, expected: list[str]) -> None:
    assert severities(FEW.format(keeps=keeps), "LL401") == expected
