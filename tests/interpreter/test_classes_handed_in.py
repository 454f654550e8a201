"""What is called and has a name is a class or a function: what it makes is the model."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "kept by an object": """
        class Config:
            def set_model(self, model):
                self.model = model
                self.net = self.model(config=self)
                self.net.cuda()
                self.opt = torch.optim.Adam(self.net.parameters())
                print(self.model.__name__)
            def train(self, epochs, loader):
                best, best_error = None, 1e9
                for epoch in range(epochs):
                    for x, y in loader:
                        self.opt.zero_grad()
                        loss = nn.functional.mse_loss(self.net(x), y)
                        loss.backward()
                        self.opt.step()
                    if loss.item() < best_error:
                        best_error = loss.item()
                        best = self.net.state_dict()  # expect: LL801
                torch.save(best, "best.pt")
        """,
    "in a function": """
        def train(model, loader):
            print(model.__name__)
            net = model(hidden=4)
            opt = torch.optim.Adam(net.parameters())
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()  # expect: LL102
                opt.step()
        """,
    "a function that trains nothing here": """
        def measure(model, loader):
            print(model.__name__)
            return [model(x).mean().item() for x in loader]
        """,
    "a module": """
        def train(model, loader):
            opt = torch.optim.Adam(model.parameters())
            print(type(model).__name__)
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()  # expect: LL102
                opt.step()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_classes(program: str) -> None:
    assert_marked(program)
