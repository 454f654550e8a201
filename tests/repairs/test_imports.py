"""What repairs need of a module that a file imports only where it needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import fixed

PROGRAM = """\
class Net:
    def __init__(self, data):
        import torch
        self.model = torch.nn.Linear(2, 1)
        self.loader = torch.utils.data.DataLoader(data, shuffle=True)
        self.loss = torch.nn.MSELoss()

    def infer(self, valid):
        {first}
        total = 0.0
        for x, y in valid:
            total += self.loss(self.model(x), y).item()
        return total

    def fit(self, valid):
        import torch
        opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for epoch in range(3):
            for x, y in self.loader:
                opt.zero_grad()
                self.loss(self.model(x), y).backward()
                opt.step()
            print(self.infer(torch.utils.data.DataLoader(valid)))

Net(read()).fit(read())
"""
LOOP = """\
        for x, y in valid:
            total += self.loss(self.model(x), y).item()
"""


def test_a_function_that_imports_torch_itself_uses_that(tmp_path: Path) -> None:
    broken = PROGRAM.format(first="import torch")
    under = "        with torch.no_grad():\n" + "".join(f"    {line}\n" for line in LOOP.splitlines())
    assert fixed(tmp_path / "loop.py", broken.encode()).decode() == broken.replace(LOOP, under)


def test_torch_is_made_no_need_of_the_whole_file(tmp_path: Path) -> None:
    broken = PROGRAM.format(first="valid = list(valid)")
    assert fixed(tmp_path / "loop.py", broken.encode()).decode() == broken


TRIED = """\
{before}

class Net:
    def __init__(self, data):
        self.model = torch.nn.Linear(2, 1)
        self.loader = torch.utils.data.DataLoader(data, shuffle=True)
        self.loss = torch.nn.MSELoss()

    def fit(self, valid):
        opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for epoch in range(3):
            for x, y in self.loader:
                opt.zero_grad()
                self.loss(self.model(x), y).backward()
                opt.step()
            total = 0.0
            for x, y in valid:
                total += self.loss(self.model(x), y).item()
            print(total)

Net(read()).fit(torch.utils.data.DataLoader(read()))
"""
HAS_TO_BE_THERE = {
    "raised again": "try:\n    import torch\nexcept ImportError as e:\n    raise ImportError('install torch') from e",
    "raised again after a message": "try:\n    import torch\n    from torch import nn\nexcept ImportError as e:\n    print(e)\n    raise",
    "tried for each of two errors": "try:\n    import torch\nexcept ImportError:\n    raise\nexcept OSError as e:\n    raise ImportError('broken') from e",
}
MAY_BE_MISSING = {
    "set to None": "try:\n    import torch\nexcept ImportError:\n    torch = None",
    "raised again for one of two errors": "try:\n    import torch\nexcept ImportError:\n    pass\nexcept OSError:\n    raise",
    "under a condition": "if read():\n    import torch",
    "in a handler": "try:\n    read()\nexcept ImportError:\n    import torch\n    raise",
}


@pytest.mark.parametrize("before", HAS_TO_BE_THERE.values(), ids=HAS_TO_BE_THERE)
def test_what_is_tried_and_has_to_be_there_is_bound_in_the_file(tmp_path: Path, before: str) -> None:
    broken = TRIED.format(before=before)
    whole = "            for x, y in valid:\n                total += self.loss(self.model(x), y).item()\n"
    under = "            with torch.no_grad():\n" + "".join(f"    {line}\n" for line in whole.splitlines())
    assert fixed(tmp_path / "loop.py", broken.encode()).decode() == broken.replace(whole, under)


@pytest.mark.parametrize("before", MAY_BE_MISSING.values(), ids=MAY_BE_MISSING)
def test_what_may_be_missing_is_not_relied_on(tmp_path: Path, before: str) -> None:
    broken = TRIED.format(before=before)
    assert fixed(tmp_path / "loop.py", broken.encode()).decode() == broken


TWO_BRANCHES = """\
from torch import nn, optim


def train(loader, validate, higher):
    model = nn.Linear(2, 2)
    optimizer = optim.Adam(model.parameters())
    best = 0.0
    best_state = None
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        score = validate(epoch)
        if higher and score > best:
            best, best_state = score, model.state_dict()
        elif not higher and score < best:
            best, best_state = score, model.state_dict()
    model.load_state_dict(best_state)
"""


def test_repairs_that_ask_for_one_import_are_made_together(tmp_path: Path) -> None:
    changed = fixed(tmp_path / "loop.py", TWO_BRANCHES.encode()).decode()
    assert changed.startswith("import copy\n")
    assert changed.count("import copy") == 1
    assert changed.count("copy.deepcopy(model.state_dict())") == 2
