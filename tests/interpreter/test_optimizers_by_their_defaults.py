"""A parameter that is a class of optimizers by default makes an optimizer, where nobody in sight says which."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a function is given the class, and trains a tensor": """
        def invert(target, opt=torch.optim.Adam):
            code = torch.randn(3, requires_grad=True)
            optimizer = opt([code], lr=0.1)
            for _ in range(100):
                loss = (code - target).pow(2).mean()
                loss.backward()  # expect: LL102
                optimizer.step()
        """,
    "an object keeps the class that its constructor is given": """
        class Imputer:
            def __init__(self, lr=0.1, opt: object = torch.optim.RMSprop):
                self.lr, self.opt = lr, opt
                self.distance = SamplesLoss("sinkhorn")
            def fit(self, x, mask):
                filling = torch.randn(mask.shape)[mask.bool()].to("cuda")
                filling.requires_grad = True
                optimizer = self.opt([filling], lr=self.lr)
                for _ in range(100):
                    filled = x.detach().clone()
                    filled[mask.bool()] = filling
                    loss = self.distance(filled[:3], filled[3:])
                    loss.backward()  # expect: LL102
                    optimizer.step()
        """,
    "the optimizer takes the name of its class": """
        def fit(loader, optimizer=optim.SGD):
            net = nn.Linear(3, 1)
            optimizer = optimizer(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.mse_loss(net(x), y)
                optimizer.step()  # expect: LL107
        """,
    "one object hands its default on to another": """
        class Attack:
            def __init__(self, opt):
                self.opt = opt
            def run(self, image, net):
                net.eval()
                noise = torch.zeros_like(image, requires_grad=True)
                optimizer = self.opt([noise])
                for _ in range(10):
                    optimizer.zero_grad()
                    loss = net(image + noise).mean()
                    loss.backward()  # expect: LL106
        class Plugin:
            def __init__(self, opt=torch.optim.Adam):
                self.attack = Attack(opt)
            def run(self, image, net):
                return self.attack.run(image, net)
        """,
    "each batch clears what the last one left": """
        def invert(target, opt=torch.optim.Adam):
            code = torch.randn(3, requires_grad=True)
            optimizer = opt([code], lr=0.1)
            for _ in range(100):
                loss = (code - target).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        """,
    "which optimizer it is nobody knows: one that goes backward several times in a step may be it": """
        def invert(target, opt=torch.optim.Adam):
            code = torch.randn(3, requires_grad=True)
            optimizer = opt([code], lr=0.1)
            def closure():
                optimizer.zero_grad()
                loss = (code - target).pow(2).mean()
                loss.backward()
                return loss
            for _ in range(100):
                optimizer.step(closure)
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_some_optimizer(program: str) -> None:
    """Its class is not known, and that it keeps to the order of a training is."""
    assert_marked(program)
