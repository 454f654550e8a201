"""One forward serves passes that take turns in a loop: the eval mode of those that validate stays for the next one that trains."""

from __future__ import annotations

from pathlib import Path

import pytest

from programs import assert_marked
from repaired_text import HEAD, fixed

PROGRAM = """
    def fit(loaders, splits, tested, settings, pieces):
        {before}
        for epoch in range(10):
            {first}
            for split in splits:
                {told}
                for x, y in loaders[split]:
                    loss = nn.functional.cross_entropy(net(x), y){marker}
                    {trained}
"""
BUILT = """net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)"""
UPDATE = "opt.zero_grad(); loss.backward(); opt.step()"
TRAINED = f"if split == 'train': {UPDATE}"
MARKER = "  # expect: LL304"


def of(told: str, trained: str = TRAINED, *, before: str = BUILT, first: str = "pass", marker: str = "") -> str:
    return PROGRAM.format(before=before, first=first, told=told, trained=trained, marker=marker)


OTHERWISE = f"if split != 'train': print(loss.item()); continue\n                    {UPDATE}"
LEFT_ON = {
    "nothing for the training": ("if split == 'train': pass\n                else: net.eval()", TRAINED),
    "for the others": ("if split != 'train': net.eval()", OTHERWISE),
    "by a flag": ("trains = split == 'train'\n                if not trains: net.eval()", f"if trains: {UPDATE}"),
    "of some turns": ("checks = (epoch + len(split)) % 3 == 0\n                if checks: net.eval()", f"if not checks: {UPDATE}"),
}


@pytest.mark.parametrize(("told", "trained"), LEFT_ON.values(), ids=LEFT_ON)
def test_eval_mode_is_left_on(told: str, trained: str) -> None:
    assert_marked(of(told, trained, marker=MARKER))


def test_splits_known_in_part() -> None:
    splits = "splits = ['train', 'valid'] + (['test'] if tested else [])"
    assert_marked(of(LEFT_ON["for the others"][0], OTHERWISE, before=f"{BUILT}\n        {splits}", marker=MARKER))


def test_in_a_method_of_each_pass() -> None:
    assert_marked("""
        class Trainer:
            def __init__(self, model, loaders, splits):
                self.model, self.loaders, self.splits = model, loaders, splits
                self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
            def fit(self):
                for epoch in range(10):
                    for split in self.splits:
                        self.run(split)
            def run(self, split):
                if split != "train":
                    self.model.eval()
                for x, y in self.loaders[split]:
                    loss = nn.functional.cross_entropy(self.model(x), y)  # expect: LL304
                    if not split != "train":
                        self.opt.zero_grad()
                        loss.backward()
                        self.opt.step()
        """)


RIGHT = {
    "train mode for the training": of("if split == 'train': net.train()\n                else: net.eval()"),
    "train mode in each turn": of("net.train()\n                if split != 'train': net.eval()", OTHERWISE),
    "train mode in each epoch": of("if split != 'train': net.eval()", OTHERWISE, first="net.train()"),
    "by an argument": of("net.train(split == 'train')"),
    "another condition": of("if settings.frozen: net.eval()"),
    "the condition of a batch": of("if split == 'valid': net.eval()", f"if loss.item() > 1: {UPDATE}"),
    "a model for each turn": of("if split != 'train': net.eval()", OTHERWISE, before="pass", first=BUILT.replace("\n    ", "\n        ")),
    "a model out of sight for each turn": of(
        "if split != 'train': net.eval()",
        OTHERWISE,
        before="from somewhere import make",
        first="net = make(epoch); opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    ),
    "each of several models": of(
        "if split != 'train': net.eval()",
        OTHERWISE,
        before="pass",
        first="net = pieces[epoch]; opt = torch.optim.SGD(net.parameters(), lr=0.1)",
    ),
    "no loop around the passes": of("if split != 'train': net.eval()", OTHERWISE).replace("for epoch in range(10):", "if tested:"),
}


@pytest.mark.parametrize("program", RIGHT.values(), ids=RIGHT)
def test_right(program: str) -> None:
    assert_marked(program)


BROKEN = """\
def fit(loaders, splits):
    for epoch in range(10):
        for split in splits:
            total = 0.0
            if split != "train":
                model.eval()
            for x, y in loaders[split]:
                loss = nn.functional.mse_loss(model(x), y)
                total += loss.item()
                if not split != "train":
                    opt.zero_grad()
                    loss.backward()
                    opt.step()
            print(total)


fit(loaders, splits)
"""


def test_train_mode_comes_before_the_eval_mode_of_the_other_passes(tmp_path: Path) -> None:
    raw = (HEAD + BROKEN).encode()
    assert fixed(tmp_path / "left.py", raw) == raw
    repaired = BROKEN.replace("            total = 0.0\n", "            model.train()\n            total = 0.0\n")
    assert fixed(tmp_path / "left.py", raw, unsafe=True).decode() == HEAD + repaired
