"""What a program does with an object tells what it is, wherever it was made.

Each program says at its lines what must be found there; nothing else may be said.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

import pytest

import looplint

PROGRAMS = {
    "a decorator of the program hands what it is put on to one of torch": """
        def without_gradients(new=True):
            def decorate(fn):
                return (torch.inference_mode if new else torch.no_grad)()(fn)
            return decorate
        def also_without(fn):
            return torch.no_grad()(fn)
        @without_gradients()
        def validate(model: nn.Module, loader):
            model.eval()
            total = 0.0
            for x, y in loader:
                total += nn.functional.mse_loss(model(x), y)
            return total.item()
        @also_without
        def test(model: nn.Module, loader):
            model.eval()
            return sum(nn.functional.mse_loss(model(x), y).item() for x, y in loader)
        def fit(model: nn.Module, optimizer, loader, held_out):
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                print(validate(model, held_out), test(model, held_out))
        """,
    "a scaler of torch or one of another library, whichever device is there": """
        import acme
        def fit(model: nn.Module, optimizer, loader, other):
            if other:
                scaler = acme.amp.GradScaler()
            else:
                scaler = torch.amp.GradScaler()
            for x, y in loader:
                with torch.autocast("cuda"):
                    loss = nn.functional.cross_entropy(model(x), y)
                scaler.scale(loss).backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL601
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
        """,
    "an optimizer that is passed in, or else built": """
        def fit(model: nn.Module, loader, optimizer=None):
            if optimizer is None:
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                nn.functional.cross_entropy(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "a class of the program that stands for one of torch where torch is too old": """
        if torch.__version__ >= "1.6":
            from torch.cuda.amp import GradScaler
        else:
            class GradScaler:
                def scale(self, loss):
                    return loss
                def step(self, optimizer):
                    optimizer.step()
                def update(self):
                    pass
        def train(model: nn.Module, optimizer, loader):
            scaler = GradScaler()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                scaler.scale(loss).backward()
                scaler.step(optimizer)  # expect: LL602
        """,
    "what went backward had a graph, wherever it comes from": """
        import acme
        def train(model: nn.Module, optimizer, loader):
            total, history = 0.0, []
            for batch in loader:
                optimizer.zero_grad()
                loss, metrics = acme.step(model, batch)
                (loss / 2).backward()
                optimizer.step()
                total += loss  # expect: LL402
                history.append(loss)  # expect: LL401
                acme.show(metrics)
            return history
        """,
    "what never went backward need not have one": """
        import acme
        def train(model: nn.Module, optimizer, loader):
            total = 0.0
            for batch in loader:
                optimizer.zero_grad()
                loss, penalty = acme.step(model, batch)
                loss.backward()
                optimizer.step()
                total += penalty
                loss = acme.plain(loss)
                total += loss
            return total
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
    "an attack wants the gradient of its input, and clears with an optimizer that holds it": """
        def attack(model: nn.Module, x, y, turns):
            changed = x.clone().requires_grad_()
            for _ in range(turns):
                optimizer = torch.optim.SGD([changed], lr=1e-3)
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(changed), y)
                loss.backward()
                changed = (changed.data + 0.1 * changed.grad.data.sign()).requires_grad_()
            return changed
        """,
    "an attack clears with the optimizer of the model": """
        def attack(model: nn.Module, optimizer, x, y, turns):
            changed = x.clone().requires_grad_()
            for _ in range(turns):
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(changed), y).backward()
                with torch.no_grad():
                    changed = changed + 0.1 * changed.grad.sign()
                changed.requires_grad_()
            return changed
        """,
    "an attribute says in which phase a shared loop runs": """
        class State:
            def __init__(self, model, optimizer):
                self.model, self.optimizer = model, optimizer
                self.phase = "train"
        class Runner:
            def __init__(self, model, optimizer, criterion):
                self.state = State(model, optimizer)
                self.criterion = criterion
            def fit(self, loader, held_out, epochs):
                for epoch in range(epochs):
                    self.state.phase = "train"
                    self.state.model.train()
                    self.run(loader)
                    self.state.phase = "val"
                    self.state.model.eval()
                    with torch.no_grad():
                        self.run(held_out)
            def run(self, loader):
                for x, y in loader:
                    loss = self.criterion(self.state.model(x), y)
                    if self.state.phase == "train":
                        loss.backward()
                        self.state.optimizer.step()
                        self.state.optimizer.zero_grad()
        """,
    "an attribute says in which phase a shared loop runs, and the model stays in eval mode": """
        class Runner:
            def __init__(self, model: nn.Module, optimizer, criterion):
                self.model, self.optimizer, self.criterion = model, optimizer, criterion
                self.training = True
            def fit(self, loader, held_out, epochs):
                self.model.train()
                for epoch in range(epochs):
                    self.training = True
                    self.run(loader)
                    self.training = False
                    self.model.eval()
                    with torch.no_grad():
                        self.run(held_out)
            def run(self, loader):
                for x, y in loader:
                    loss = self.criterion(self.model(x), y)  # expect: LL301
                    if self.training:
                        loss.backward()
                        self.optimizer.step()
                        self.optimizer.zero_grad()
        """,
    "a phase that a loop changes is not that of its beginning": """
        class Runner:
            def __init__(self, model: nn.Module, optimizer):
                self.model, self.optimizer = model, optimizer
                self.warm = False
            def fit(self, loader):
                self.warm = False
                for x, y in loader:
                    if self.warm:
                        self.optimizer.zero_grad()
                    self.warm = True
                    nn.functional.mse_loss(self.model(x), y).backward()
                    self.optimizer.step()
        """,
    "what is converted where it is an array keeps no graph": """
        import numpy as np
        def plain(value):
            if isinstance(value, np.ndarray):
                return value
            return value.detach().numpy() if isinstance(value, torch.Tensor) else float(value)
        def train(model: nn.Module, optimizer, criterion, loader):
            total = 0.0
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                total += plain(loss)
            return total
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
    "a scaler of one of two names, for whichever torch is there": """
        try:
            from torch_of_tomorrow import GradScaler
        except ImportError:
            from torch.cuda.amp import GradScaler
        def train(model: nn.Module, optimizer, loader):
            scaler = GradScaler()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                scaler.scale(loss).backward()
                scaler.step(optimizer)  # expect: LL602
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
    "two optimizers are told apart by the backwards that their steps use": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                loss = critic(generator(real).detach()).mean() - critic(real).mean()
                loss.backward()
                critic_optimizer.step()
                generator_optimizer.zero_grad()
                (-critic(generator(real)).mean()).backward()  # expect: LL102
                generator_optimizer.step()
        """,
    "one loss is for two optimizers, of which one clears too late": """
        def train(encoder: nn.Module, decoder: nn.Module, encoder_optimizer, decoder_optimizer, loader):
            for x in loader:
                encoder_optimizer.zero_grad()
                loss = nn.functional.mse_loss(decoder(encoder(x)), x)
                loss.backward()
                decoder_optimizer.zero_grad()  # expect: LL101
                encoder_optimizer.step()
                decoder_optimizer.step()
        """,
    "two optimizers that are passed in with their models are cleared and stepped in turn": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, real in enumerate(loader):
                critic_optimizer.zero_grad()
                loss = critic(generator(real).detach()).mean() - critic(real).mean()
                loss.backward()
                critic_optimizer.step()
                if i % 5 == 0:
                    generator_optimizer.zero_grad()
                    (-critic(generator(real)).mean()).backward()
                    generator_optimizer.step()
        """,
    "which of two optimizers is cleared and stepped depends on the phase": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for i, real in enumerate(loader):
                of_critic = i % 2 == 0
                if of_critic:
                    critic_optimizer.zero_grad()
                    loss = critic(generator(real).detach()).mean() - critic(real).mean()
                else:
                    generator_optimizer.zero_grad()
                    loss = -critic(generator(real)).mean()
                loss.backward()
                if of_critic:
                    critic_optimizer.step()
                else:
                    generator_optimizer.step()
        """,
    "the models clear for the optimizers that are passed in with them": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                critic.zero_grad()
                (critic(generator(real).detach()).mean() - critic(real).mean()).backward()
                critic_optimizer.step()
                generator.zero_grad()
                (-critic(generator(real)).mean()).backward()
                generator_optimizer.step()
        """,
    "one optimizer steps on the gradients of many batches, another on each": """
        def train(net: nn.Module, head: nn.Module, slow, fast, loader):
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(head(net(x)), y)
                loss.backward()  # expect: LL108
                fast.step()
                fast.zero_grad()
                if i % 4 == 3:
                    slow.step()
                    slow.zero_grad()
        """,
    "a step of the batch before, at the top of the loop": """
        def train(critic: nn.Module, generator: nn.Module, critic_optimizer, generator_optimizer, loader):
            for real in loader:
                critic_optimizer.step()
                critic_optimizer.zero_grad()
                (critic(generator(real).detach()).mean() - critic(real).mean()).backward()
                generator_optimizer.zero_grad()
                (-critic(generator(real)).mean()).backward()
                generator_optimizer.step()
        """,
    "an optimizer that shares its state among processes": """
        from torch.distributed.optim import ZeroRedundancyOptimizer
        def train(model: nn.Module, loader):
            optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "a class of torch.optim by its name": """
        def train(model: nn.Module, loader, name):
            optimizer = vars(torch.optim)[name](model.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
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
    "a module that a plain object builds is in train mode": """
        class Run:
            def __init__(self):
                self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
            def train(self, loader):
                for x, y in loader:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.net(x), y).backward()
                    self.opt.step()
            @torch.no_grad()
            def validate(self, loader):
                total = 0.0
                for x, y in loader:
                    total += nn.functional.mse_loss(self.net(x), y).item()  # expect: LL302
                return total
        run = Run()
        for epoch in range(3):
            run.train(data)
            print(run.validate(held_out))
        """,
    "a part of a module has the mode of the whole": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1))
            def forward(self, x):
                return self.net(x)
        model = Model()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(3):
            model.train()
            for x, y in data:
                optimizer.zero_grad()
                nn.functional.mse_loss(model.net(x), y).backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                print(sum(nn.functional.mse_loss(model.net(x), y).item() for x, y in held_out))
        """,
    "what a factory makes is told by the function that it is handed to": """
        from mylib import config
        def train_one_epoch(model, optimizer, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        def main(cfg, loader):
            network, updates = config.instantiate(cfg)
            train_one_epoch(network, optimizer=updates, loader=loader)
        """,
    "the attributes of an object that is passed in": """
        def train_one_epoch(state, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(state.model(x), y)
                loss.backward()
                state.optimizer.zero_grad()  # expect: LL101
                state.optimizer.step()
        """,
    "an annotated parameter that a constructor stores": """
        class Trainer:
            def __init__(self, model: nn.Module, optimizer: torch.optim.Adam):
                self.model, self.updates = model, optimizer
            def epoch(self, loader):
                for x, y in loader:
                    loss = nn.functional.mse_loss(self.model(x), y)
                    loss.backward()  # expect: LL102
                    self.updates.step()
        """,
    "names of a module that cannot be read, in two functions": """
        from mylib.setup import model, optimizer
        def update(loss):
            loss.backward()
            optimizer.zero_grad()  # expect: LL101
            optimizer.step()
        for x, y in data:
            update(nn.functional.mse_loss(model(x), y))
        """,
    "clipped between the step and the next backward": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL104
        """,
    "a model and an optimizer that are passed in belong together": """
        def fit(model: nn.Module, optimizer, loader, held_out):
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                total = 0.0
                with torch.no_grad():
                    for x, y in held_out:
                        total += nn.functional.mse_loss(model(x), y).item()  # expect: LL302
                print(total)
        """,
    "a network that losses only go through is not taken for the trained one": """
        def fit(model: nn.Module, judge: nn.Module, optimizer, loader, held_out):
            judge.eval()
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(judge(model(x)), y).backward()
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(sum(nn.functional.mse_loss(judge(model(x)), y).item() for x, y in held_out))
        """,
    "the step of what a factory makes may clear": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model)
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "what is made of parameters is an optimizer as torch has them": """
        from mylib.build import build_optimizer
        def train(model: nn.Module, cfg, loader):
            optimizer = build_optimizer(cfg, model.parameters())
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "an optimizer that is wrapped is one still, and its step may clear": """
        from mylib.parallel import wrap
        def train(model: nn.Module, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            optimizer = wrap(optimizer)
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "the schedule of a diffusion": """
        from mylib.build import build_optimizer, build_scheduler
        def train(model: nn.Module, cfg, loader):
            optimizer, scheduler = build_optimizer(cfg, model), build_scheduler(cfg)
            for x, y in loader:
                optimizer.zero_grad()
                noisy = scheduler.add_noise(x, y)
                nn.functional.mse_loss(model(noisy), y).backward()
                scheduler.step(noisy)
                optimizer.step()
        """,
    "a class by its name is no model": """
        from mylib import registry
        def train(name, loader):
            Model = registry.get(name)
            model = Model(8)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
    "the optimizer that a helper of the object builds is one": """
        class Run:
            def setup(self):
                self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def fit(self, loader):
                self.setup()
                for x, y in loader:
                    nn.functional.mse_loss(self.model(x), y).backward()  # expect: LL102
                    self.optimizer.step()
        """,
    "a profile of a base class that cannot be read": """
        from mylib import Base
        class Run(Base):
            def fit(self, model: nn.Module, loader):
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for x, y in loader:
                    with self.timed():
                        loss = nn.functional.mse_loss(model(x), y)
                        loss.backward()  # expect: LL102
                    optimizer.step()
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
    "the loss that a model returns is a mean": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(8, 3)
            def forward(self, x, y):
                out = self.net(x)
                return nn.functional.cross_entropy(out, y), out
        def train(loader):
            model = Model()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for i, (x, y) in enumerate(loader):
                loss, out = model(x, y)
                loss.backward()  # expect: LL108
                if (i + 1) % 4 == 0:
                    optimizer.step()
                    optimizer.zero_grad()
        """,
    "the loss that a model returns is divided": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(8, 3)
            def forward(self, x, y):
                return nn.functional.cross_entropy(self.net(x), y) / 4
        def train(loader):
            model = Model()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for i, (x, y) in enumerate(loader):
                loss = model(x, y)
                loss.backward()
                if (i + 1) % 4 == 0:
                    optimizer.step()
                    optimizer.zero_grad()
        """,
    "a method that sets something up is no part of a model": """
        def fit(model: nn.Module, optimizer, loader, held_out):
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x, model.init_hidden(8)), y).backward()
                    optimizer.step()
                model.eval()
                hidden, total = model.init_hidden(8), 0.0
                for x, y in held_out:
                    output, hidden = model(x, hidden)  # expect: LL303
                    total += nn.functional.mse_loss(output, y).item()
                print(total)
        """,
    "an optimizer that settings have, or else one that is built": """
        import acme
        def fit(path, loader):
            config = acme.load(path)
            model = config.model
            optimizer = getattr(config, "optimizer", torch.optim.RAdam(model.parameters()))
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                optimizer.zero_grad()
        def fit_wrongly(path, loader):
            config = acme.load(path)
            model = config.model
            optimizer = getattr(config, "optimizer", torch.optim.RAdam(model.parameters()))
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "a registry gives back what it holds, or what an entry of it builds": """
        import acme
        ENTRIES = {}
        def register(name, **settings):
            ENTRIES[name] = {"name": name, "settings": settings, "shared": {}, "needed": {}}
        def create(name, entries=None, **settings):
            entries = ENTRIES if entries is None else entries
            if hasattr(entries[name], "__dict__"):
                return entries[name]
            if "shared" in entries[name]:
                return entries[name]["shared"]
            if settings.get("default"):
                return {"name": name}
            return getattr(acme, name)(**settings)
        class Trainer:
            def __init__(self, model, optimizer):
                self.model, self.optimizer = model, optimizer
                self.scaler = torch.amp.GradScaler()
            def fit(self, loader):
                self.model.train()
                for x, y in loader:
                    loss = self.model(x, y)
                    self.optimizer.zero_grad()
                    self.scaler.scale(loss).backward()
                    self.scaler.unscale_(self.optimizer)
                    nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
            def fit_wrongly(self, loader):
                self.model.train()
                for x, y in loader:
                    loss = self.model(x, y)
                    self.scaler.scale(loss).backward()
                    self.optimizer.zero_grad()  # expect: LL101
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
        def main(settings, loader):
            model = create(settings.model)
            trainer = Trainer(model, create(settings.optimizer, model=model))
            trainer.fit(loader)
            trainer.fit_wrongly(loader)
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
    "the state of one of three is saved in the turn that takes it": """
        def fit(model: nn.Module, optimizer, loader, settings):
            for epoch in range(9):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                if settings.average:
                    state = settings.averaged.module.state_dict()
                elif settings.compiled:
                    state = model._orig_mod.state_dict()
                else:
                    state = model.state_dict()
                torch.save({"model": state, "epoch": epoch}, "last.pt")
                torch.save(state, "bare.pt")
        """,
    "gradients are switched in one of two expressions": """
        def run(model: nn.Module, optimizer, loader, other, phase="train"):
            model.train() if phase == "train" else model.eval()
            torch.set_grad_enabled(True) if phase == "train" else torch.set_grad_enabled(False)
            total = 0.0
            for x, y in loader if phase == "train" else other:
                loss = nn.functional.mse_loss(model(x), y)
                total += loss.item()
                if phase == "train":
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
            return total
        def main(model: nn.Module, optimizer, loader, other):
            for epoch in range(3):
                run(model, optimizer, loader, other)
                run(model, optimizer, loader, other, "valid")
        """,
    "outputs that a model collects head by head": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.encoder = nn.Linear(3, 3)
                self.heads = nn.ModuleList([nn.Linear(3, 3) for _ in range(4)])
            def forward(self, x):
                return self.encoder(x)
            def decode(self, x, heads):
                x = self.encoder(x)
                collected = []
                for number, head in enumerate(heads):
                    collected.append(self.heads[head](x))
                return torch.stack(collected, dim=1)
        def show(loader):
            net = Net()
            for x in loader:
                print(net.decode(x, [0, 1, 2, 3]).shape)
        """,
    "a loader that a helper builds is told to shuffle by the one who calls the helper": """
        from torch.utils.data import DataLoader, TensorDataset
        def get_loader(data, batch_size, **kwargs):
            pinned = kwargs.pop("pin_memory", True)
            return DataLoader(data, batch_size=batch_size, pin_memory=pinned, **kwargs)
        def fit(model, loader, optimizer):
            for epoch in range(3):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        data = TensorDataset(torch.randn(90, 3), torch.randn(90, 1))
        fit(model, get_loader(data, 4, shuffle=True), optimizer)
        fit(model, get_loader(data, 4, num_workers=2), optimizer)  # expect: LL901
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
    "a sum of losses that begins as a plain number": """
        class Net(nn.Module):
            def __init__(self, settings):
                super().__init__()
                self.levels = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
                self.weights = {"level": settings.get("level", 1.0)}
            def forward(self, x):
                return [level(x) for level in self.levels]
            def losses(self, outputs, y):
                total = 0.0
                for output in outputs:
                    if self.weights["level"] > 0:
                        total = total + self.weights["level"] * nn.functional.mse_loss(output, y)
                return {"total": total}
        def main(settings, loader):
            model = Net(settings)
            model.train()
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
            for x, y in loader:
                loss = model.losses(model(x), y)["total"]
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
    "each turn of a loop has one optimizer of a list": """
        class Agent:
            def __init__(self, nets, lr):
                self.critics = nets
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in self.critics]
            def update(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.critics, self.opts):
                        loss = nn.functional.mse_loss(net(x), y)
                        loss.backward()
                        opt.zero_grad()  # expect: LL101
                        opt.step()
            def early(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.critics, self.opts):
                        loss = nn.functional.mse_loss(net(x), y)
                        opt.zero_grad()
                        opt.step()  # expect: LL105
                        loss.backward()
        class Idle:
            def __init__(self, nets, lr):
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in nets]
                self.nets = nets
            def update(self, batches):
                for x, y in batches:
                    for net, opt in zip(self.nets, self.opts):
                        opt.zero_grad()
                        nn.functional.mse_loss(net(x), y).backward()  # expect: LL106
        """,
    "optimizers of a list, each by its number or in a loop of its own": """
        class Agent:
            def __init__(self, nets, lr):
                self.critics = nets
                self.opts = [torch.optim.Adam(net.parameters(), lr=lr) for net in self.critics]
            def by_number(self, batches):
                for x, y in batches:
                    self.opts[0].zero_grad()
                    nn.functional.mse_loss(self.critics[0](x), y).backward()
                    self.opts[1].zero_grad()
                    self.opts[0].step()
                    nn.functional.mse_loss(self.critics[1](x), y).backward()
                    self.opts[1].step()
            def in_loops(self, batches):
                for x, y in batches:
                    for opt in self.opts:
                        opt.zero_grad()
                    for net in self.critics:
                        nn.functional.mse_loss(net(x), y).backward()
                    for opt in self.opts:
                        opt.step()
            def alternating(self, batches):
                for x, y in batches:
                    for k, (net, opt) in enumerate(zip(self.critics, self.opts)):
                        if k % 2:
                            opt.zero_grad()
                        nn.functional.mse_loss(net(x), y).backward()
                        if not k % 2:
                            opt.step()
                            opt.zero_grad()
                        else:
                            opt.step()
        """,
    "what the parts of a model put out is added up": """
        class Experts(nn.Module):
            def __init__(self, width, count):
                super().__init__()
                self.base = nn.Linear(width, width)
                self.down = nn.ModuleList(nn.Linear(width, 1) for _ in range(count))
                self.up = nn.ModuleList(nn.Linear(1, width) for _ in range(count))
            def forward(self, x):
                return self.base(x)
        def compare(mix):
            layer, x = Experts(2, 2), torch.ones(2, 2)
            expected = layer.base(x)
            for expert, (down, up) in enumerate(zip(layer.down, layer.up)):
                expected = expected + up(down(x)) * mix[:, expert, None]
            total = torch.zeros(2)
            for down, up in zip(layer.down, layer.up):
                total = total + up(down(x)).sum(0)
            print(expected, total)
        """,
    "a layer that is built after an optimizer is none of its": """
        class Agent(nn.Module):
            def __init__(self, lr, device):
                super().__init__()
                self.policy = nn.Linear(3, 3).to(device)
                self.optimizer = torch.optim.Adam(self.parameters(), lr)
                self.reward = nn.Sequential(nn.Linear(3, 1), nn.ReLU()).to(device)
                self.optimizer = torch.optim.Adam(self.parameters(), lr)
            def update(self, x, y):
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.reward(self.policy(x)), y).backward()
                self.optimizer.step()
        def run(loader, device):
            agent = Agent(0.1, device)
            for x, y in loader:
                agent.update(x, y)
        """,
    "an epoch of linear probing begins with eval()": """
        def train(model, head, optimizer, loader):
            model.eval()
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(head(model(x)), y).backward()
                optimizer.step()
        def validate(model, head, loader):
            model.eval()
            with torch.no_grad():
                return sum(nn.functional.cross_entropy(head(model(x)), y).item() for x, y in loader)
        def main(loader, held_out):
            model, head = nn.Sequential(nn.Linear(3, 3), nn.Dropout()), nn.Linear(3, 2)
            optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
            for epoch in range(5):
                train(model, head, optimizer, loader)
                print(validate(model, head, held_out))
        """,
    "what a quantizer gives back is no tensor": """
        model = nn.Sequential(nn.Linear(3, 3))
        quantized = torch.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
        quantized.to("cpu")
        quantized.eval()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_what_is_said_is_what_is_wrong(program: str) -> None:
    text = f"import torch\nfrom torch import nn\n{dedent(program)}"
    expected = {(m[1], row) for row, line in enumerate(text.splitlines(), 1) for m in re.finditer(r"# expect: (LL\d+)", line)}
    found = {(f.code, f.location.row) for f in looplint.lint(text, isolated=True) if f.severity != "advice"}
    assert found == expected


def test_a_subclass_of_another_file_uses_what_the_constructor_makes(tmp_path: Path) -> None:
    (tmp_path / "base.py").write_text(
        dedent("""
        import acme
        class Base:
            def __init__(self, cfg):
                self.model = acme.registry.build(cfg["model"])
                self.optimizer = acme.registry.build(cfg["optimizer"], self.model)
        """)
    )
    main = tmp_path / "trainer.py"
    main.write_text(
        dedent("""
        import torch
        from base import Base
        class Trainer(Base):
            def fit(self, loader):
                self.model.train()
                for x, y in loader:
                    loss = torch.nn.functional.mse_loss(self.model(x), y)
                    loss.backward()
                    self.optimizer.zero_grad()
                    self.optimizer.step()
        """)
    )
    assert [(f.code, f.location.row) for f in looplint.lint([main], isolated=True)] == [("LL101", 10)]
