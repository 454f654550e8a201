"""An evaluation whose call is larger than its part of the budget is followed by itself, as a training is; so is what other code calls back."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.interpreter import roots
from looplint.linting.files import judge
from looplint.linting.selection import Selections
from looplint.sources.reading import from_text, read_source

WORK = "".join(f"    values[{n}] = [args, values, {n} + 1]\n" for n in range(700))
PROGRAM = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, path):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        self.model.load_state_dict(torch.load(path, map_location="cpu"))

    def predict(self, x):
        self.model.eval()
        {guarded}


def main(args):
    {call}


def evaluate(args):
    values = {{}}
{work}    trainer = Trainer(args)
    predictions = []
    for x, y in torch.utils.data.DataLoader(args):
        predictions += trainer.predict(x)
    print(predictions)


main([1])
"""
BARE = "return self.model(x).tolist()"
GUARDED = "with torch.no_grad():\n            return self.model(x).tolist()"


def _codes(text: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(roots, "ROOT_FUEL", 14_000)
    source = from_text(text, None, "train.py")
    return [f.code for f in judge(source, Selections().of_source(source)).findings]


@pytest.mark.parametrize(
    "call",
    [
        "evaluate(args)",
        'if args[0] == "train":\n        print(1)\n    else:\n        evaluate(args)',
        "for each in args:\n        evaluate([each])",
        "run = evaluate\n    run(args)",
    ],
    ids=["called", "in a branch", "in a loop", "by another name"],
)
def test_an_evaluation_that_is_too_large_for_its_call_is_judged(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PROGRAM.format(call=call, work=WORK, guarded=BARE)
    assert _codes(text, monkeypatch) == ["LL303"]
    assert _codes(text.replace(BARE, GUARDED), monkeypatch) == []


FRAMEWORK = """\
def run(function, trials):
    for trial in range(trials):
        _once(function, trial)


def _once(function, trial):
    values = {{}}
{work}    return _again(function, [trial, values])


def _again(function, trial):
    return function(trial)
"""
CALLED_BACK = """\
import torch
from framework import run
from pytorch_lightning import Trainer


def objective(trial):
    values = {{}}
{work}    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(8, 4)), batch_size=2{shuffle})
    trainer = Trainer(max_epochs=3)
    trainer.fit(build(trial), loader)
    return trainer


{call}
"""
CALLS = ["run(objective, 10)", "run(function=objective, trials=10)", "run(lambda trial: objective(trial), 10)"]


@pytest.mark.parametrize("call", CALLS, ids=["handed in", "by its name", "in a lambda"])
@pytest.mark.parametrize(("shuffle", "codes"), [("", ["LL901"]), (", shuffle=True", [])], ids=["as it is", "shuffled"])
def test_what_other_code_calls_back_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, shuffle: str, codes: list[str]
) -> None:
    monkeypatch.setattr(roots, "ROOT_FUEL", 14_000)
    (tmp_path / "framework.py").write_text(
        FRAMEWORK.format(work=WORK[: len(WORK) // 2].rpartition("\n")[0].replace("args", "trial") + "\n")
    )
    (tmp_path / "train.py").write_text(CALLED_BACK.format(shuffle=shuffle, call=call, work=WORK.replace("args", "trial")))
    source = read_source(tmp_path / "train.py")
    assert [f.code for f in judge(source, Selections().of_source(source)).findings] == codes
