"""What a program does with an object shows what it is, wherever it was made."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

PROGRAMS = {
    "optimizers under the keys of a dict, of classes that nothing tells": """
        class Trainer:
            def __init__(self, model, optimizer, criterion):
                self.model, self.optimizer, self.criterion = model, optimizer, criterion
            def fit(self, loader):
                for x, y in loader:
                    self.criterion(self.model["generator"](x), y).backward()
                    self.optimizer["generator"].zero_grad()  # expect: LL101
                    self.optimizer["generator"].step()
                    self.optimizer["critic"].zero_grad()
                    self.criterion(self.model["critic"](x), y).backward()
                    self.optimizer["critic"].step()
        def main(config, loader):
            model = {"generator": nn.Linear(3, 3), "critic": nn.Linear(3, 1)}
            build = getattr(config.package, config.get("optimizer", "RAdam"))
            optimizer = {"generator": build(model["generator"].parameters(), **config["generator"])}
            optimizer["critic"] = config.other(model["critic"].parameters())
            Trainer(model, optimizer, nn.MSELoss()).fit(loader)
        """,
    "models, optimizers and schedulers under the keys of dicts, nothing of which is in sight": """
        class Trainer:
            def __init__(self, model, optimizer, scheduler, criterion):
                self.model, self.optimizer, self.scheduler, self.criterion = model, optimizer, scheduler, criterion
            def fit(self, loader, held_out):
                for epoch in range(9):
                    for x, y in loader:
                        loss = self.criterion["mse"](self.model["generator"](x), y)  # expect: LL301
                        loss.backward()
                        self.optimizer["generator"].zero_grad()  # expect: LL101
                        self.optimizer["generator"].step()
                    self.scheduler["generator"].step()
                    self.model["generator"].eval()
                    with torch.no_grad():
                        for x, y in held_out:
                            print(self.criterion["mse"](self.model["generator"](x), y).item())
        def main(config, loader, held_out):
            kind, optimizer_kind = getattr(config.models, config.kind), getattr(config.optimizers, config.optimizer)
            model = {"generator": kind(**config.arguments).to(config.device)}
            optimizer = {"generator": optimizer_kind(model["generator"].parameters(), **config.settings)}
            scheduler = {"generator": config.scheduler(optimizer=optimizer["generator"])}
            criterion = {"mse": nn.MSELoss()}
            Trainer(model, optimizer, scheduler, criterion).fit(loader, held_out)
        """,
    "a model with its loss, whatever it is called": """
        class ModelWithLoss(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.criterion = nn.MSELoss()
                self.model = model
            def forward(self, x, y):
                return self.criterion(self.model(x), y)
        class PerceptualLoss(nn.Module):
            def __init__(self, features):
                super().__init__()
                self.features = features
            def forward(self, out, y):
                return (self.features(out) - self.features(y)).abs().mean()
        def main(loader):
            model = ModelWithLoss(nn.Sequential(nn.Linear(3, 3), nn.Dropout())).cuda()
            perceptual = PerceptualLoss(nn.Linear(3, 9).requires_grad_(False))
            optimizer = torch.optim.Adam(model.parameters())
            for x, y in loader:
                loss = model(x, y).mean() + perceptual(model.model(x), y)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """,
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
        data = TensorDataset(torch.randn(90, 3), torch.arange(90.0).view(90, 1))
        fit(model, get_loader(data, 4, shuffle=True), optimizer)
        fit(model, get_loader(data, 4, num_workers=2), optimizer)  # expect: LL901
        """,
    "what a quantizer gives back is no tensor": """
        model = nn.Sequential(nn.Linear(3, 3))
        quantized = torch.quantization.quantize_dynamic(model, {nn.Linear}, dtype=torch.qint8)
        quantized.to("cpu")
        quantized.eval()
        """,
    "parameters go through a dict of settings into a class by its name": """
        def make(conf, **extra):
            module, name = conf["target"].rsplit(".", 1)
            given = conf.get("params", dict())
            given.update(extra)
            return getattr(importlib.import_module(module), name)(**given)
        def main(loader, valid, conf):
            model = make(conf.model)
            opt = make(conf.optim, params=model.parameters())
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()  # expect: LL301
                    opt.step()
                model.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(model(x), y).item())
        """,
    "a list of parameters goes into a registry that cannot be read": """
        from registry import OPTIMIZERS, make
        def build(conf, params):
            settings = conf.to_dict()
            settings["params"] = params
            return OPTIMIZERS.get(settings.pop("name"))(**settings)
        def main(loader, valid, conf):
            model = make(conf.model)
            params = [p for p in model.parameters() if p.requires_grad]
            opt = build(conf.optim, params)
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()  # expect: LL301
                    opt.step()
                model.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(model(x), y).item())
        """,
    "an optimizer of a trainer gets parameters through settings": """
        from registry import make
        class Options:
            def __init__(self, conf):
                self.conf = conf
            def optimizer(self, params):
                options = self.conf.as_dict()
                options.setdefault("params", params)
                return self.conf.optimizer_class(**options)
        def main(loader, valid, conf):
            model = make(conf.model)
            opt = Options(conf).optimizer(model.parameters())
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()  # expect: LL301
                    opt.step()
                model.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(model(x), y).item())
        """,
    "a function of a module of losses is taken by its name in the settings": """
        import losses
        def main(loader, config):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            criterion = getattr(losses, config["loss"])
            for x, y in loader:
                opt.zero_grad()
                loss = criterion(net(x), y)
                opt.step()  # expect: LL107
                print(loss.item())
        """,
    "a builder out of sight makes the loss that a trainer keeps": """
        from builders import build_loss
        class Trainer:
            def __init__(self, net, loss, opt):
                self.net, self.loss, self.opt = net, loss, opt
            def fit(self, loader):
                for x, y in loader:
                    loss = self.loss(self.net(x), y)
                    loss.backward()  # expect: LL102
                    self.opt.step()
        def main(loader, config):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            loss = build_loss(config)
            Trainer(net, loss, opt).fit(loader)
        """,
    "a loss of settings is given to a loop that steps too early": """
        def train(net, loss_fn, opt, loader):
            for x, y in loader:
                opt.zero_grad()
                loss = loss_fn(net(x), y)
                opt.step()  # expect: LL105
                loss.backward()
        def main(loader, config):
            net = nn.Linear(2, 1)
            loss_fn = config.make("loss")
            train(net, loss_fn, torch.optim.SGD(net.parameters(), lr=0.1), loader)
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)


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


STRATEGY = """
import torch
from torch.utils.data import DataLoader
from .strategies import Strategy

class Trainer:
    def __init__(self, model, strategy: Strategy, optim, dataset):
        self.strategy = strategy
        self.loader = DataLoader(dataset)
        self.model = strategy.setup_model(model)
        self.optimizer = strategy.setup_optimizer(optim, self.model)
    def fit(self):
        losses = []
        for x, y in self.loader:
            self.optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(self.model(x), y)
            {backward}
            self.optimizer.step()
            losses.append(loss)
        self.model.eval()
"""


@pytest.mark.parametrize("backward", ["self.strategy.backward(loss, self.model)", "self.strategy.backward(loss)", "loss.backward()"])
def test_what_a_strategy_sets_up_is_what_it_is_used_as(backward: str) -> None:
    """What sends a loss backward is no loss, and what it sets up under the name of a model is one."""
    assert [f.code for f in looplint.lint(STRATEGY.replace("{backward}", backward), isolated=True)] == ["LL401"]


def test_a_part_that_is_switched_is_a_module() -> None:
    """`gen()` takes no input; what is put into eval mode before is a network all the same."""
    source = """
import torch

class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
    def train_step(self, loader):
        for x, y in loader:
            self.optimizer.zero_grad()
            (self.model.generator(x) - y).abs().mean().backward()
            self.optimizer.step()
    def eval_step(self):
        gen = self.model.generator
        {switch}
        return torch.cat([gen().cpu() for i in range(10)]).numpy()
"""

    def codes(switch: str) -> list[str]:
        return [f.code for f in looplint.lint(source.replace("{switch}", switch), isolated=True)]

    assert codes("gen.eval()") == ["LL303"]
    assert codes("pass") == []
