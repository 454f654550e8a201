"""What a plain container of a module loses: neither what is registered by a method, nor trainers, nor modules around what they were handed."""

from __future__ import annotations

import pytest

from programs import assert_marked

MARK = "  # expect: LL505"
CASES = {
    "aliases of registered parameters": """
        class Cell(nn.Module):
            def __init__(self, width):
                super().__init__()
                w, b = nn.Parameter(torch.empty(width)), nn.Parameter(torch.zeros(width))
                self.register_parameter(name="w", param=w)
                self.register_parameter("b", b)
                self.table = {"w": w, "b": b}
            def forward(self, x):
                return x * self.table["w"] + self.table["b"]
        """,
    "registered in a loop": """
        class Cell(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.scales = [nn.Parameter(torch.ones(width)) for _ in range(3)]
                for number, scale in enumerate(self.scales):
                    self.register_parameter(f"scale{number}", scale)
            def forward(self, x):
                return sum(x * scale for scale in self.scales)
        """,
    "an attribute by register_parameter": """
        class Cell(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.register_parameter("w", nn.Parameter(torch.ones(width)))
                self.all = [self.w, self.w]
            def forward(self, x):
                return x * self.all[0]
        """,
    "registered nowhere": f"""
        class Cell(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.register_parameter("bias", None)
                self.scales = [nn.Parameter(torch.ones(width)) for _ in range(3)]{MARK}
            def forward(self, x):
                return sum(x * scale for scale in self.scales)
        """,
    "trainers": """
        class Trainer(nn.Module):
            def __init__(self, model, rate):
                super().__init__()
                self.wrapped = nn.Sequential(model, nn.Linear(4, 4))
                self.opt = torch.optim.Adam(self.wrapped.parameters(), lr=rate)
            def forward(self, x):
                self.opt.zero_grad()
                self.wrapped(x).mean().backward()
                self.opt.step()
        class All(nn.Module):
            def __init__(self, model, rates):
                super().__init__()
                self.model = model
                self.trainers = []
                for rate in rates:
                    self.trainers.append(("stage", Trainer(self.model, rate)))
            def forward(self, x):
                for _, trainer in self.trainers:
                    trainer(x)
        """,
    "around a model that was handed in": """
        class View(nn.Module):
            def __init__(self, model, scale):
                super().__init__()
                self.model = model
                self.scale = scale
            def forward(self, x):
                return self.model(x) * self.scale
        class Views(nn.Module):
            def __init__(self, model, scales):
                super().__init__()
                self.model = model
                self.views = [View(model, scale) for scale in scales]
            def forward(self, x):
                return sum(view(x) for view in self.views)
        """,
    "with layers of their own": f"""
        class Head(nn.Module):
            def __init__(self, model):
                super().__init__()
                self.model = model
                self.last = nn.Linear(4, 4)
            def forward(self, x):
                return self.last(self.model(x))
        class Heads(nn.Module):
            def __init__(self, model, number):
                super().__init__()
                self.model = model
                self.heads = [Head(model) for _ in range(number)]{MARK}
            def forward(self, x):
                return sum(head(x) for head in self.heads)
        """,
    "norms without weights, by name": """
        class Norms(nn.Module):
            def __init__(self, channels, device):
                super().__init__()
                self.norms = [nn.BatchNorm2d(c, affine=False).to(device) for c in channels]
            def forward(self, xs):
                return [norm(x) for norm, x in zip(self.norms, xs)]
        """,
    "norms without weights, by place and in a dict": """
        class Norms(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norms = {"a": nn.BatchNorm1d(width, 1e-5, 0.1, False), "b": nn.LayerNorm(width, elementwise_affine=False)}
            def forward(self, x):
                return self.norms["a"](x) + self.norms["b"](x)
        """,
    "norms that have none by default, with activations": """
        class Norms(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norms = [nn.Sequential(nn.InstanceNorm2d(width), nn.ReLU()) for _ in range(3)]
            def forward(self, x):
                return sum(norm(x) for norm in self.norms)
        """,
    "one of several in a ModuleList, which are looked for by their class": """
        class Net(nn.Module):
            def __init__(self, kinds, width):
                super().__init__()
                self.layers = self.build(kinds, width)
                self.heads = self.find()
            def find(self):
                found = []
                for layer in self.layers:
                    if isinstance(layer, nn.Linear):
                        found.append(layer)
                return found
            def build(self, kinds, width):
                layers = nn.ModuleList()
                for kind in kinds:
                    if kind == "conv":
                        layer = nn.Sequential()
                        layer.add_module("conv", nn.Conv2d(width, width, 3))
                        layers.append(layer)
                    elif kind == "pool":
                        if width > 3:
                            layer = nn.MaxPool2d(2)
                        else:
                            layer = nn.AvgPool2d(2)
                        layers.append(layer)
                    else:
                        head = nn.Linear(width, width)
                        layers.append(head)
                return layers
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x, len(self.heads)
        """,
    "registered where the ways meet": """
        class Net(nn.Module):
            def __init__(self, kinds, width):
                super().__init__()
                self.layers, heads = nn.ModuleList(), []
                for kind in kinds:
                    if kind == "head":
                        layer = nn.Linear(width, width)
                        heads.append(layer)
                    else:
                        layer = nn.Conv2d(width, width, 3)
                    self.layers.append(layer)
                self.heads = heads
            def forward(self, x):
                return [head(x) for head in self.heads]
        """,
    "each registered on its way": """
        class Net(nn.Module):
            def __init__(self, deep, width):
                super().__init__()
                if deep:
                    last = self.deep = nn.Sequential(nn.Linear(width, width), nn.Linear(width, width))
                else:
                    last = self.flat = nn.Linear(width, width)
                self.heads = [last, last]
            def forward(self, x):
                return [head(x) for head in self.heads]
        """,
    "one of several, registered nowhere": f"""
        class Net(nn.Module):
            def __init__(self, kinds, width):
                super().__init__()
                self.layers = []{MARK}
                for kind in kinds:
                    if kind == "head":
                        layer = nn.Linear(width, width)
                    else:
                        layer = nn.Conv2d(width, width, 3)
                    self.layers.append(layer)
            def forward(self, x):
                return [layer(x) for layer in self.layers]
        """,
    "norms with weights": f"""
        class Norms(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norms = [nn.BatchNorm2d(width) for _ in range(3)]{MARK}
                self.others = [nn.InstanceNorm2d(width, affine=True) for _ in range(3)]{MARK}
                self.layers = [nn.LayerNorm(width, 1e-6) for _ in range(3)]{MARK}
            def forward(self, x):
                return sum(a(x) + b(x) + c(x) for a, b, c in zip(self.norms, self.others, self.layers))
        """,
}


@pytest.mark.parametrize("program", CASES.values(), ids=CASES)
def test_what_a_plain_container_loses(program: str) -> None:
    assert_marked(program)
