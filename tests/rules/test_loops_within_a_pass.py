"""LL303: a loop that does something with each batch of a loader, as for several scales, belongs to the pass over that."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from torch.utils.data import DataLoader

    def evaluate(data, path):
        net = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
        net.load_state_dict(torch.load(path))
        net.eval()
        right = 0
        {context}
            for x, y in DataLoader(data, batch_size=8):
                found = []
                {inner}
                right += (torch.stack(found).mean(0).argmax(1) == y).sum().item()
        return right
"""
INNER = {
    "several scales": """for scale in [0.5, 1.0, 2.0]:
                    found.append(net(x * scale).softmax(1)){marked}""",
    "several turns": """for turn in range(4):
                    found.append(net(torch.rot90(x, turn)).softmax(1)){marked}""",
    "several ways, by name": """for name, way in dict(plain=torch.clone, flipped=torch.fliplr).items():
                    found.append(net(way(x))){marked}""",
    "a while loop": """scale = 1.0
                while scale > 0.1:
                    found.append(net(x * scale)){marked}
                    scale /= 2""",
}
ATTACK = """for step in range(3):
                    x.requires_grad_()
                    loss = nn.functional.cross_entropy(net(x), y)
                    x = (x + torch.autograd.grad(loss, x)[0].sign()).detach()
                with torch.no_grad():
                    found.append(net(x))"""


@pytest.mark.parametrize("inner", INNER.values(), ids=INNER)
def test_a_loop_within_a_pass_belongs_to_it(inner: str) -> None:
    assert_marked(PROGRAM.format(context="if True:", inner=inner.format(marked="  # expect: LL303")))
    assert_marked(PROGRAM.format(context="with torch.no_grad():", inner=inner.format(marked="")))


def test_what_is_differentiated_there_is_none() -> None:
    assert_marked(PROGRAM.format(context="if True:", inner=ATTACK))


def test_a_pass_in_which_something_is_trained_is_none() -> None:
    assert_marked("""
        from torch.utils.data import DataLoader

        def distill(data, path, student, optimizer):
            teacher = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
            teacher.load_state_dict(torch.load(path))
            teacher.eval()
            for x, y in DataLoader(data, batch_size=8):
                found = []
                for scale in [0.5, 1.0, 2.0]:
                    found.append(teacher(x * scale).softmax(1))
                optimizer.zero_grad()
                nn.functional.mse_loss(student(x), torch.stack(found).mean(0).detach()).backward()
                optimizer.step()
    """)
