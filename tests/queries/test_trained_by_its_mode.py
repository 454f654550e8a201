"""A pass that goes backward only `if model.training` is a training where the caller switched to train mode, and a validation where it did not."""

from __future__ import annotations

import pytest

from programs import assert_marked

MODELS = """
class Net(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def calc_loss(self, x):
        return self.encoder(x).mean()


class Other(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def calc_loss(self, x):
        return self.encoder(x).sum()


def get_model(args):
    encoder = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    if args.method == "net":
        model = Net(encoder)
    else:
        model = Other(encoder)
    return model


def do_training(args, train_loader, val_loader):
    model = get_model(args)
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(100):
        model.train()
        do_epoch(train_loader, optimizer, model)
        model.eval()
        do_epoch(val_loader, optimizer, model)
"""
PASSES = {
    "under the test": """
def do_epoch(loader, optimizer, model):
    for x in loader:
        loss = model.calc_loss(x)
        if model.training:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
""",
    "on the other side of its opposite": """
def do_epoch(loader, optimizer, model):
    for x in loader:
        loss = model.calc_loss(x)
        if not model.training:
            print(loss.item())
        else:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
""",
    "under the test and another one": """
def do_epoch(loader, optimizer, model):
    for x in loader:
        loss = model.calc_loss(x)
        if model.training and torch.isfinite(loss):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
""",
}


@pytest.mark.parametrize("name", PASSES)
def test_nothing_is_trained_in_eval_mode(name: str) -> None:
    assert_marked(MODELS + PASSES[name])


def test_a_pass_that_trains_in_any_mode() -> None:
    assert_marked(
        """
        def train(loader, val_loader):
            model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
            optimizer = torch.optim.Adam(model.parameters())
            model.train()
            for epoch in range(100):
                for x in loader:
                    loss = model(x).mean()  # expect: LL301
                    if torch.isfinite(loss):
                        optimizer.zero_grad()
                        loss.backward()
                        optimizer.step()
                model.eval()
                with torch.no_grad():
                    for x in val_loader:
                        print(model(x).mean().item())
        """
    )
