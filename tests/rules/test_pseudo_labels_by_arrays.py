"""Pseudo-labels that leave torch as arrays and come back as targets: what they are made of feeds the training, in whichever mode (LL302)."""

from textwrap import dedent, indent

import pytest

from programs import assert_marked

_PROGRAM = """
    import numpy as np
    from skimage.measure import label


    def make():
        return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 2))


    def largest(masks):
        kept = []
        for n in range(len(masks)):
            mask = masks[n].cpu().numpy()
            parts = label(mask)
            kept.append(parts == np.bincount(parts.flat).argmax() if parts.max() else mask)
        return torch.Tensor(kept)


    def train(loader, valid, shown, path):
        student, teacher = make(), make()
        opt = torch.optim.SGD(student.parameters(), lr=0.1)
        student.load_state_dict(torch.load(path))
        teacher.load_state_dict(torch.load(path))
        student.train()
        teacher.train()
        for step, (x, y, u) in enumerate(loader):
"""
_UPDATE = """
            opt.zero_grad()
            loss.backward()
            opt.step()
            for a, b in zip(teacher.parameters(), student.parameters()):
                a.data.mul_(0.99).add_(0.01 * b.data)
"""


def _program(labels: str, loss: str, after: str = "") -> str:
    made = f"with torch.no_grad():\n{indent(dedent(labels).strip(), '    ')}\nloss = {loss}"
    body = indent(made, " " * 8) + dedent(_UPDATE).replace("\n", "\n" + " " * 8)
    return dedent(_PROGRAM) + body + "\n" + indent(dedent(after), " " * 4)


_LABELLED = "nn.functional.cross_entropy(student(x), y) + nn.functional.cross_entropy(student(u), labels)"


@pytest.mark.parametrize(
    ("labels", "loss"),
    [
        pytest.param("labels = largest(teacher(u).argmax(1)).long()", _LABELLED, id="a list of arrays"),
        pytest.param("labels = torch.from_numpy(teacher(u).argmax(1).cpu().numpy())", _LABELLED, id="an array"),
        pytest.param("labels = torch.from_numpy(label(teacher(u).argmax(1).cpu().numpy()))", _LABELLED, id="out of sight"),
        pytest.param(
            "mask = torch.as_tensor(np.round(teacher(u).softmax(1).numpy()))",
            "nn.functional.cross_entropy(student(x * (1 - mask) + u * mask), y)",
            id="mixed into the input",
        ),
        pytest.param(
            "sure = torch.BoolTensor(teacher(u).softmax(1).max(1)[0].numpy() > 0.9)",
            "nn.functional.cross_entropy(student(x), y, reduction='none')[sure].mean()",
            id="those that are chosen",
        ),
    ],
)
def test_what_comes_back_as_a_target_feeds_the_training(labels: str, loss: str) -> None:
    assert_marked(_program(labels, loss))


def test_what_is_measured_as_an_array_feeds_nothing() -> None:
    after = """
        for x, y in valid:
            with torch.no_grad():
                found = torch.from_numpy(teacher(x).argmax(1).cpu().numpy())  # expect: LL302
            print((found == y).float().mean())
    """
    assert_marked(_program("labels = torch.from_numpy(teacher(u).argmax(1).cpu().numpy())", _LABELLED, after))


def test_a_look_in_some_turns_feeds_nothing() -> None:
    labels = """
        labels = teacher(u).argmax(1)
        if step % 100 == 0:
            print(teacher(shown).cpu().numpy())  # expect: LL302
    """
    assert_marked(_program(labels, _LABELLED))
