"""What is named after making, filling or converting a model is no model, though its name has the word: what it gives goes on as the model."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

SCRIPT = """\
import torch
from torch import nn
from hydra.utils import instantiate


class Trainer:
    def __init__(self, conf, loader, valid):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader, self.valid = loader, valid
        {name} = instantiate(conf.maker)
        if {name} is not None:
            self.model = {name}(model=self.model)

    def run(self, epochs: int):
        self.model.train()
        for epoch in range(epochs):
            {start}
            for x, y in self.loader:
                self.optimizer.zero_grad()
                nn.functional.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()
            self.model.eval()
            with torch.no_grad():
                print(sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.valid))
"""


def codes(name: str, start: str) -> list[str]:
    return [f.code for f in looplint.lint(SCRIPT.format(name=name, start=start), isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("name", ["model_weight_initializer", "model_converter", "net_creator", "backbone_maker", "net_creator_2"])
def test_the_model_goes_on(name: str) -> None:
    assert codes(name, "pass") == ["LL301"]
    assert codes(name, "self.model.train()") == []


@pytest.mark.parametrize("name", ["model", "wrapping_net", "model2", "net_21"])
def test_a_model_is_another_one(name: str) -> None:
    assert codes(name, "self.model.train()") == []


@pytest.mark.parametrize("name", ["model_def", "net_ctor", "model_klass", "model_class2", "build_model_2", "net2_cls1"])
def test_what_it_gives_is_built_once(name: str) -> None:
    assert_marked(f"""
        import importlib

        def load(path):
            module, _, leaf = path.rpartition(".")
            return path, getattr(importlib.import_module(module), leaf)

        def fit(model, loader):
            optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward(retain_graph=True)  # expect: LL110
                optimizer.step()

        def run(config, loader):
            path, {name} = load(config.path)
            model = {name}(**config.__dict__)
            fit(model, loader)
        """)


def test_several_are_built_of_classes_with_numbers() -> None:
    assert_marked("""
        import models

        class Agent:
            def __init__(self, config):
                model_class = getattr(models, config.first)
                self.model = nn.DataParallel(model_class(config))
                model_class2 = getattr(models, config.second)
                self.model2 = nn.DataParallel(model_class2(config))
                self.optimizer = torch.optim.Adam(self.model2.module.parameters())

            def train(self, loader):
                codes = self.model.eval()
                gpt = self.model2.train()
                for x, y in loader:
                    with torch.no_grad():
                        code = codes(x)
                    output, loss = gpt(code, y)
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
        """)
