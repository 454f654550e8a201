"""Objects that make one another: optimizers around optimizers, in dicts of pairs, of classes that are made in functions."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "an optimizer that builds another one of its own groups": """
        class SAM(torch.optim.Optimizer):
            def __init__(self, params, base, rho=0.05, **kwargs):
                super().__init__(params, dict(rho=rho, **kwargs))
                self.base = base(self.param_groups, **kwargs)
                self.param_groups = self.base.param_groups

            def second_step(self):
                self.base.step()

        net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        optimizer = SAM(net.parameters(), torch.optim.SGD, lr=0.1)
        for x, y in loader:
            nn.functional.mse_loss(net(x), y).backward()  # expect: LL102
            optimizer.second_step()
        """,
    "an optimizer of the groups of one that is there": """
        net = nn.Linear(2, 2)
        slow = torch.optim.SGD(net.parameters(), lr=0.1)
        fast = torch.optim.Adam(slow.param_groups, lr=0.1)
        for x, y in loader:
            nn.functional.mse_loss(net(x), y).backward()  # expect: LL102
            fast.step()
        """,
    "an optimizer around one that is there": """
        class Lookahead(torch.optim.Optimizer):
            def __init__(self, inner, k=5):
                self.inner, self.k = inner, k
                self.param_groups = self.inner.param_groups

            def step(self, closure=None):
                return self.inner.step(closure)

        net = nn.Linear(2, 2)
        optimizer = Lookahead(torch.optim.SGD(net.parameters(), lr=0.1))
        for x, y in loader:
            nn.functional.mse_loss(net(x), y).backward()  # expect: LL102
            optimizer.step()
        """,
    "steps and clears of an optimizer around another one, in its own words": """
        class SAM(torch.optim.Optimizer):
            def __init__(self, params, base):
                super().__init__(params, {})
                self.base = base(self.param_groups, lr=0.1)

            def first_step(self, zero_grad=False):
                for group in self.param_groups:
                    for p in group["params"]:
                        p.data.add_(0.1 * p.grad)
                if zero_grad:
                    self.zero_grad()

            def second_step(self, zero_grad=False):
                self.base.step()
                if zero_grad:
                    self.zero_grad()

        net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
        optimizer = SAM(net.parameters(), torch.optim.SGD)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer.base, 30)
        for epoch in range(90):
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.first_step(zero_grad=True)
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.second_step(zero_grad=True)
            scheduler.step()
        """,
    "a schedule of the optimizer that another one is around": """
        class Lookahead(torch.optim.Optimizer):
            def __init__(self, inner):
                self.inner = inner
                self.param_groups = self.inner.param_groups

            def step(self, closure=None):
                return self.inner.step(closure)

            def zero_grad(self):
                self.inner.zero_grad()

        net = nn.Linear(2, 2)
        inner = torch.optim.SGD(net.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(inner, 30)
        optimizer = Lookahead(inner)
        for epoch in range(90):
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.step()
            scheduler.step()
        """,
    "optimizers in a dict of pairs": """
        names = ["first", "second"]
        nets = dict(zip(names, [nn.Linear(2, 1), nn.Linear(2, 1)]))
        optimizers = dict((name, torch.optim.SGD(nets[name].parameters(), lr=0.1)) for name in names)
        for x, y in loader:
            for name in names:
                nn.functional.mse_loss(nets[name](x), y).backward()  # expect: LL102
                optimizers[name].step()
        """,
    "a task that has stopped, by a dict of pairs": """
        def main(loader, tasks, pick):
            net = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            stopped = dict([(task, 0) for task in tasks])
            for x, y in loader:
                task = pick(tasks)
                if stopped[task]:
                    continue
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
                if loss.item() < 0.1:
                    stopped[task] = 1
        """,
    "an optimizer of a class whose base an option chooses": """
        def make_optimizer(args, target):
            if args.optimizer == "SGD":
                optimizer_class = torch.optim.SGD
            else:
                optimizer_class = torch.optim.Adam

            class CustomOptimizer(optimizer_class):
                def schedule(self):
                    self.scheduler.step()

            optimizer = CustomOptimizer(target.parameters(), lr=args.lr)
            optimizer.scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30)
            return optimizer

        def main(args, loader):
            model = nn.Linear(2, 1)
            optimizer = make_optimizer(args, model)
            for epoch in range(90):
                for x, y in loader:
                    nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                    optimizer.step()
                optimizer.schedule()
        """,
    "an optimizer of a class whose base is given": """
        def halving(base):
            class Halving(base):
                def halve(self):
                    for group in self.param_groups:
                        group["lr"] /= 2
            return Halving

        model = nn.Linear(2, 1)
        optimizer = halving(torch.optim.SGD)(model.parameters(), lr=0.1)
        for x, y in loader:
            nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
            optimizer.step()
        """,
    "a model of a class that is made in a function": """
        def build(base):
            class Net(base):
                def __init__(self):
                    super().__init__()
                    self.layer = nn.Linear(2, 1)

                def forward(self, x):
                    return self.layer(x)
            return Net()

        model = build(nn.Module)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
            optimizer.step()
        """,
    "a loss that trains its discriminator": """
        class Adversarial(nn.Module):
            def __init__(self, k):
                super().__init__()
                self.k = k
                self.dis = nn.Linear(2, 1)
                self.optimizer = torch.optim.Adam(self.dis.parameters())
                self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 30)

            def forward(self, fake, real):
                for _ in range(self.k):
                    loss = (self.dis(fake.detach()) - self.dis(real)).mean()
                    loss.backward()  # expect: LL102
                    self.optimizer.step()
                return -self.dis(fake).mean()
        """,
    "a model that takes the name of what makes it": """
        import models

        def main(args, loader):
            model = models.__dict__[args.model]
            config = {"classes": 10}
            model = model(**config)
            regime = getattr(model, "regime", {0: 0.1})
            criterion = getattr(model, "criterion", nn.CrossEntropyLoss)()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                rate = regime(epoch) if callable(regime) else regime.get(epoch)
                for x, y in loader:
                    loss = criterion(model(x), y)  # expect: LL301
                    loss.backward()  # expect: LL102
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    for x, y in loader:
                        print(criterion(model(x), y).item(), rate)
        """,
    "a model of a class by name, with its loss": """
        import importlib

        def get_model(network, criterion):
            maker = getattr(importlib.import_module(network), "Net")
            net = maker(classes=10, criterion=criterion)
            return net

        def main(args, loader):
            net = get_model(args.arch, nn.CrossEntropyLoss())
            net = net.cuda()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                net(x, y).backward()  # expect: LL102
                optimizer.step()
        """,
    "a model that a library makes with a loss of the program": """
        import zoo

        class Ohem(nn.Module):
            def forward(self, x, y):
                return nn.functional.cross_entropy(x, y)

        def main(args, loader):
            criterion = Ohem()
            net = zoo.create(args.arch, criterion)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                net.train()
                loss = net(x, y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "what is made with a model stands for that": """
        import zoo

        def main(args, loader):
            model = nn.Linear(2, 1)
            wrapped = zoo.wrap(model)
            optimizer = torch.optim.SGD(wrapped.parameters(), lr=0.1)
            for x, y in loader:
                loss = nn.functional.mse_loss(wrapped(x), y)
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
