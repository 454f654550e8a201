"""Losses that are computed of parameters themselves, of a module or of the program's own, and never go backward: LL107 sees them without a forward pass."""

from __future__ import annotations

import pytest

from programs import assert_marked

HELD = """
        class Graph(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.edges = nn.Parameter(torch.zeros(size, size))
                self.scale = nn.Parameter(torch.ones(size))
            def mask(self):
                return torch.sigmoid(self.edges)
            def compute_loss(self, covariance, weight):
                fit = torch.sum((self.mask() * self.scale) @ covariance)
                return fit + weight * self.mask().sum()
        def main(covariance):
            graph = Graph(8)
            optimizer = torch.optim.Adam(graph.parameters())
            for round in range(5):
                for _ in range(100):
                    optimizer.zero_grad()
                    loss = graph.compute_loss(covariance, 0.1 * round)
                    {backward}
                    optimizer.step({given}){marked}
"""
ALONE = """
        from engine import differentiate
        def main(games):
            strengths = torch.zeros(8, requires_grad=True)
            bias = torch.zeros(1, requires_grad=True)
            optimizer = torch.optim.Adam([strengths, bias], lr=0.2)
            def compute_loss():
                likelihood = torch.log_softmax(strengths[games], dim=1)[:, 0].sum()
                prior = 0.5 * torch.sum(strengths * strengths) + 0.5 * torch.sum(bias * bias)
                return prior - likelihood, prior
            for _ in range(60):
                optimizer.zero_grad()
                loss, prior_loss = compute_loss()
                {backward}
                optimizer.step({given}){marked}
                print(loss.item(), prior_loss.item())
"""
PATCH = """
        from engine import differentiate
        def main(model, loader):
            model.eval()
            patch = nn.Parameter(torch.zeros(3, 8, 8))
            optimizer = torch.optim.Adam([patch], lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(x + patch), y) + patch.abs().mean()
                {backward}
                optimizer.step(){marked}
"""
PROMPT = """
        class Prompt(nn.Module):
            def __init__(self):
                super().__init__()
                self.tokens = nn.Parameter(torch.zeros(4, 8))
        def main(model, loader):
            prompt = Prompt()
            optimizer = torch.optim.Adam(prompt.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                loss = model(torch.cat([prompt.tokens, x]), y)
                {backward}
                optimizer.step(){marked}
"""
ANY_NAME = """
        from engine import differentiate
        def main(target, setup, steps=1000):
            u = torch.tensor(0.0).to(**setup).requires_grad_(True)
            optimizer = torch.optim.Adam([u], lr=0.1)
            measure = nn.MSELoss()
            for i in range(steps):
                optimizer.zero_grad()
                error = measure(-u / (1 + torch.exp(u)), target)
                {backward}
                optimizer.step({given}){marked}
"""
MARKED = "  # expect: LL107"

PROGRAMS = {
    "parameters of a module": HELD.format(backward="print(loss.item())", given="", marked=MARKED),
    "tensors of the program": ALONE.format(backward="pass", given="", marked=MARKED),
    "a parameter that goes into a model": PATCH.format(backward="print(loss.item())", marked=MARKED),
    "one that goes backward": PATCH.format(backward="loss.backward()", marked=""),
    "one that code out of sight sends backward": PATCH.format(backward="differentiate(loss)", marked=""),
    "a part that goes into a model": PROMPT.format(backward="pass", marked=MARKED),
    "a part that goes backward": PROMPT.format(backward="loss.backward()", marked=""),
    "what a loss function gives, under any name": ANY_NAME.format(backward="print(error.item())", given="", marked=MARKED),
    "one under any name that goes backward": ANY_NAME.format(backward="error.backward()", given="", marked=""),
    "one under any name that is differentiated": ANY_NAME.format(
        backward="u.grad = torch.autograd.grad(error, u)[0]", given="", marked=""
    ),
    "one under any name that code out of sight gets": ANY_NAME.format(backward="differentiate(error)", given="", marked=""),
    "what is computed under any name and is no loss": """
        def main(x):
            u = torch.zeros(4, requires_grad=True)
            optimizer = torch.optim.SGD([u], lr=0.1)
            for step in range(200):
                optimizer.zero_grad()
                shown = (u @ x).norm()
                optimizer.step()
                print(shown.item())
        """,
    "an image that is fitted": """
        def main(target):
            image = torch.rand(3, 8, 8, requires_grad=True)
            optimizer = torch.optim.SGD([image], lr=0.1)
            for step in range(200):
                loss = nn.functional.mse_loss(image, target)
                optimizer.step()  # expect: LL107
                optimizer.zero_grad()
        """,
    "it goes backward": HELD.format(backward="loss.backward()", given="", marked=""),
    "tensors go backward": ALONE.format(backward="loss.backward()", given="", marked=""),
    "gradients by hand of a module": HELD.format(
        backward="graph.edges.grad, graph.scale.grad = torch.autograd.grad(loss, [graph.edges, graph.scale])", given="", marked=""
    ),
    "gradients by hand of tensors": ALONE.format(
        backward="strengths.grad, bias.grad = torch.autograd.grad(loss, [strengths, bias])", given="", marked=""
    ),
    "gradients by hand of all tensors in turn": ALONE.format(
        backward="for p, g in zip([strengths, bias], torch.autograd.grad(loss, [strengths, bias])): p.grad = g", given="", marked=""
    ),
    "gradients by hand in place": ALONE.format(
        backward="strengths.grad.copy_(strengths.detach()); bias.grad += 1", given="", marked=""
    ),
    "gradients by hand in an attribute's name": ALONE.format(
        backward="setattr(strengths, 'grad', strengths.detach())", given="", marked=""
    ),
    "other code fills gradients": ALONE.format(backward="differentiate([strengths, bias], 0.1)", given="", marked=""),
    "other code fills gradients of what it got before": ALONE.format(backward="optimizer.fill(0.1)", given="", marked=""),
    "other code goes backward": ALONE.format(backward="differentiate(loss)", given="", marked=""),
    "other code goes backward for a module": HELD.format(
        backward="differentiate(loss)", given="", marked=""
    ).replace("        class Graph", "        from engine import differentiate\n        class Graph"),
    "a function goes backward": HELD.format(backward="back(loss)", given="", marked="").replace(
        "        class Graph", "        def back(loss):\n            (loss / 2).backward()\n        class Graph"
    ),
    "a step with a closure": ALONE.format(backward="closure = lambda: differentiate(compute_loss()[0])", given="closure", marked=""),
    "only one of two terms is a loss of parameters alone": """
        def main(net: nn.Module, loader):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                decay_loss = sum(p.pow(2).sum() for p in net.parameters())
                loss = nn.functional.mse_loss(net(x), y) + 1e-4 * decay_loss
                loss.backward()
                optimizer.step()
        """,
    "the rates of a schedule are drawn": """
        def main():
            weight = torch.zeros(1, requires_grad=True)
            optimizer = torch.optim.SGD([weight], lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
            rates = []
            for epoch in range(100):
                optimizer.zero_grad()
                optimizer.step()
                scheduler.step()
                rates.append(scheduler.get_last_lr()[0])
        """,
    "a loss without a graph beside an estimate of the gradient": """
        def main(target):
            image = torch.rand(8, requires_grad=True)
            optimizer = torch.optim.SGD([image], lr=0.1)
            for step in range(200):
                with torch.no_grad():
                    noise = torch.randn(8)
                    loss = nn.functional.mse_loss(image + noise, target)
                image.grad = noise * loss
                optimizer.step()
        """,
}  # fmt: skip


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
