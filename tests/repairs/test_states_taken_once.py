"""A state that is taken before the training, and alone is loaded after it, is no safe thing to copy: the copy would undo the training (LL801)."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import HEAD, fixed

TAKEN_ONCE = """\
def fit(net):
    best = net.state_dict()
    best_loss = 1e9
    for epoch in range(5):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
        if loss.item() < best_loss:
            best_loss = loss.item()
    net.load_state_dict(best)
    return net


fit(model)
"""
COPIED = "copy.deepcopy(net.state_dict())"
KEPT = TAKEN_ONCE.replace("best_loss = loss.item()\n", "best_loss = loss.item()\n            best = net.state_dict()\n")
FURTHER = TAKEN_ONCE.replace(
    "    return net\n", "    for x, y in loader:\n        opt.zero_grad()\n        net(x).mean().backward()\n        opt.step()\n"
)


@pytest.mark.parametrize(
    "program",
    [
        TAKEN_ONCE,
        TAKEN_ONCE.replace("    net.load_state_dict(best)\n    return net\n", "    return best\n").replace(
            "fit(model)", "model.load_state_dict(fit(model))"
        ),
        TAKEN_ONCE.replace("fit(model)\n", "").replace("fit(net)", "fit(net, opt)"),  # a function that nobody calls here
        TAKEN_ONCE.replace("            best_loss = loss.item()\n", "            best_loss, best_epoch = loss.item(), epoch\n"),
    ],
)
def test_a_copy_of_a_state_that_nothing_takes_again_is_unsafe(tmp_path: Path, program: str) -> None:
    assert fixed(tmp_path / "loop.py", (HEAD + program).encode()).decode() == HEAD + program
    repaired = fixed(tmp_path / "loop.py", (HEAD + program).encode(), unsafe=True).decode()
    assert COPIED in repaired


@pytest.mark.parametrize(
    "program",
    [
        KEPT,
        FURTHER,  # trained again from its first weights
        TAKEN_ONCE.replace("fit(model)\n", "for _ in range(3):\n    fit(model)\n"),
    ],
)
def test_a_copy_of_one_that_is_taken_again_or_trained_on_is_safe(tmp_path: Path, program: str) -> None:
    repaired = fixed(tmp_path / "loop.py", ("import copy\n" + HEAD + program).encode()).decode()
    assert repaired == "import copy\n" + HEAD + program.replace("net.state_dict()", COPIED)


def test_what_the_loop_copies_is_not_copied_twice(tmp_path: Path) -> None:
    program = HEAD + KEPT.replace(
        "            best = net.state_dict()", "            best = {k: v.clone() for k, v in net.state_dict().items()}"
    )
    repaired = fixed(tmp_path / "loop.py", ("import copy\n" + program).encode()).decode()
    assert repaired in ("import copy\n" + program, "import copy\n" + program.replace("    best = net.state_dict()", f"    best = {COPIED}"))
