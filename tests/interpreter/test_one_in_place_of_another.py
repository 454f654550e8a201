"""What is one of several is one object in its parts and methods too, and what takes the place of another is it from there on."""

from __future__ import annotations

import pytest

from programs import assert_marked

MODELS = """
        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
                self.head = nn.Sequential(nn.Linear(8, 4), nn.Dropout(0.5))
            def loss(self, x, y):
                h = self.body(x)
                return nn.functional.cross_entropy(self.head(h), y)
            def forward(self, x):
                return self.head(self.body(x)).argmax(-1)
        class Sentence(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
                self.attention = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5))
            def loss(self, x, y):
                h = self.body(x){marked}
                return nn.functional.cross_entropy(self.attention(h), y)
            def forward(self, x):
                return self.attention(self.body(x)).argmax(-1)
        def validate(model, data):
            model.eval()
            with torch.no_grad():
                return [(model(x) == y).sum().item() for x, y in data]
"""

PROGRAMS = {
    "what a validation leaves reaches the parts that either class trains": (
        MODELS.replace("{marked}", "  # expect: LL301")
        + """
        def main(args, data, valid):
            model = Sentence() if args.sentence else Tagger()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    model.loss(x, y).backward()
                    opt.step()
                print(validate(model, valid))
        """
    ),
    "and train() in the place of it keeps both quiet": (
        MODELS.replace("{marked}", "")
        + """
        def main(args, data, valid):
            if args.sentence:
                model = Sentence()
            else:
                model = Tagger()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                model.train()
                for x, y in data:
                    opt.zero_grad()
                    loss = model.loss(x, y)
                    loss.backward()
                    opt.step()
                print(validate(model, valid))
        """
    ),
    "what either method gives goes backward": """
        class One(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def loss(self, x, y):
                return nn.functional.mse_loss(self.layer(x), y)
        class Two(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def loss(self, x, y):
                return nn.functional.l1_loss(self.layer(x), y)
        class Three(Two):
            def loss(self, x, y):
                return nn.functional.smooth_l1_loss(self.layer(x), y)
        def build(name):
            if name == "one":
                return One()
            if name == "two":
                return Two()
            return Three()
        def main(name, data):
            model = build(name)
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in data:
                loss = model.loss(x, y)
                loss.backward()  # expect: LL102
                opt.step()
        """,
    "an optimizer that a branch of the loop builds anew": """
        def main(args, data):
            net = nn.Linear(3, 3)
            lr = 0.1
            opt = torch.optim.SGD(net.parameters(), lr=lr)
            for step, (x, y) in enumerate(data):
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                opt.step()
                if step % 100 == 0:
                    if step in args.decay:
                        lr *= 0.1
                        opt = torch.optim.SGD(net.parameters(), lr=lr)
        """,
    "one that a branch builds anew, and that is cleared": """
        def main(args, data):
            net = nn.Linear(3, 3)
            lr = 0.1
            opt = torch.optim.SGD(net.parameters(), lr=lr)
            for step, (x, y) in enumerate(data):
                opt.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                opt.step()
                if step in args.decay:
                    lr *= 0.1
                    opt = torch.optim.SGD(net.parameters(), lr=lr)
        """,
    "a pair that a function builds again": """
        def build(net, epoch):
            params = [p for p in net.parameters() if p.requires_grad]
            opt = torch.optim.SGD(params, lr=0.1)
            return opt, torch.optim.lr_scheduler.StepLR(opt, 10)
        def train(args, loader, net, opt, schedule):
            for i, (x, y) in enumerate(loader):
                if i % 100 == 0:
                    if i == args.unfreeze:
                        opt, schedule = build(net, i)
                    schedule.step()
                loss = nn.functional.mse_loss(net(x), y)
                opt.zero_grad()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # expect: LL103
                loss.backward()
                opt.step()
        def main(args, loader):
            net = nn.Linear(3, 3)
            opt, schedule = build(net, 0)
            train(args, loader, net, opt, schedule)
        """,
    "an attribute that another method gives anew": """
        class Agent:
            def __init__(self):
                self.net = nn.Linear(3, 3)
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
                self.schedule = torch.optim.lr_scheduler.StepLR(self.opt, 10)
            def restart(self):
                self.opt = torch.optim.Adam(self.net.parameters())
                self.schedule = torch.optim.lr_scheduler.StepLR(self.opt, 10)
            def learn(self, data):
                for x, y in data:
                    self.opt.zero_grad()
                    loss = nn.functional.mse_loss(self.net(x), y)
                    self.opt.step()  # expect: LL105
                    loss.backward()
                self.schedule.step()
            def run(self, data):
                for epoch in range(100):
                    self.learn(data)
                    if epoch == 50:
                        self.restart()
        def main(data):
            Agent().run(data)
        """,
    "two optimizers that an attribute holds one after the other, of two models": """
        class Trainer:
            def __init__(self):
                self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)
            def warm(self, data):
                self.opt = torch.optim.SGD(self.first.parameters(), lr=0.1)
                for x, y in data:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.first(x), y).backward()
                    self.opt.step()
            def tune(self, data):
                self.opt = torch.optim.SGD(self.second.parameters(), lr=0.1)
                for x, y in data:
                    self.opt.zero_grad()
                    nn.functional.mse_loss(self.second(x), y).backward()
                    self.opt.step()
        def main(data):
            trainer = Trainer()
            trainer.warm(data)
            trainer.tune(data)
        """,
    "a part that is taken by a name nobody knows changes nothing": """
        def unfreeze(model, layers):
            for layer in layers:
                for p in getattr(model.body, layer).parameters():
                    p.requires_grad = True
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
            def forward(self, x):
                return self.body(x)
        def main(args, data):
            model = Net()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                unfreeze(model, args.layers)
                for x, y in data:
                    loss = nn.functional.mse_loss(model(x), y)
                    loss.backward()  # expect: LL102
                    opt.step()
        """,
    "a part that only one of them has": """
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def loss(self, x, y):
                return nn.functional.mse_loss(self.layer(x), y)
            def forward(self, x):
                return self.layer(x)
        class Noisy(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
                self.noise = nn.Dropout(0.5)
            def loss(self, x, y):
                x = self.noise(x)  # expect: LL301
                return nn.functional.mse_loss(self.layer(x), y)
            def forward(self, x):
                return self.layer(x)
        def main(args, data, valid):
            model = Noisy() if args.noisy else Plain()
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    model.loss(x, y).backward()
                    opt.step()
                model.eval()
                with torch.no_grad():
                    print([nn.functional.mse_loss(model(x), y).item() for x, y in valid])
        """,
}  # fmt: skip


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)


def test_a_batch_of_a_loader_that_is_known_or_unknown_is_one() -> None:
    assert_marked(
        """
        from timm.data import create_loader

        def build(args, dataset):
            if args.timm:
                return create_loader(dataset, 32)
            return torch.utils.data.DataLoader(dataset, 32, shuffle=True)

        def main(args, dataset, model: nn.Module, optimizer):
            for x, y in build(args, dataset):
                x = x.cuda()
                y.cuda()  # expect: LL503
                nn.functional.cross_entropy(model(x), y).backward()
                optimizer.step()
                optimizer.zero_grad()
        """
    )


@pytest.mark.parametrize(
    "patched",
    [
        "opt.step = fused.__get__(opt)",
        "opt.step = types.MethodType(library.fused_step, opt)",
        "opt.step = library.profiled(opt.step)",
        "opt.zero_grad = library.quick(opt); opt.step = library.quick(opt)",
    ],
)
def test_a_method_that_unknown_code_takes_the_place_of_does_what_its_name_says(patched: str) -> None:
    assert_marked(f"""
        import types
        import library
        def fused(self):
            pass
        def main(args, loader):
            net = nn.Linear(2, 1)
            opt = torch.optim.Adam(net.parameters())
            if args.fused:
                {patched}
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                opt.zero_grad()  # expect: LL101
                opt.step()
        """)


POLICIES = """
        class Act(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.model = nn.Linear(2, 2)
                self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["lr"])
            def __call__(self, x, y):
                return {"loss": nn.functional.l1_loss(self.model(x), y)}
            def configure_optimizers(self):
                return self.optimizer

        class Cnn(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.model = nn.Conv1d(2, 2, 1)
                self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=config["lr"])
            def __call__(self, x, y):
                return {"loss": nn.functional.mse_loss(self.model(x), y)}
            def configure_optimizers(self):
                return self.optimizer

        class Diffusion(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.nets = nn.ModuleDict({"net": nn.Linear(2, 2)})
            def __call__(self, x, y):
                return {"loss": nn.functional.mse_loss(self.nets["net"](x), y)}
            def configure_optimizers(self):
                return torch.optim.AdamW(self.nets.parameters(), lr=0.1)

        def make(kind, config):
            if kind == "ACT":
                policy = Act(config)
            elif kind == "CNN":
                policy = Cnn(config)
            elif kind == "D":
                policy = Diffusion(config)
            else:
                raise NotImplementedError
            return policy

        def make_optimizer(kind, policy):
            if kind == "ACT":
                optimizer = policy.configure_optimizers()
            elif kind == "CNN":
                optimizer = policy.configure_optimizers()
            elif kind == "D":
                optimizer = policy.configure_optimizers()
            else:
                raise NotImplementedError
            return optimizer

        def main(kind, config, loader):
            policy = make(kind, config)
            policy.cuda()
            {made}
            for x, y in loader:
                loss = policy(x, y)["loss"]
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
        """


@pytest.mark.parametrize(
    "made",
    [
        "optimizer = make_optimizer(kind, policy)",
        "optimizer = policy.configure_optimizers()",
        "optimizer = {'ACT': policy.configure_optimizers}[kind]()",
        "optimizer = policy.configure_optimizers() if kind == 'ACT' else make_optimizer(kind, policy)",
    ],
)
def test_the_optimizer_that_one_of_several_models_holds_or_builds_is_one(made: str) -> None:
    assert_marked(POLICIES.replace("{made}", made))
