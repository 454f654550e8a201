"""Where others use the probabilities too, only what the loss is given changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import HEAD, assert_repaired, fixed

LOOP = """\
for x, y in loader:
    opt.zero_grad()
{body}
    loss.backward()
    opt.step()
"""
# name: (broken, repaired), the body of a loop
CASES = {
    "the name is thresholded as well": (
        "    p = torch.sigmoid(model(x))\n    loss = nn.functional.binary_cross_entropy_with_logits(p, y)\n    hits += ((p > 0.5) == y).sum().item()",
        "    logits = model(x)\n    p = torch.sigmoid(logits)\n    loss = nn.functional.binary_cross_entropy_with_logits(logits, y)\n"
        "    hits += ((p > 0.5) == y).sum().item()",
    ),
    "the name held the logits before": (
        "    p = model(x)\n    p = nn.functional.softmax(p, dim=1)\n    loss = nn.functional.cross_entropy(p, y)\n    rows.append(p.tolist())",
        "    p = model(x)\n    logits = p\n    p = nn.functional.softmax(logits, dim=1)\n    loss = nn.functional.cross_entropy(logits, y)\n    rows.append(p.tolist())",
    ),
    "the loss takes a part of it, and another name is taken": (
        "    logits = 1.0\n    p = model(x).softmax(dim=1)\n    loss = nn.functional.cross_entropy(p.view(-1, 2), y) * logits\n    entropy = -(p * p.log()).sum().item()",
        "    logits = 1.0\n    logits_ = model(x)\n    p = logits_.softmax(dim=1)\n    loss = nn.functional.cross_entropy(logits_.view(-1, 2), y) * logits\n"
        "    entropy = -(p * p.log()).sum().item()",
    ),
    "a condition reads it": (
        "    p = torch.sigmoid(\n        model(x)\n        + 1.0\n    )\n    loss = nn.functional.binary_cross_entropy_with_logits(p, y)\n"
        "    if p.mean().item() > 0.9:\n        break",
        "    logits = (model(x)\n        + 1.0)\n    p = torch.sigmoid(\n        logits\n    )\n"
        "    loss = nn.functional.binary_cross_entropy_with_logits(logits, y)\n    if p.mean().item() > 0.9:\n        break",
    ),
    "for the loss alone the activation goes": (
        "    p = torch.sigmoid(model(x))\n    loss = nn.functional.binary_cross_entropy_with_logits(p, y)",
        "    p = model(x)\n    loss = nn.functional.binary_cross_entropy_with_logits(p, y)",
    ),
}
NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        {forward}


net = Net()
late = torch.optim.Adam(net.parameters())
for x, y in loader:
    late.zero_grad()
    loss = nn.functional.cross_entropy({given}, y)
    loss.backward()
    late.step()
"""
# What others are given cannot be told from what the loss is given: name: (forward, prediction, what follows).
REFUSED = {
    "a library is handed the model": ("return self.fc(x).softmax(1)", "net(x)", "from captum.attr import Saliency\nprint(Saliency(net))\n"),
    "the forward uses it twice": ("p = self.fc(x).softmax(1)\n        self.certain = p.max()\n        return p", "net(x)", ""),
    "a name for more than the activation": (
        "return self.fc(x)",
        "q",
        "",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_others_keep_the_probabilities(name: str, tmp_path: Path) -> None:
    broken, repaired = (LOOP.format(body=body) for body in CASES[name])
    assert_repaired(tmp_path / "loop.py", broken, repaired)


@pytest.mark.parametrize("name", REFUSED)
def test_what_others_get_too_is_not_changed(name: str, tmp_path: Path) -> None:
    forward, given, after = REFUSED[name]
    program = NET.format(forward=forward, given=given) + after
    if given == "q":
        program = program.replace("    loss =", "    q = net(x).softmax(1).squeeze()\n    print(q.tolist())\n    loss =")
    raw = (HEAD + program).encode()
    assert fixed(tmp_path / "loop.py", raw, unsafe=True) == raw


def test_a_model_for_the_loss_alone_gives_logits(tmp_path: Path) -> None:
    raw = (HEAD + NET.format(forward="return self.fc(x).softmax(1)", given="net(x)")).encode()
    assert fixed(tmp_path / "loop.py", raw, unsafe=True) == raw.replace(b".softmax(1)", b"")
