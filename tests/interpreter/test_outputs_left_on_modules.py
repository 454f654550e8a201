"""Modules whose forward leaves what it computes on the object, and what an attribute holds that several calls set."""

from __future__ import annotations

import pytest

from programs import assert_marked

MODEL = """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
                self.optimizer = torch.optim.Adam(self.net.parameters())
                self.out = self.loss = None
            def set_input(self, data):
                self.x, self.y = data
            def forward(self):
                self.out = self.net(self.x)
            def test(self):
                self.forward()
                return nn.functional.mse_loss(self.out, self.y).item()
            def optimize(self):
                self.forward()
                self.optimizer.zero_grad()
                self.loss = nn.functional.mse_loss(self.out, self.y)
                self.loss.backward()
                self.optimizer.step()
"""

VAE = """
        class VAE(nn.Module):
            def __init__(self):
                super().__init__()
                self.enc, self.dec = nn.Linear(3, 4), nn.Linear(2, 3)
                self.kl = 0
            def forward(self, x):
                mu, logvar = self.enc(x).chunk(2, -1)
                self.kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum()
                self.size, self.mu, self.noise = x.size(0), mu.detach(), torch.randn_like(x)
                self.stats = {"kl": self.kl.item()}
                return self.dec(mu)
        def main(loader, valid):
            model = VAE()
            optimizer = torch.optim.Adam(model.parameters())
            kept, total = [], 0
            for epoch in range(9):
                for x in loader:
                    loss = nn.functional.mse_loss(model(x), x) + model.kl
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
"""

PROGRAMS = {
    "what a forward leaves beside its result is kept with its graph": VAE
    + """
                    kept.append(model.kl)  # expect: LL401
        """,
    "what a forward leaves beside its result is added up with its graph": VAE
    + """
                    total += model.kl  # expect: LL402
        """,
    "what a forward leaves beside its result is measured with its graph": VAE.replace("mu.detach()", "0")
    + """
                for x in valid:
                    model(x)  # expect: LL303
                    print(model.kl.item())
        """,
    "right: what a forward leaves beside its result is a number, detached, or comes from no layer": VAE
    + """
                    kept.append(model.size)
                    kept.append(model.mu)
                    kept.append(model.noise)
                    kept.append(model.stats)
                    total += model.kl.item()
        """,
    "right: what a forward has left is detached before it is kept": VAE
    + """
                    model.kl = model.kl.detach()
                    kept.append(model.kl)
        """,
    "right: what a forward leaves without gradients is kept": VAE
    + """
                with torch.no_grad():
                    for x in valid:
                        out = model(x)
                        kept.append(model.kl)
        """,
    "a model that trains itself stays in eval mode": MODEL.replace("self.net(self.x)", "self.net(self.x)  # expect: LL301").replace(
        "test(self):\n                self.forward()", "test(self):\n                self.forward()  # expect: LL303"
    )
    + """
        def main(loader, valid):
            model = Model()
            for epoch in range(9):
                for data in loader:
                    model.set_input(data)
                    model.optimize()
                model.eval()
                for data in valid:
                    model.set_input(data)
                    print(model.test())
        """,
    "right: a model that trains itself, and has the modes and no gradients": MODEL
    + """
        def main(loader, valid):
            model = Model()
            for epoch in range(9):
                model.train()
                for data in loader:
                    model.set_input(data)
                    model.optimize()
                model.eval()
                with torch.no_grad():
                    for data in valid:
                        model.set_input(data)
                        print(model.test())
        """,
    "one of two models that train themselves stays in eval mode": MODEL.replace("self.net(self.x)", "self.net(self.x)  # expect: LL301")
    + """
        class Other(Model):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.1))
                self.optimizer = torch.optim.Adam(self.net.parameters())
        def main(kind, loader, valid):
            if kind == "other":
                model = Other()
            else:
                model = Model()
            for epoch in range(9):
                for data in loader:
                    model.set_input(data)
                    model.optimize()
                model.eval()
                with torch.no_grad():
                    for data in valid:
                        model.set_input(data)
                        print(model.test())
        """,
    "the loss that a call leaves on the model is kept with its graph": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(3, 3)
            def forward(self, x, y):
                self.loss = nn.functional.mse_loss(self.net(x), y)
        def main(loader):
            model = Model()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            history = []
            for x, y in loader:
                optimizer.zero_grad()
                model(x, y)
                model.loss.backward()
                optimizer.step()
                history.append(model.loss)  # expect: LL401
        """,
    "the loss that a call leaves on the model is measured with its graph": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
            def forward(self, x, y):
                self.loss = nn.functional.mse_loss(self.net(x), y)
        def main(loader, valid):
            model = Model()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in loader:
                    optimizer.zero_grad()
                    model(x, y)
                    model.loss.backward()
                    optimizer.step()
                for x, y in valid:
                    model(x, y)  # expect: LL302  # expect: LL303
                    print(model.loss.item())
        """,
    "what a validation before the training leaves there is not what the training sends backward": """
        class Model:
            def __init__(self):
                self.net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
                self.optimizer = torch.optim.Adam(self.net.parameters())
            def set_input(self, data):
                self.x, self.y = data
            def forward(self):
                self.out = self.net(self.x)
            def optimize(self):
                self.forward()
                self.optimizer.zero_grad()
                nn.functional.mse_loss(self.out, self.y).backward()
                self.optimizer.step()
        def validate(model, valid):
            model.net.eval()
            for data in valid:
                model.set_input(data)
                model.forward()  # expect: LL303
                print(nn.functional.mse_loss(model.out, model.y).item())
        def main(loader, valid):
            model = Model()
            for epoch in range(9):
                validate(model, valid)
                model.net.train()
                for data in loader:
                    model.set_input(data)
                    model.optimize()
        """,
    "right: the loss that a branch leaves there goes backward": """
        class Model:
            def __init__(self, weighted):
                self.net, self.weighted = nn.Linear(3, 3), weighted
                self.optimizer = torch.optim.Adam(self.net.parameters())
            def losses(self, x, y):
                if self.weighted:
                    self.loss = 2 * nn.functional.mse_loss(self.net(x), y)
                else:
                    self.loss = nn.functional.mse_loss(self.net(x), y)
        def main(loader, weighted):
            model = Model(weighted)
            for x, y in loader:
                model.optimizer.zero_grad()
                model.losses(x, y)
                model.loss.backward()
                model.optimizer.step()
                print(model.loss.item())
        """,
    "right: a call that may set anything comes between": """
        class Model:
            def __init__(self):
                self.net = nn.Linear(3, 3)
                self.optimizer = torch.optim.Adam(self.net.parameters())
            def again(self, x, y, n):
                self.loss = self.loss + nn.functional.mse_loss(self.net(x), y)
                if n:
                    self.again(x, y, n - 1)
        def main(loader):
            model = Model()
            for x, y in loader:
                model.optimizer.zero_grad()
                with torch.no_grad():
                    model.loss = nn.functional.mse_loss(model.net(x), y)
                model.again(x, y, 3)
                model.loss.backward()
                model.optimizer.step()
        """,
    "right: a hidden state is left on the model, detached before each step and kept at the end": """
        class Recurrent(nn.Module):
            def __init__(self):
                super().__init__()
                self.cell, self.head = nn.GRUCell(3, 4), nn.Linear(4, 3)
                self.state = None
            def forward(self, x):
                self.state = self.cell(x, self.state)
                return self.head(self.state)
            def detach(self):
                if self.state is not None:
                    self.state = self.state.detach()
        def main(loader):
            model = Recurrent()
            optimizer = torch.optim.Adam(model.parameters())
            states = []
            for sequence, y in loader:
                for x in sequence:
                    model.detach()
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                model.detach()
                states.append(model.state)
        """,
    "right: a model of two networks trains itself on what its forward leaves": """
        class GAN(nn.Module):
            def __init__(self):
                super().__init__()
                self.g, self.d = nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 1), nn.Dropout(0.1))
                self.of_g, self.of_d = torch.optim.Adam(self.g.parameters()), torch.optim.Adam(self.d.parameters())
            def set_input(self, data):
                self.z, self.x = data
            def forward(self):
                self.fake = self.g(self.z)
            def optimize(self):
                self.forward()
                self.of_d.zero_grad()
                self.loss_d = self.d(self.fake.detach()).mean() - self.d(self.x).mean()
                self.loss_d.backward()
                self.of_d.step()
                self.of_g.zero_grad()
                self.loss_g = -self.d(self.fake).mean()
                self.loss_g.backward()
                self.of_g.step()
        def main(loader, valid):
            model = GAN()
            for epoch in range(9):
                model.train()
                for data in loader:
                    model.set_input(data)
                    model.optimize()
                    print(model.loss_d.item(), model.loss_g.item())
                model.eval()
                with torch.no_grad():
                    for data in valid:
                        model.set_input(data)
                        model.forward()
                        print((model.fake - model.x).abs().mean().item())
        """,
    "right: a first call gives lazy layers their shape, and keeps features": """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.net, self.head = nn.LazyLinear(3), nn.Linear(3, 3)
            def forward(self, x):
                self.features = self.net(x)
                return self.head(self.features)
        def main(loader, valid):
            model = Model()
            model(next(iter(loader))[0])
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            model.train()
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_what_is_left_is_what_the_last_call_put_out(program: str) -> None:
    assert_marked(program)
