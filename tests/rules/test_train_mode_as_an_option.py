"""An option that alone decides whether a model is in train mode where it is trained leaves eval mode on by choice (LL304)."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint

PROGRAM = """\
        import torch
        from torch import nn
        import argparse
        def measure(model, loader):
            model.eval()
            with torch.no_grad():
                for x, y in loader:
                    print(nn.functional.cross_entropy(model(x), y).item())
        class Defense:
            def __init__(self, args):
                self.args = args
            def unlearn(self, loader, valid, attack):
                args = self.args
                net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
                model = net
                opt = torch.optim.SGD(model.parameters(), lr=0.1)
                model.eval()
                measure(model, valid)
                for epoch in range(10):
                    {epoch}
                    for x, y in loader:
                        {batch}
                        out = model.forward(torch.cat([x, attack(x)]))
                        model.eval()
                        loss = nn.functional.cross_entropy(out, torch.cat([y, y]))
                        opt.zero_grad()
                        loss.backward()
                        opt.step()
                    {check}measure(model, valid)
        parser = argparse.ArgumentParser()
        parser.add_argument("--train-mode", action="store_true")
        parser.add_argument("--every", type=int)
        Defense(parser.parse_args()).unlearn(torch.load("a"), torch.load("b"), torch.load("c"))
        """


def program(batch: str = "pass", epoch: str = "pass", check: str = "") -> str:
    return PROGRAM.format(batch=batch, epoch=epoch, check=check)


PROGRAMS = {
    "in each batch": program("if args.train_mode: model.train()"),
    "in each epoch": program(epoch="if args.train_mode: model.train()").replace("                        model.eval()\n", ""),
    "for all but one option": program("if not self.args.train_mode: net.train()"),
    "by comparison": program("if args.every > 3: model.train()"),
}
LEFT = program("if epoch == 0: model.train()", check="if epoch % args.every == 0: ").replace("                        model.eval()\n", "")


@pytest.mark.parametrize("name", PROGRAMS)
def test_by_an_option(name: str) -> None:
    assert "LL304" not in {f.code for f in looplint.lint(dedent(PROGRAMS[name]), isolated=True)}


def test_in_the_first_epoch_alone_it_is_left_on() -> None:
    found = [f for f in looplint.lint(dedent(LEFT), isolated=True) if f.code == "LL304"]
    assert [f.message.partition(" is ")[0] for f in found] == ["model"]
