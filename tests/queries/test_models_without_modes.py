"""A model has no modes where nothing in it reads them: what it is built of is told by lists of widths, and by the letters of a text."""

import pytest

from tests.programs import assert_marked

PROGRAM = """
{model}

def evaluate(model, loader):
    model.eval()
    with torch.no_grad():
        return sum(nn.functional.mse_loss(model(x), y).item() for x, y in loader)

def train(config, loader, held_out):
    model = {built}
    opt = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(1000):
        x, y = next(loader)
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()  # expect
        opt.step()
        if step % 100 == 0:
            print(evaluate(model, held_out))

train(settings, iter(torch.utils.data.DataLoader(data, shuffle=True)), torch.utils.data.DataLoader(held_out))
"""
WIDTHS = """
class Net(nn.Module):
    def __init__(self, width, widths=None):
        super().__init__()
        self.widths = [width] * 4 if widths is None else widths
        self.strides = [1, *widths[1:]]
        self.layers = nn.ModuleList([nn.Conv1d(n, m, 1) for n, m in zip(self.widths, self.widths[1:])])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
"""
LETTERS = """
def create(width, order):
    parts = []
    for number, letter in enumerate(order):
        if letter == "c":
            parts.append((f"conv{number}", nn.Conv1d(width, width, 3)))
        elif letter == "b":
            parts.append((f"norm{number}", nn.BatchNorm1d(width)))
        elif letter == "r":
            parts.append((f"relu{number}", nn.ReLU()))
    return parts

class Net(nn.Sequential):
    def __init__(self, width, order="cr"):
        super().__init__()
        for name, part in create(width, order):
            self.add_module(name, part)
"""
PLAIN_LETTERS = """
class Net(nn.Module):
    def __init__(self, width, order="crc"):
        super().__init__()
        parts = []
        for letter in order:
            if letter == "c":
                parts.append(nn.Conv1d(width, width, 3))
            elif letter == "d":
                parts.append(nn.Dropout())
            else:
                parts.append(nn.ReLU())
        self.parts = nn.Sequential(*parts)

    def forward(self, x):
        return self.parts(x)
"""
SETTLED = """
class Net(nn.Module):
    def __init__(self, width, final=None, noise=0.0):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.noise = noise
        self.final = nn.Softmax(dim=1) if final else None

    def forward(self, x):
        if self.training and self.noise > 0:
            x = x + self.noise * torch.randn_like(x)
        x = self.body(x)
        if not self.training and self.final is not None:
            x = self.final(x)
        return x
"""
NAMED = """
from collections import OrderedDict

class Net(nn.Module):
    def __init__(self, widths, layer=nn.GELU):
        super().__init__()
        parts = list()
        for n, m in zip(widths, widths[1:]):
            parts.append((f"layer{n}", nn.Linear(n, m)))
            parts.append((f"act{n}", layer()))
        by_name = OrderedDict(parts)
        self.parts = nn.Sequential(by_name)

    def forward(self, x):
        return self.parts(x)
"""
KEPT = """
class Saved(nn.Module):
    def __new__(cls, *args):
        made = super().__new__(cls)
        made.given = {"args": args}
        return made

    def __init__(self):
        super().__init__()
        store(self)

    def save(self, path):
        self.reporter.info(path)
        torch.save((self.state_dict(), self.given.copy()), path)

class Net(Saved):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.save("first")

    def forward(self, x):
        return self.body(x)
"""


@pytest.mark.parametrize(
    ("model", "built"),
    [
        (WIDTHS, "Net(config.width, config.widths)"),
        (LETTERS, "Net(8)"),
        (PLAIN_LETTERS, "Net(8)"),
        (SETTLED, "Net(8)"),
        (NAMED, "Net([2, 3])"),
        (KEPT, "Net(8)"),
    ],
    ids=[
        "lists of widths",
        "letters that are counted",
        "letters",
        "a mode that is read where it changes nothing",
        "a dict of layers",
        "no layers",
    ],
)
def test_a_model_without_modes_may_stay_in_eval_mode(model: str, built: str) -> None:
    assert_marked(PROGRAM.replace("{model}", model).replace("{built}", built))


@pytest.mark.parametrize(
    ("model", "built"),
    [
        (WIDTHS.replace("self.strides = [", "self.parts = nn.Sequential("), "Net(config.width, config.widths)"),
        (LETTERS, "Net(8, 'cbr')"),
        (PLAIN_LETTERS, "Net(8, order='cd')"),
        (SETTLED, "Net(8, noise=0.1)"),
        (SETTLED, "Net(8, config.final)"),
        (SETTLED.replace("self.training and self.noise > 0", "self.training or self.noise > 0"), "Net(8)"),
        (NAMED, "Net([2, 3], nn.Dropout)"),
        (KEPT.replace("self.reporter.info(path)", "self.reporter(path)"), "Net(8)"),
    ],
    ids=[
        "parts that are not known",
        "a letter for a norm",
        "a letter for a dropout",
        "noise",
        "a last layer that may be there",
        "either",
        "a dict with a dropout",
        "what is applied",
    ],
)
def test_a_model_with_modes_may_not(model: str, built: str) -> None:
    model = model.replace("*widths[1:]]", "*widths[1:])") if "self.parts = nn.Sequential(1" in model else model
    marked = PROGRAM.replace("# expect", "# expect: LL304")
    assert_marked(marked.replace("{model}", model).replace("{built}", built))
