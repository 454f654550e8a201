"""Properties with a setter: what reads the attribute runs the one function, what assigns it the other."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETTINGS = """
        class Settings:
            def __init__(self, clear):
                self._clear = clear
            @property
            def clear(self):
                return self._clear
            @clear.setter
            def clear(self, value):
                self._clear = value
            @clear.deleter
            def clear(self):
                del self._clear
        def train(net, loader, settings):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                if settings.clear:
                    optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward(){marked}
                optimizer.step()
        def main(net: nn.Module, loader):
            {made}
            train(net, loader, settings)
"""
TRAINER = """
        class Trainer:
            def __init__(self, net: nn.Module):
                self.net = net
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            @property
            def optimizer(self):
                return self._optimizer
            @optimizer.setter
            def optimizer(self, optimizer):
                self._optimizer = optimizer
            def clear(self):
                {cleared}
            def fit(self, loader):
                for x, y in loader:
                    self.clear()
                    loss = nn.functional.mse_loss(self.net(x), y)
                    loss.backward(){marked}
                    self.optimizer.step()
        def main(net: nn.Module, loader):
            Trainer(net).fit(loader)
"""
FREEZING = """
        class Config:
            def __init__(self, entries):
                self._entries = entries
            @property
            def finetune(self):
                return {entry}
            @finetune.setter
            def finetune(self, flag):
                self._entries["finetune"] = flag
        def main(entries, net: nn.Module, loader):
            config = Config(entries)
            if config.finetune:
                for parameter in net.parameters():
                    parameter.requires_grad = False
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward(retain_graph=True)  # expect: LL110
                optimizer.step()
"""
MODULE = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.rate = {rate}
                self.body = nn.Linear(8, 8)
            @property
            def rate(self):
                return self._rate
            @rate.setter
            def rate(self, rate):
                self._rate = rate
            @property
            def head(self):
                return self.body
            @head.setter
            def head(self, layer):
                raise AttributeError
            def forward(self, x):
                return nn.functional.dropout(self.body(x), self.rate)
        def main(loader):
            net = Net()
            net.head = nn.Linear(8, 8)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                optimizer.step()
"""
PROGRAMS = {
    "a setting that is off": SETTINGS.format(made="settings = Settings(False)", marked="  # expect: LL102"),
    "a setting that is on": SETTINGS.format(made="settings = Settings(True)", marked=""),
    "a setting that is switched on": SETTINGS.format(
        made="settings = Settings(False)\n            settings.clear = True", marked=""
    ),
    "a setting that is switched off": SETTINGS.format(
        made="settings = Settings(None)\n            settings.clear = False", marked="  # expect: LL102"
    ),
    "an optimizer that another method clears": TRAINER.format(cleared="self._optimizer.zero_grad()", marked=""),
    "an optimizer that nothing clears": TRAINER.format(cleared="print(self._optimizer)", marked="  # expect: LL102"),
    "an entry that is an option": FREEZING.format(entry='self._entries["finetune"]'),
    "an entry with a default": FREEZING.format(entry='self._entries.get("finetune", False)'),
    "a module": MODULE.format(rate="0.1"),
}  # fmt: skip


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
