"""Functions that call themselves on the parts of what a model puts out are followed to the parts: what they give is known, and nothing is lost in them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

TRAINING = """
def train(loader):
    net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        opt.zero_grad()
        out = net(x)
        loss = nn.functional.mse_loss(out, y)
        loss.backward(retain_graph=True){marked}
        opt.step()
        print({use})
"""
MARKED = "  # expect: LL110"
FOLLOWED = {
    "a dict, whose tensors come to the CPU": (
        """
        def to_cpu(x):
            if torch.is_tensor(x):
                return x.detach().cpu()
            if isinstance(x, dict):
                return {k: to_cpu(v) for k, v in x.items()}
            return x
        """,
        "to_cpu({'out': out})",
    ),
    "a function that is given": (
        """
        def apply(fn, x, *args):
            if isinstance(x, torch.Tensor):
                output = fn(x, *args)
            elif isinstance(x, list):
                output = []
                for i in range(len(x)):
                    output.append(apply(fn, x[i], *args))
            elif isinstance(x, dict):
                output = {}
                for key in x:
                    output[key] = apply(fn, x[key], *args)
            else:
                raise ValueError("not valid")
            return output
        """,
        "apply(lambda t, device: t.to(device), {'out': out}, 'cpu')",
    ),
    "tensors last": (
        """
        def to_device(x, device):
            if isinstance(x, (list, tuple)):
                return [to_device(each, device) for each in x]
            if isinstance(x, dict):
                return {k: to_device(v, device) for k, v in x.items()}
            return x.to(device)
        """,
        "to_device(out, 'cpu')",
    ),
    "a list": (
        """
        def total(x):
            if isinstance(x, list):
                return sum(total(each) for each in x)
            return x.detach().mean()
        """,
        "total([out, out])",
    ),
}
OPEN = {
    "what is not in sight": (
        """
        from lib import use
        def walk(x):
            if isinstance(x, dict):
                return {k: walk(v) for k, v in x.items()}
            return use(x)
        """,
        "walk({'out': out})",
    ),
    "a further backward": (
        """
        def walk(x):
            if isinstance(x, dict):
                return [walk(v) for v in x.values()]
            x.mean().backward()
        """,
        "walk({'out': out})",
    ),
    "a further backward, deep down": (
        """
        def walk(x):
            if isinstance(x, dict):
                return [walk(v) for v in x.values()]
            x.mean().backward()
        """,
        "walk({'all': {'of': {'them': {'out': out}}}})",
    ),
}


@pytest.mark.parametrize(("function", "use"), FOLLOWED.values(), ids=FOLLOWED)
def test_the_parts_are_followed(function: str, use: str) -> None:
    assert_marked(dedent(function) + TRAINING.format(use=use, marked=MARKED))


@pytest.mark.parametrize(("function", "use"), OPEN.values(), ids=OPEN)
def test_what_is_done_with_the_parts_is_seen(function: str, use: str) -> None:
    assert_marked(dedent(function) + TRAINING.format(use=use, marked=""))
