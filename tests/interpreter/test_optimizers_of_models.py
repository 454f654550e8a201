"""Models that make their own optimizers, loops that override a library's, and trainers whose objects outlive what is followed of them."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a model that a configuration makes, whose class is annotated, makes its optimizer": """
        import hydra
        from policies import Policy
        class Workspace:
            def __init__(self, cfg):
                self.model: Policy = hydra.utils.instantiate(cfg.policy)
                self.optimizer = self.model.get_optimizer(**cfg.optimizer)
            def run(self, loader, device):
                self.model.to(device)
                for epoch in range(9):
                    self.model.train()
                    for batch in loader:
                        loss = self.model.compute_loss(batch)
                        loss.backward()
                        self.optimizer.zero_grad()  # expect: LL101
                        self.optimizer.step()
        """,
    "a wrapped model's own method makes the optimizer": """
        class Trainer:
            def __init__(self, model, loader, config):
                self.model, self.loader, self.config = model, loader, config
            def train(self):
                model = self.model
                raw = model.module if hasattr(model, "module") else model
                optimizer = raw.configure_optimizers(self.config)
                model.train()
                for x, y in self.loader:
                    _, loss = model(x, y)
                    model.zero_grad()
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL103
                    loss.backward()
                    optimizer.step()
        """,
    "a model out of sight makes its optimizer, which nothing clears": """
        from gpt import GPT
        def train(config, loader):
            model = GPT(config)
            optimizer = model.configure_optimizers(0.1, 1e-3)
            for x, y in loader:
                logits, loss = model(x, y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "a module of Lightning around a known model makes an optimizer and its schedule": """
        from forecasters import Finetune
        def train(own, loader):
            finetune = Finetune(module=own.model)
            own.model.train()
            configured = finetune.configure_optimizers()
            optimizer = configured["optimizer"]
            for x, y in loader:
                loss = finetune.hparams.loss_func(finetune(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "a module of Lightning makes a list of optimizers, the first of which is taken": """
        from forecasters import Finetune
        def train(loader):
            model = Finetune()
            optimizers, schedulers = model.configure_optimizers()
            optimizer = optimizers[0]
            for x, y in loader:
                loss = model(x, y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "right: a module of Lightning makes an optimizer that the model clears": """
        from forecasters import Finetune
        def train(loader):
            model = Finetune()
            optimizer = model.configure_optimizers()["optimizer"]
            for x, y in loader:
                model.zero_grad()
                loss = model(x, y)
                loss.backward()
                optimizer.step()
        """,
    "a module of Lightning makes a dict of optimizers, one of which nothing clears": """
        from forecasters import Finetune
        def train(loader):
            model = Finetune()
            model.train()
            optimizers = model.configure_optimizers()
            for x in loader:
                loss = model(x)
                loss.backward()  # expect: LL102
                optimizers["main"].step()
        """,
    "right: a module of Lightning makes two optimizers, which step in turn": """
        from forecasters import Finetune
        def train(loader):
            model = Finetune()
            model.train()
            optimizers, schedulers = model.configure_optimizers()
            for x in loader:
                for number, optimizer in enumerate(optimizers):
                    loss = model(x, number)
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        def train_apart(loader):
            model = Finetune()
            model.train()
            optimizers = model.configure_optimizers()
            for x in loader:
                optimizers["critic"].zero_grad()
                model(x, "critic").backward()
                optimizers["critic"].step()
                optimizers["actor"].zero_grad()
                model(x, "actor").backward()
                optimizers["actor"].step()
        """,
    "right: a library that is given the model builds what steps, and may clear": """
        from lib import GPT, build_optimizer
        def train(config, loader):
            model = GPT(config)
            optimizer = build_optimizer(config, model)
            for x, y in loader:
                logits, loss = model(x, y)
                loss.backward()
                optimizer.step()
        """,
    "right: a model makes its optimizer and its scheduler": """
        def train(model: nn.Module, loader, lr):
            optim = model.create_optim(lr)
            sched = model.create_scheduler(optim)
            model.train()
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optim.step()
                sched.step()
                optim.zero_grad()
        """,
    "right: a method named after a distribution gives what its parameters give": """
        def train(policy: nn.Module, optimizer: torch.optim.Optimizer, loader):
            policy.train()
            for state, action in loader:
                loss = -policy.get_optimal_distribution(state).log_prob(action).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """,
    "no backward in a trainer whose optimizer a constructor builds": """
        from accelerate import Accelerator
        class Trainer:
            def __init__(self, model, loader):
                self.accelerator = Accelerator()
                self.optimizer = torch.optim.AdamW(model.parameters())
                self.model, self.optimizer = self.accelerator.prepare(model, self.optimizer)
                self.loader = loader
            def train(self):
                self.model.train()
                for batch in self.loader:
                    with self.accelerator.accumulate(self.model):
                        loss, _ = self.model(batch)
                        self.optimizer.step()  # expect: LL107
                        self.optimizer.zero_grad()
        """,
    "no backward in a trainer that shows its optimizer to a method of its own": """
        class Trainer:
            def __init__(self, model, loader):
                self.model, self.loader = model, loader
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            def rate(self):
                return self.optimizer.param_groups[0]["lr"]
            def train(self):
                self.model.train()
                for x, y in self.loader:
                    loss = nn.functional.mse_loss(self.model(x), y)
                    self.optimizer.step()  # expect: LL107
                    self.optimizer.zero_grad()
                    print(self.rate(), loss.item())
        """,
    "no backward beside a moving average of the model": """
        from ema_pytorch import EMA
        def train(model: nn.Module, loader):
            ema = EMA(model, include_online_model=False)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model.train()
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.step()  # expect: LL107
                optimizer.zero_grad()
                ema.update()
        """,
    "right: another method of the trainer goes backward": """
        class Trainer:
            def __init__(self, model, loader):
                self.model, self.loader = model, loader
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            def learn(self, x, y):
                nn.functional.mse_loss(self.model(x), y).backward()
            def train(self):
                self.model.train()
                for x, y in self.loader:
                    self.learn(x, y)
                    self.optimizer.step()
                    self.optimizer.zero_grad()
        """,
    "right: what a constructor hands the optimizer to goes backward": """
        from lib import Runner
        class Trainer:
            def __init__(self, model, loader):
                self.model, self.loader = model, loader
                self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                self.runner = Runner(model, self.optimizer)
            def train(self):
                self.model.train()
                for x, y in self.loader:
                    print(self.model(x).mean().item())
                    self.runner.run(x, y)
                    self.optimizer.step()
        """,
    "no backward in a subclass of a library's trainer": """
        from transformers import Trainer
        class Own(Trainer):
            def step(self, loader):
                self.model.train()
                for batch in loader:
                    with self.accelerator.accumulate(self.model):
                        loss = self.compute_loss(self.model, batch)
                        self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
                        self.optimizer.step()  # expect: LL107
                        self.optimizer.zero_grad()
        """,
    "no zero_grad in a subclass of a library's trainer": """
        from transformers import Trainer
        class Own(Trainer):
            def step(self, loader):
                self.model.train()
                for batch in loader:
                    loss = self.compute_loss(self.model, batch)
                    self.accelerator.backward(loss)
                    self.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
                    self.optimizer.zero_grad()  # expect: LL101
                    self.optimizer.step()
        """,
    "right: a subclass of a library's trainer that steps schedulers in a loop": """
        from transformers import Trainer
        class Own(Trainer):
            def advance(self, schedulers):
                for scheduler in schedulers:
                    scheduler.step()
        """,
    "a graph is kept for nothing where an option freezes a part": """
        def train(args, loader):
            net, head = nn.Sequential(nn.Linear(3, 3), nn.ReLU()), nn.Linear(3, 3)
            groups = []
            for k, v in net.named_parameters():
                if args.lr_decay > 0:
                    groups += [{"params": v, "lr": args.lr * args.lr_decay}]
                else:
                    v.requires_grad = False
            optimizer = torch.optim.SGD(groups, lr=args.lr)
            net.train()
            for x, y in loader:
                loss = nn.CrossEntropyLoss()(head(net(x)), y)
                optimizer.zero_grad()
                loss.backward(retain_graph=True)  # expect: LL110
                optimizer.step()
        """,
    "one of two optimizers never steps: the other one's clear drops what it is cleared for": """
        def train(gen, disc, optimizer_g, optimizer_d, loader, criterion):
            gen.train()
            disc.train()
            for x, z in loader:
                optimizer_d.zero_grad()
                d_loss = criterion(disc(x), 1) + criterion(disc(gen(z).detach()), 0)
                d_loss.backward()  # expect: LL106
                optimizer_g.zero_grad()
                criterion(disc(gen(z)), 1).backward()
                optimizer_g.step()
        """,
    "one of two optimizers never steps in a loop of its own": """
        def train(gen, disc, optimizer_g, optimizer_d, loader, criterion, turns):
            gen.train()
            disc.train()
            for x, z in loader:
                for _ in range(turns):
                    optimizer_d.zero_grad(set_to_none=True)
                    d_loss = criterion(disc(x), 1) + criterion(disc(gen(z).detach()), 0)
                    d_loss.backward()  # expect: LL106
                optimizer_g.zero_grad(set_to_none=True)
                criterion(disc(gen(z)), 1).backward()
                optimizer_g.step()
        """,
    "the one that never steps comes last": """
        def train(gen, disc, optimizer_g, optimizer_d, loader, criterion):
            gen.train()
            disc.train()
            for x, z in loader:
                optimizer_g.zero_grad()
                criterion(disc(gen(z)), 1).backward()
                optimizer_g.step()
                optimizer_d.zero_grad()
                d_loss = criterion(disc(x), 1) + criterion(disc(gen(z).detach()), 0)
                d_loss.backward()  # expect: LL106
        """,
    "right: both losses go backward before the one optimizer that holds both models steps": """
        def train(gen, disc, optimizer, optimizer_d, loader, criterion):
            gen.train()
            disc.train()
            for x, z in loader:
                optimizer_d.zero_grad()
                criterion(disc(x), 1).backward()
                criterion(disc(gen(z)), 1).backward()
                optimizer.step()
                optimizer.zero_grad()
        """,
    "right: what an optimizer is cleared for is read from the inputs": """
        def attack(model, x, y, optimizer, other, criterion, loader):
            model.train()
            for x, y in loader:
                x.requires_grad_()
                optimizer.zero_grad()
                criterion(model(x), y).backward()
                x = (x + x.grad.sign()).detach()
                other.zero_grad()
                criterion(model(x), y).backward()
                other.step()
        """,
    "an optimizer with modes of its own, made out of sight": """
        import schedulefree
        def train(model: nn.Module, loader):
            optimizer = schedulefree.AdamWScheduleFree(model.parameters())
            for epoch in range(9):
                model.train()
                optimizer.train()
                for x in loader:
                    model(x).mean().backward()
                    optimizer.zero_grad()  # expect: LL101
                    optimizer.step()
        """,
    "an optimizer with modes of its own, handed in": """
        def train(model: nn.Module, optimizer, loader):
            model.train()
            optimizer.train()
            for x in loader:
                optimizer.zero_grad()
                optimizer.step()  # expect: LL105
                model(x).mean().backward()
        """,
    "right: an optimizer with modes of its own": """
        def train(model: nn.Module, optimizer, loader):
            model.train()
            optimizer.train()
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
            model.eval()
            optimizer.eval()
        """,
    "a model that something out of sight holds gets its optimizer in the first epoch": """
        class Runner:
            def __init__(self, args):
                self.args = args
            def build(self, model):
                return eval(f"torch.optim.{self.args.optimizer}")(model.customize_parameters(), lr=self.args.lr)
            def fit(self, dataset, loader):
                model = dataset.model
                if model.optimizer is None:
                    model.optimizer = self.build(model)
                model.train()
                for batch in loader:
                    out = model(batch)
                    loss = model.loss(out)
                    loss.backward()  # expect: LL102
                    model.optimizer.step()
        """,
    "a model that an entry holds has had its optimizer before": """
        def fit(parts, loader):
            parts["net"].train()
            for x, y in loader:
                parts["net"].optimizer.zero_grad()
                loss = nn.functional.mse_loss(parts["net"](x), y)
                parts["net"].optimizer.step()  # expect: LL105
                loss.backward()
        """,
    "right: a model that something holds, whose optimizer is made where there is none": """
        def fit(agent, loader, maker):
            if not hasattr(agent.policy, "optimizer"):
                agent.policy.optimizer = maker(agent.policy.parameters())
            agent.policy.train()
            for x, y in loader:
                agent.policy.optimizer.zero_grad()
                nn.functional.mse_loss(agent.policy(x), y).backward()
                agent.policy.optimizer.step()
        """,
    "right: a model that steps by itself and has modes": """
        def train(model, loader):
            model.train()
            for x in loader:
                model.zero_grad()
                model(x).mean().backward()
                model.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_understood(program: str) -> None:
    assert_marked(program)
