"""An attribute that a method makes when it is asked for first is one object from there on (LL302, LL501)."""

from __future__ import annotations

import pytest

import looplint
from looplint.flow.events import Construct, Forward
from looplint.linting.analysis import build_program
from looplint.sources.reading import from_text

PROGRAM = """\
import pickle
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))

    def forward(self, x):
        return self.body(x)

class Predictor{base}:
    def __init__(self, options):
        {before}
        self.options = options

{lazy}

    def load(self, path):
        with open(path, "rb") as file:
            self.{name}.load_state_dict(pickle.load(file))

    def predict(self, x):
        {mode}
        return self.{name}(x).detach().numpy()

predictor = Predictor(1)
predictor.load("weights")
predictor.{name}.cuda()
for x in torch.utils.data.DataLoader(list(range(100))):
    print(predictor.predict(x).sum())
"""
PROPERTY = """\
    @property
    def model(self):
        if {test}:
            self._model = Net()
            self.opt = torch.optim.SGD(self._model.parameters(), lr=0.1)
        return self._model"""
METHOD = """\
    @property
    def model(self):
        self.prepare()
        return self._model

    def prepare(self):
        if {test}:
            self._model = Net()"""
NOT_SET, NONE = 'not hasattr(self, "_model")', "self._model is None"
FORMS = {
    "not set": {"lazy": PROPERTY.format(test=NOT_SET), "before": "pass"},
    "set by another method": {"lazy": METHOD.format(test=NOT_SET), "before": "pass"},
    "none": {"lazy": PROPERTY.format(test=NONE), "before": "self._model = None"},
    "in a module": {"lazy": PROPERTY.format(test=NOT_SET), "before": "super().__init__()", "base": "(nn.Module)"},
}


def _text(form: str, mode: str = "pass") -> str:
    return PROGRAM.format(**{"base": "", "name": "model", "mode": mode, **FORMS[form]})


@pytest.mark.parametrize("form", FORMS)
def test_it_is_built_once_and_applied_for_certain(form: str) -> None:
    program, _ = build_program(from_text(_text(form), None, "train.py"))
    applied = [e for e in program.of(Forward) if not e.root]
    assert len(applied) == 1
    assert applied[0].certain
    built = [e for e in program.of(Construct) if not e.root and e.subjects & applied[0].subjects]
    assert len(built) == 1


@pytest.mark.parametrize("form", FORMS)
def test_what_is_loaded_into_it_and_put_out_by_it_is_judged(form: str) -> None:
    assert "LL302" in [f.code for f in looplint.lint(_text(form), isolated=True)]
    assert "LL302" not in [f.code for f in looplint.lint(_text(form, "self.model.eval()"), isolated=True)]


@pytest.mark.parametrize(
    ("made", "asked"),
    [
        ("setattr(self, options, Net())", NOT_SET),
        ("fill(self)", NOT_SET),
        ("self.__dict__.update(options)", NOT_SET),
        ("self._model = build(options)", NONE),
    ],
    ids=["under a name that is not known", "by code out of sight", "from a dict", "by a function out of sight"],
)
def test_what_may_be_there_before_is_asked_for_on_both_ways(made: str, asked: str) -> None:
    text = PROGRAM.format(base="", name="model", mode="pass", lazy=PROPERTY.format(test=asked), before=made)
    program, _ = build_program(from_text(text, None, "train.py"))
    applied = {o for e in program.of(Forward) for o in e.subjects}
    assert all(e.guards for e in program.of(Construct) if not e.root and e.subjects & applied)
