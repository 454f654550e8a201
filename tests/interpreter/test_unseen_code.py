"""What code that cannot be read may do with what it is given, and what a program returns to it."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

PROGRAMS = {
    "a method of a callback that another one switches on": """
        import lightning.pytorch as pl
        class Show(pl.callbacks.Callback):
            def __init__(self):
                self.shows, self.count = False, 10
            def on_sanity_check_end(self, trainer, pl_module):
                self.shows = True
            def on_validation_end(self, trainer, pl_module):
                if not self.shows:
                    return
                for number in range(self.count):
                    image, mask = pl_module.held_out[number].values()
                    image = image.unsqueeze(0)
                    image.to(pl_module.device)  # expect: LL503
                    mask.to("cpu")  # expect: LL503
                    show(pl_module(image), mask.numpy())
        """,
    "a method of a callback that nothing switches on": """
        import lightning.pytorch as pl
        class Show(pl.callbacks.Callback):
            def __init__(self):
                self.shows = False
            def on_validation_end(self, trainer, pl_module):
                if self.shows:
                    image = pl_module.held_out[0].unsqueeze(0)
                    image.to(pl_module.device)
        """,
    "a trainer of a library, with a loop of its own": """
        from transformers import Trainer
        class Mine(Trainer):
            def train(self):
                model, optimizer, accelerator = self.model, self.optimizer, self.accelerator
                model.train()
                for x, y in self.get_train_dataloader():
                    loss = nn.functional.mse_loss(model(x), y)
                    accelerator.backward(loss)  # expect: LL106
                    optimizer.zero_grad()
        """,
    "a hook of a trainer of a library": """
        import lightning
        class Mine(lightning.LightningModule):
            def training_step(self, batch):
                optimizer = self.optimizers()
                for x, y in batch:
                    optimizer.zero_grad()
                    self.manual_backward(nn.functional.mse_loss(self.net(x), y))
                    optimizer.step()
        """,
    "settings that are passed in need not have their defaults": """
        from dataclasses import dataclass
        @dataclass
        class Params:
            scale: float
            use_amp: bool = False
        class Trainer:
            def __init__(self, model: nn.Module, optimizer: torch.optim.Optimizer, params: Params):
                self.model, self.optimizer, self.params = model, optimizer, params
                self.scaler = torch.amp.GradScaler(init_scale=params.scale, enabled=self.params.use_amp)
            def train(self, loader):
                for x, y in loader:
                    self.optimizer.zero_grad()
                    with torch.autocast("cuda", enabled=self.params.use_amp):
                        loss = nn.functional.cross_entropy(self.model(x), y)
                    self.scaler.scale(loss).backward()
                    self.scaler.step(self.optimizer)  # expect: LL602
        """,
    "settings that are passed in, in a loop that is right": """
        from dataclasses import dataclass
        @dataclass
        class Params:
            use_amp: bool = False
            every: int = 1
        def train(params: Params, model: nn.Module, optimizer: torch.optim.Optimizer, loader):
            scaler = torch.amp.GradScaler(enabled=params.use_amp)
            for i, (x, y) in enumerate(loader):
                with torch.autocast("cuda"):
                    loss = nn.functional.cross_entropy(model(x), y) / params.every
                scaler.scale(loss).backward()
                if (i + 1) % params.every == 0:
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
        """,
    "a loop that clears each time and never steps, of a class that others build": """
        class Agent:
            def __init__(self, policy: nn.Module, epochs):
                self.policy, self.epochs = policy, epochs
                self.optimizer = torch.optim.Adam(policy.parameters())
            def update(self, rollouts):
                for epoch in range(self.epochs):
                    for sample in rollouts.batches():
                        values, _ = self.policy.evaluate(sample)
                        self.optimizer.zero_grad()
                        (values - sample.returns).pow(2).mean().backward()  # expect: LL106
                        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        """,
    "a loop that clears each time and never goes backward, of a class that others build": """
        class Agent:
            def __init__(self, policy: nn.Module, epochs):
                self.policy, self.epochs = policy, epochs
                self.optimizer = torch.optim.Adam(policy.parameters())
            def update(self, rollouts):
                for sample in rollouts.batches():
                    values = self.policy(sample)
                    self.optimizer.zero_grad()
                    loss = (values - sample.returns).pow(2).mean()
                    self.optimizer.step()  # expect: LL107
        """,
    "a model that is handed to other code when it has been trained in vain": """
        import acme
        def main(loader):
            model = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = acme.distance(model(x), y)
                loss.backward()  # expect: LL106
            acme.publish(model)
        """,
    "gradients that a method leaves to its callers": """
        class Agent:
            def __init__(self, policy: nn.Module):
                self.policy = policy
                self.optimizer = torch.optim.Adam(policy.parameters())
            def accumulate(self, rollouts):
                self.optimizer.zero_grad()
                for sample in rollouts.batches():
                    self.policy(sample).pow(2).mean().backward()
        """,
    "a callback gets the trainer in each turn of the loop": """
        class Agent:
            def __init__(self, policy: nn.Module, callbacks):
                self.policy, self.callbacks = policy, callbacks
                self.optimizer = torch.optim.Adam(policy.parameters())
            def update(self, rollouts):
                for sample in rollouts.batches():
                    self.optimizer.zero_grad()
                    self.policy(sample).pow(2).mean().backward()
                    self.callbacks.after_backward(self)
            def update_later(self, rollouts):
                for sample in rollouts.batches():
                    self.optimizer.zero_grad()
                    self.policy(sample)
                    self.callbacks.compute_gradients(self, sample)
                    self.optimizer.step()
        """,
    "a loss that other code sends backward": """
        import acme
        def train(model: nn.Module, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                acme.go_back(nn.functional.mse_loss(model(x), y))
                optimizer.step()
        """,
    "a scaler of one's own gets the optimizer and steps": """
        def train(model: nn.Module, optimizer, scale_and_step, loader):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward(retain_graph=False)
                scale_and_step(loss, optimizer)
        """,
    "main is launched by Fabric, which it gets": """
        from lightning.fabric import Fabric
        def main(fabric, rate):
            model = nn.Linear(4, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=rate)
            model, optimizer = fabric.setup(model, optimizer)
            for x, y in fabric.setup_dataloaders(data):
                loss = nn.functional.mse_loss(model(x), y)
                fabric.backward(loss)  # expect: LL102
                optimizer.step()
        Fabric(devices=1).launch(main, 0.1)
        """,
    "losses that went backward are handed back": """
        def train(model: nn.Module, objective, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                cost = objective(model(x), y)
                cost.backward()
                optimizer.step()
                history.append(cost)  # expect: LL401
            return history
        """,
    "losses that go backward in the caller are handed back": """
        def losses(model: nn.Module, objective, loader):
            found = []
            for x, y in loader:
                found.append(objective(model(x), y))
            return found
        """,
    "who gets an output may send it backward": """
        from mylib import losses
        def fit(model: nn.Module, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                losses.send_backward(model(x), y)
                optimizer.step()
        """,
    "what a loss from out of sight is given goes backward here, and nowhere else": """
        import acme
        def fit(model: nn.Module, optimizer, loader, settings):
            criterion, measure = acme.build_loss(settings), acme.Measure()
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                measure.update(out, y)
                loss = criterion(out, y)
                optimizer.step()  # expect: LL105
                loss.backward()
        def parts(model: nn.Module, optimizer, loader, settings):
            losses = acme.build_losses(settings)
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                total = sum(weight * loss(out, y) for weight, loss in losses)
                optimizer.step()  # expect: LL105
                total.backward()
        """,
    "code that is not seen may send backward what it is given": """
        import acme
        def fit(model: nn.Module, optimizer, loader, settings):
            trainer = acme.build(settings)
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                trainer.learn(out, y)
                optimizer.step()
        def one_or_the_other(model: nn.Module, optimizer, loader, settings):
            trainer = acme.build(settings)
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                if settings.own:
                    trainer.learn(out, y)
                else:
                    nn.functional.mse_loss(out, y).backward()
                optimizer.step()
        def kept(model: nn.Module, optimizer, loader, settings):
            trainer = acme.build(settings)
            for x, y in loader:
                optimizer.zero_grad()
                out = model(x)
                nn.functional.mse_loss(out, y).backward(retain_graph=True)
                optimizer.step()
                trainer.learn(out, y)
                optimizer.step()
                optimizer.zero_grad()
        """,
    "settings that cannot be read are given the scaler": """
        def fit(model, optimizer, loader, config):
            for x, y in loader:
                optimizer.zero_grad()
                config.scaler.scale(nn.functional.cross_entropy(model(x), y)).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                config.scaler.step(optimizer)
                config.scaler.update()
        def build(model, config):
            scaler = None
            if config.use_amp:
                scaler = torch.amp.GradScaler()
            return model, scaler
        def main(loader):
            from train_config import config
            model = nn.Linear(3, 3)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model, config.scaler = build(model, config)
            fit(model, optimizer, loader, config)
        """,
    "a class that is followed by itself calls a method that tests what a constructor sets": """
        class Vocabulary:
            def __init__(self, unknown):
                self.unknown, self.items = unknown, {}
            def index(self, item):
                if self.unknown:
                    return self.items.get(item, 0)
                return self.items[item]
        class SequenceLoss(nn.Module):
            def __init__(self, vocabulary: Vocabulary):
                super().__init__()
                self.start = vocabulary.index("<s>")
            def forward(self, scores, gold):
                return nn.functional.cross_entropy(scores.softmax(-1), gold)  # expect: LL701
        """,
    "an engine that sends the loss backward": """
        from mylib import make_engine
        def fit(loader, cfg):
            engine = make_engine(cfg)
            net = nn.Linear(3, 3)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                engine.backward(loss)  # expect: LL102
                opt.step()
        """,
    "a strategy of a class out of sight, which the optimizer has cleared too late": """
        from mylib import Strategy
        class Trainer:
            def __init__(self, strategy: Strategy, loader):
                self.strategy, self.loader = strategy, loader
                self.net = nn.Linear(3, 3)
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
            def fit(self):
                for x, y in self.loader:
                    loss = nn.functional.mse_loss(self.net(x), y)
                    self.strategy.backward(loss)
                    self.opt.zero_grad()  # expect: LL101
                    self.opt.step()
        def main(strategy, loader):
            Trainer(strategy, loader).fit()
        """,
    "a booster that gets the optimizer too, and may do what it likes with it": """
        from mylib import booster
        def fit(loader):
            net = nn.Linear(3, 3)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                booster.backward(loss, opt)
                opt.step()
        """,
    "clipped after the step, when the gradients are gone": """
        def fit(net: nn.Module, loader, limit):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
                opt.zero_grad()
                if limit > 0:
                    nn.utils.clip_grad_norm_(net.parameters(), limit)  # expect: LL104
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)


@pytest.mark.parametrize(
    "call", ["adjust_learning_rate(opt, epoch)", "lib.set_lr(opt, 0.1)", "lib.misc.adjust_learning_rate_by_lr(opt, rate)", "update_lr(opt)"]
)
def test_code_that_sets_the_rate_by_its_name_does_nothing_to_gradients(call: str) -> None:
    text = f"""\
import torch
import lib
from lib import adjust_learning_rate, update_lr

def main(loader, rate, epoch):
    point = torch.nn.Parameter(torch.zeros(3))
    opt = torch.optim.Adam([point])
    for x in loader:
        {call}
        (point - x).pow(2).sum().backward()
        opt.step()
"""
    assert [f.code for f in looplint.lint(text, isolated=True)] == ["LL102"]
    other = text.replace(call, "lib.step_of(opt, 0.1)")
    assert [f.code for f in looplint.lint(other, isolated=True)] == []
