"""`eval` of a path is the attribute that stands there, also where the last name of it is an option."""

from __future__ import annotations

import pytest

import looplint
from programs import assert_marked

SCRIPT = """\
import torch
import torchvision
import torchvision.models as models
from torch import nn, optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 2)

    def forward(self, x):
        return self.layer(x)


class Constant(optim.lr_scheduler._LRScheduler):
    def __init__(self, optimizer, lr):
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = lr

    def step(self, step_num=None):
        pass


def build(args):
    kinds = {{"adam": "Adam", "sgd": "SGD"}}
    model = {model}
    made = {optimizer}
    return model, Constant(made, args.lr)


def main(args, loader):
    model, schedule = build(args)
    for x, y in loader:
        {clear}
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        schedule.optimizer.step()
"""
OPTIMIZERS = [
    "eval('torch.optim.' + args.optim)(model.parameters(), lr=args.lr)",
    "eval('torch.optim.' + kinds[args.optim.lower()])(model.parameters(), lr=args.lr)",
    "eval(f'optim.{args.optim}')(model.parameters(), lr=args.lr)",
    "eval('optim.%s' % args.optim)(model.parameters(), lr=args.lr)",
    "eval('torch.optim.{}'.format(args.optim))(model.parameters(), lr=args.lr)",
    "eval('torch.optim.' + args.optim + 'W')(model.parameters(), lr=args.lr)",
    "eval('optim.SGD')(model.parameters(), lr=args.lr)",
]
MODELS = ["Net()", "eval('Net')()", "eval('models.' + args.arch)(pretrained=True)", "eval(f'torchvision.models.{args.arch}')()"]
NO_PATHS = [
    "eval(args.optim)(model.parameters())",
    "eval(args.module + '.SGD')(model.parameters())",
    "eval('torch.optim.' + args.optim, {'torch': args.framework})(model.parameters())",
    "eval('torch.' + args.optim)(model.parameters())",
    "eval('optimizers.' + args.optim)(model.parameters())",
]


def codes(optimizer: str, clear: str, model: str = "Net()") -> list[str]:
    text = SCRIPT.format(optimizer=optimizer, clear=clear, model=model)
    return [f.code for f in looplint.lint(text, isolated=True) if f.severity != "advice"]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizer_of_an_evaluated_name(optimizer: str) -> None:
    assert codes(optimizer, "pass") == ["LL102"]
    assert codes(optimizer, "schedule.optimizer.zero_grad()") == []


@pytest.mark.parametrize("model", MODELS)
def test_model_of_an_evaluated_name(model: str) -> None:
    assert codes(OPTIMIZERS[0], "pass", model) == ["LL102"]
    assert codes(OPTIMIZERS[0], "schedule.optimizer.zero_grad()", model) == []


@pytest.mark.parametrize("optimizer", NO_PATHS)
def test_what_no_path_names_is_known_by_what_it_is_made_of_and_by_its_use(optimizer: str) -> None:
    assert codes(optimizer, "pass") == ["LL102"]
    assert codes(optimizer, "schedule.optimizer.zero_grad()") == []


def test_other_code_may_do_anything() -> None:
    assert codes("eval('torch.optim.' + args.optim + '(model.parameters(), lr=0.1)')", "pass") == []


@pytest.mark.parametrize("layer", ["eval('nn.' + args.layer)", "eval('nn.%s' % args.layer)"])
def test_layer_may_come_with_its_arguments(layer: str) -> None:
    model = f"nn.Sequential(nn.Linear(8, 8), {layer}, nn.Linear(8, 2))"
    assert codes(OPTIMIZERS[0], "schedule.optimizer.zero_grad()", model) == []


PROGRAM = """
    import torch.optim as optim

    def fit(args, loader):
        net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 1))
        {before}
        opt = {made}
        {after}
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
"""
MEMBERS = [
    'eval("torch.optim." + args.optim)(net.parameters(), lr=0.1)',
    'eval(f"torch.optim.{args.optim}")(net.parameters(), lr=0.1)',
    'eval("optim.%s" % args.optim)(net.parameters(), lr=0.1)',
    'eval("optim.{}".format(args.optim))(net.parameters(), lr=0.1)',
    'eval("torch.optim.Adam")(net.parameters(), lr=0.1)',
]
OTHER_TEXTS = [
    'eval("make_" + args.optim)(net.parameters())',
    'eval("torch.optim." + args.optim + "(net.parameters())")',
    "eval(args.optim)(net.parameters())",
    'eval(f"library.{args.optim}")(net)',
]


REPLACED = "net[1] = nn.Linear(8, 2)"


@pytest.mark.parametrize("made", MEMBERS)
def test_a_member_by_its_name(made: str) -> None:
    assert_marked(PROGRAM.format(before="pass", made=made, after=f"{REPLACED}  # expect: LL502"))
    assert_marked(PROGRAM.format(before=REPLACED, made=made, after="pass"))


@pytest.mark.parametrize("made", OTHER_TEXTS)
def test_text_that_may_do_anything(made: str) -> None:
    assert_marked(PROGRAM.format(before="pass", made=made, after=REPLACED))


def test_a_schedule_by_its_name() -> None:
    assert_marked("""
        def fit(args, loader):
            net = nn.Linear(8, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            schedule = eval("torch.optim.lr_scheduler." + args.schedule)(opt, args.turns)
            for epoch in range(10):
                schedule.step()  # expect: LL203
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
    """)
