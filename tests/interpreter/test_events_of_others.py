"""What happens to something else does not happen to an optimizer: gradients of inputs that are cleared, modes that are set."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "gradients of an input are cleared, and those of the model are not": """
        def attack(model, x, y):
            delta = torch.max(torch.min(torch.zeros_like(x), 1 - x), 0 - x)
            delta.requires_grad = True
            for _ in range(5):
                nn.functional.cross_entropy(model(x + delta), y).backward()  # expect: LL102
                delta.data = delta.data + 0.1 * delta.grad.detach().sign()
                delta.grad.zero_()
            return delta.detach()

        def main(loader):
            model = nn.Linear(2, 2)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                delta = attack(model, x, y)
                nn.functional.cross_entropy(model(x + delta), y).backward()
                optimizer.step()
        """,
    "the gradient of an input is taken away": """
        model = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in loader:
            x.requires_grad_()
            nn.functional.cross_entropy(model(x), y).backward()  # expect: LL102
            x.grad = None
            optimizer.step()
        """,
    "a tensor that is the input itself is trained, and cleared by hand": """
        image = torch.zeros(1, 3, requires_grad=True)
        optimizer = torch.optim.SGD([image], lr=0.1)
        for turn in range(100):
            loss = (image - 1).pow(2).sum()
            loss.backward()
            optimizer.step()
            image.grad.zero_()
        """,
    "the smaller of two losses for each item": """
        model = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, ratio, advantage in loader:
            first = model(x) * advantage
            second = torch.clamp(model(x), 0.8, 1.2) * advantage
            (-torch.min(first, second).mean()).backward()  # expect: LL102
            optimizer.step()
        """,
    "a mode that is restored is none of what an optimizer does": """
        def accuracy(model: nn.Module, loader):
            training = model.training
            model.eval()
            with torch.no_grad():
                right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
            model.train(training)
            return right

        def fit(model: nn.Module, train_loader, test_loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in train_loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x), y)
                print(accuracy(model, test_loader))
                optimizer.step()  # expect: LL107
        """,
    "a mode that is given": """
        def fit(model: nn.Module, loader, training):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                model.train(training)
                nn.functional.cross_entropy(model(x), y).backward(retain_graph=True)  # expect: LL110
                optimizer.step()
                optimizer.zero_grad()
        """,
    "a mode of a part that is given": """
        def fit(model: nn.Module, loader, frozen):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                model.backbone.train(not frozen)
                nn.functional.cross_entropy(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
