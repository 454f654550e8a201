"""What a function is handed in was used before: what its methods change is not what its constructor says."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch


class Replay:
    def __init__(self, room):
        self.room = room
        {before}
        self.kept = torch.empty(1000, 4)

    def add(self, batch):
        {change}

    def sample(self, size):
        if {empty}:
            return None
        return self.kept[torch.randint(1000, (size,))]


{holder}
class Learner:
    def __init__(self):
        self.model = torch.nn.Linear(4, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def learn(self, memory: {annotation}):
        for _ in range(10):
            batch = {replay}.sample(16)
            if batch is None:
                return {{}}
            loss = self.model(batch).mean()
            loss.backward()
            self.optimizer.step()
        return loss.item()
"""
COUNTED = {"before": "self.n = 0", "change": "self.n = min(self.n + len(batch), self.room)", "empty": "size > self.n"}
HOLDER = """\
class Memory:
    def __init__(self):
        self.replay = Replay(100)
"""


@pytest.mark.parametrize(
    "form",
    [
        COUNTED,
        {**COUNTED, "change": "self.n += len(batch)"},
        {"before": "self.ready = False", "change": "self.ready = True", "empty": "not self.ready"},
        {"before": "self.seen = []", "change": "self.seen.append(batch)", "empty": "len(self.seen) == 0"},
    ],
    ids=["a bounded count", "a count", "a flag", "a list"],
)
@pytest.mark.parametrize("within", [False, True], ids=["handed in", "kept by what is handed in"])
def test_what_runs_once_it_was_filled_is_judged(form: dict[str, str], within: bool) -> None:
    place = (
        {"holder": HOLDER, "annotation": "Memory", "replay": "memory.replay"}
        if within
        else {"holder": "", "annotation": "Replay", "replay": "memory"}
    )
    found = looplint.lint(PROGRAM.format(**form, **place), isolated=True)
    assert [finding.code for finding in found] == ["LL102"]


def test_what_no_method_changes_decides() -> None:
    form = COUNTED | {"change": "pass"}
    found = looplint.lint(PROGRAM.format(**form, holder="", annotation="Replay", replay="memory"), isolated=True)
    assert list(found) == []
