"""Phases of a program, and what has an autograd graph."""

from __future__ import annotations

import pytest

from programs import assert_marked

SWITCHED = """
        class Trainer:
            def __init__(self, net: nn.Module, loader, cfg):
                self.net, self.loader, self.amp, self.limit = net, loader, cfg.amp, cfg.limit
                self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
                if self.amp:
                    self.scaler = torch.amp.GradScaler()
            def fit(self):
                def update():
                    if self.amp:
                        if self.limit:
                            nn.utils.clip_grad_norm_(self.net.parameters(), self.limit)  # expect: LL601
                        self.scaler.step(self.opt)
                        self.scaler.update()
                    else:
                        if self.limit:
                            nn.utils.clip_grad_norm_(self.net.parameters(), self.limit)
                        self.opt.step()
                    self.opt.zero_grad()
                for number, (x, y) in enumerate(self.loader):
                    if self.amp:
                        with torch.autocast("cuda"):
                            loss = nn.functional.cross_entropy(self.net(x), y) / 4
                        self.scaler.scale(loss).backward()
                    else:
                        (nn.functional.cross_entropy(self.net(x), y) / 4).backward()
                    if number % 4 == 3:
                        update()
        """
PROGRAMS = {
    "what is kept is a number, or was none from the start": """
        def fit(model: nn.Module, scores: dict[str, nn.Module], loader):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            history = []
            for x, y in loader:
                out = model(x)
                opt.zero_grad()
                nn.functional.mse_loss(out, y).backward()
                opt.step()
                found = {}
                for name, score in scores.items():
                    value = score(out, y)
                    if isinstance(value, torch.Tensor):
                        value = value.item()
                    found[name] = value
                history.append(found)
            return history
        """,
    "a setting chooses between the modes after each validation": """
        def fit(model: nn.Module, fitted, loader, held_out):
            norm = nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))
            norm.requires_grad_(fitted)
            opt = torch.optim.SGD([*model.parameters(), *norm.parameters()], lr=0.1)
            norm.train() if fitted else norm.eval()
            for epoch in range(3):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(norm(x)), y).backward()
                    opt.step()
                norm.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print(nn.functional.mse_loss(model(norm(x)), y).item())
                norm.train() if fitted else norm.eval()
        """,
    "every other epoch validates, and only the others train": """
        def fit(loader, held_out):
            norm = nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1))
            opt = torch.optim.SGD(norm.parameters(), lr=0.1)
            norm.train()
            for epoch in range(30):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(norm(x), y).backward()  # expect: LL304
                    opt.step()
                if epoch % 2:
                    norm.eval()
                    with torch.no_grad():
                        for x, y in held_out:
                            print(nn.functional.mse_loss(norm(x), y).item())
                else:
                    norm.train()
        """,
    "a script that only evaluates": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
            def forward(self, x):
                return self.body(x)
        def evaluate(model: nn.Module, loader):
            model.eval()
            right = 0
            for x, y in loader:
                right += (model(x).argmax(1) == y).sum().item()  # expect: LL303
            return right
        def collect(model: nn.Module, data):
            model.eval()
            found = []
            for x in torch.utils.data.DataLoader(data):
                found.append(model(x))  # expect: LL303
            return found
        def features(model: nn.Module, data):
            for x in torch.utils.data.DataLoader(data):
                yield model(x)
        def encoded(model, observations):
            model.eval()
            for key in observations:
                observations[key] = model.encode(observations[key])
            return observations
        """,
    "a switch of the constructor decides in a function within a method": SWITCHED,
    "a switch of the constructor, and nothing is wrong": SWITCHED.replace(
        "nn.utils.clip", "self.scaler.unscale_(self.opt); nn.utils.clip", 1
    ).replace("# expect: LL601", ""),
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
    "a sum under no_grad has no graph": """
        def train(model: nn.Module, loader, optimizer, criterion):
            total, started, kept = 0, None, 0
            for x, y in loader:
                optimizer.zero_grad()
                loss = criterion(model(x), y)
                loss.backward()
                optimizer.step()
                with torch.no_grad():
                    total += loss
                    started = loss if started is None else started + loss
                with torch.set_grad_enabled(False):
                    total = total + loss
                kept += loss  # expect: LL402
            return total, started, kept
        """,
    "forces are derivatives by the positions of a batch": """
        def validate(model, loader, loss_fn):
            model.eval()
            errors = []
            for batch in loader:
                with torch.enable_grad():
                    batch.pos.requires_grad = True
                    energy = model(batch)[0].squeeze()
                    error, forces = model.module.energy_force_loss(energy, batch)
                errors.append(loss_fn(energy, batch.y).item())
            return errors
        def test(model, loader):
            model.eval()
            found = []
            for batch in loader:
                if batch.periodic:
                    energy = model(batch).squeeze()
                    forces = torch.autograd.grad(energy, batch.pos, grad_outputs=torch.ones_like(energy), create_graph=False)[0]
                    found.append(forces.flatten())
                else:
                    with torch.no_grad():
                        found.append(model(batch))
            return torch.cat(found)
        def main(model: nn.Module, loader, held_out, loss_fn):
            optimizer = torch.optim.Adam(model.parameters())
            for epoch in range(5):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    loss_fn(model(x), y).backward()
                    optimizer.step()
                print(validate(model, held_out, loss_fn), test(model, held_out))
        """,
    "the loader of the phase is told the epoch": """
        from torch.utils.data import DataLoader, DistributedSampler
        def main(data, extra, late, model: nn.Module):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loader = DataLoader(data, sampler=DistributedSampler(data))
            other = DataLoader(extra, sampler=DistributedSampler(extra))
            for epoch in range(10):
                current = other if epoch >= late else loader
                current.sampler.set_epoch(epoch)
                for x, y in other if epoch >= late else loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
        """,
    "inputs that record gradients by habit, in the phases of one loop": """
        def fit(loaders):
            model = nn.Sequential(nn.Linear(8, 2), nn.Dropout())
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                for phase in ["train", "val"]:
                    if phase == "val":
                        model.eval()
                    for inputs, labels in loaders[phase]:
                        inputs = torch.autograd.Variable(inputs, requires_grad=True)
                        optimizer.zero_grad()
                        with torch.set_grad_enabled(phase == "train"):
                            loss = nn.functional.cross_entropy(model(inputs), labels)  # expect: LL301
                        if phase == "train":
                            loss.backward()
                            optimizer.step()
        """,
    "inputs whose gradients are read": """
        def fit(loader, model: nn.Module):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(10):
                model.eval()
                for inputs, labels in loader:
                    inputs.requires_grad_()
                    nn.functional.cross_entropy(model(inputs), labels).backward()
                    attacked = inputs.detach() + 0.1 * inputs.grad.sign()
                    optimizer.zero_grad()
                    model.train()
                    nn.functional.cross_entropy(model(attacked), labels).backward()
                    optimizer.step()
                    model.eval()
        """,
    "a loop that trains in one phase, may end early, and never steps": """
        class Trainer:
            def __init__(self, model, optimizer=None):
                self.model, self.optimizer = model, optimizer
            def run_epoch(self, phase, loader, most):
                if phase == "train":
                    self.model.train()
                for number, (x, y) in enumerate(loader):
                    if number >= most:
                        break
                    loss = nn.functional.mse_loss(self.model(x), y)
                    if phase == "train":
                        self.optimizer.zero_grad()
                        loss.backward()  # expect: LL106
        """,
    "a validation that needs the normals of a field keeps its gradients on": """
        class Field(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 1)
            def forward(self, x):
                return self.body(x)
            def normals(self, x):
                x.requires_grad_(True)
                y = self(x)
                return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]
        class Runner:
            def __init__(self, loader):
                self.field, self.color = Field(), nn.Linear(3, 3)
                self.opt = torch.optim.Adam([*self.field.parameters(), *self.color.parameters()])
                self.loader = loader
            def render(self, points):
                return self.color(self.field.normals(points)), self.field(points)
            def train(self):
                for x, y in self.loader:
                    self.opt.zero_grad()
                    out, distance = self.render(x)
                    ((out - y).abs().mean() + distance.mean()).backward()
                    self.opt.step()
                    self.validate(x)
            def validate(self, image):
                found = []
                for rays in image.split(512):
                    out, distance = self.render(rays)
                    found.append(out.detach().cpu().numpy())
                    found.append(distance.detach().cpu().numpy())
                return found
        Runner([]).train()
        """,
    "but not the other forwards of a loop that measures a slope": """
        def main(critic: nn.Module, head: nn.Module, loader, valid):
            opt = torch.optim.Adam([*critic.parameters(), *head.parameters()])
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(head(critic(x)), y).backward()
                opt.step()
            critic.eval()
            head.eval()
            slopes, errors = [], []
            for x, y in valid:
                x = x.requires_grad_()
                slope, = torch.autograd.grad(critic(x).sum(), x)
                slopes.append(slope.norm().item())
                errors.append(nn.functional.mse_loss(head(x.detach()), y).item())  # expect: LL303
        """,
    "but not one whose other pass measures a slope": """
        def main(critic: nn.Module, head: nn.Module, loader, valid):
            opt = torch.optim.Adam([*critic.parameters(), *head.parameters()])
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(head(critic(x)), y).backward()
                opt.step()
            critic.eval()
            head.eval()
            slopes, errors = [], []
            for x, y in valid:
                x = x.requires_grad_()
                slope, = torch.autograd.grad(critic(x).sum(), x)
                slopes.append(slope.norm().item())
            for x, y in valid:
                errors.append(nn.functional.mse_loss(head(x), y).item())  # expect: LL303
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
