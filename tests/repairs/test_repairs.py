"""What repairs do to the text around them: comments, blank lines, indentation, line ends, joined statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.linting.fixing import fix_paths

HEAD = """\
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
"""

# name: (broken, repaired), both below HEAD
CASES = {
    "a misspelt constructor of the base class is called by its name": (
        """\
class Block(nn.Module):
    def __init__(self):
        super(Block, self)._init_()  # first of all
        self.layer = nn.Linear(4, 4)
""",
        """\
class Block(nn.Module):
    def __init__(self):
        super(Block, self).__init__()  # first of all
        self.layer = nn.Linear(4, 4)
""",
    ),
    "a comment on the line moves with it": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    clip_grad_norm_(model.parameters(), 1.0)  # keep it small
    loss.backward()
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)  # keep it small
    opt.step()
""",
    ),
    "a comment above that is about the statement moves with it": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    # clip the gradients
    clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()

    # update
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()

    # clip the gradients
    clip_grad_norm_(model.parameters(), 1.0)
    # update
    opt.step()
""",
    ),
    "a comment above a whole paragraph stays": (
        """\
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    # learn from this batch
    clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()
    opt.step()
    opt.zero_grad()
""",
        """\
for x, y in loader:
    loss = nn.functional.mse_loss(model(x), y)
    # learn from this batch
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    opt.zero_grad()
""",
    ),
    "of the blank lines around what moves one stays": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)

    clip_grad_norm_(model.parameters(), 1.0)

    loss.backward()
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)

    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
""",
    ),
    "a call over several lines and a line continuation": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x),
                                  y)
    clip_grad_norm_(
        model.parameters(),
        1.0,  # the limit
    )
    loss \\
        .backward()
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x),
                                  y)
    loss \\
        .backward()
    clip_grad_norm_(
        model.parameters(),
        1.0,  # the limit
    )
    opt.step()
""",
    ),
    "statements joined by semicolons": (
        """\
for x, y in loader:
    opt.zero_grad(); loss = nn.functional.mse_loss(model(x), y)
    clip_grad_norm_(model.parameters(), 1.0); loss.backward(); opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad(); loss = nn.functional.mse_loss(model(x), y)
    loss.backward(); clip_grad_norm_(model.parameters(), 1.0); opt.step()
""",
    ),
    "a body on one line": (
        """\
for x, y in loader: nn.functional.mse_loss(model(x), y).backward(); opt.step()
""",
        """\
for x, y in loader: opt.zero_grad(); nn.functional.mse_loss(model(x), y).backward(); opt.step()
""",
    ),
    "the guard of a clip moves with it": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    if limit is not None:
        clip_grad_norm_(model.parameters(), limit)
    loss.backward()
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    if limit is not None:
        clip_grad_norm_(model.parameters(), limit)
    opt.step()
""",
    ),
    "a clip goes inside the accumulation guard": (
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
    if (i + 1) % 4 == 0:
        clip_grad_norm_(model.parameters(), 1.0)
        opt.zero_grad()
""",
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
    if (i + 1) % 4 == 0:
        opt.zero_grad()
""",
    ),
    "scaled gradients are unscaled before the clip": (
        """\
for x, y in loader:
    opt.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = nn.functional.mse_loss(model(x), y)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = nn.functional.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
""",
    ),
    "an unscale that stands before the backward moves too": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    scaler.unscale_(opt)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(opt)
    scaler.update()
""",
    ),
    "a string over several lines is not indented anew": (
        """\
model.train()
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
model.eval()
total = 0.0
for x, y in loader:
    total += nn.functional.mse_loss(model(x), y).item()
    print(\"\"\"
  the loss
so far\"\"\", total)
""",
        """\
model.train()
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
model.eval()
total = 0.0
with torch.no_grad():
    for x, y in loader:
        total += nn.functional.mse_loss(model(x), y).item()
        print(\"\"\"
  the loss
so far\"\"\", total)
""",
    ),
    "a walrus, a with in parentheses, and a nested function": (
        """\
def train(opt):
    def epoch():
        \"\"\"One pass.\"\"\"
        for x, y in loader:
            with (torch.autocast("cpu"), torch.enable_grad()):
                (loss := nn.functional.mse_loss(model(x), y)).backward()
            opt.step()

    epoch()


train(opt)
""",
        """\
def train(opt):
    def epoch():
        \"\"\"One pass.\"\"\"
        for x, y in loader:
            opt.zero_grad()
            with (torch.autocast("cpu"), torch.enable_grad()):
                (loss := nn.functional.mse_loss(model(x), y)).backward()
            opt.step()

    epoch()


train(opt)
""",
    ),
    "a move does not leave its condition: the construction goes behind it": (
        """\
net = nn.Linear(4, 1)
late = torch.optim.Adam(net.parameters())  # after all parts are there
if torch.cuda.is_available():
    net.cuda()
    data = data.cuda()
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
        """\
net = nn.Linear(4, 1)
if torch.cuda.is_available():
    net.cuda()
    data = data.cuda()
late = torch.optim.Adam(net.parameters())  # after all parts are there
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
    ),
    "the last line has no line end": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    clip_grad_norm_(model.parameters(), 1.0)""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    opt.step()""",
    ),
    "a block that would be empty keeps a pass": (
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    with timer:
        clip_grad_norm_(model.parameters(), 1.0)
    loss.backward()
    opt.step()
""",
        """\
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    with timer:
        pass
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
""",
    ),
    "a sum of a product": (
        """\
total = 0.0
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total += loss * len(x)
print(total)
""",
        """\
total = 0.0
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total += (loss * len(x)).item()
print(total)
""",
    ),
    "a sum that is asked for its value later stays a tensor": (
        """\
total = 0.0
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total = total + loss
print(total.item())
""",
        """\
total = 0.0
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()
    total = total + loss.detach()
print(total.item())
""",
    ),
    "a lost step goes into the guard of its clear": (
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.zero_grad()
""",
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
""",
    ),
    "a clear that drops what adds up to a step goes into the guard, behind the step": (
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    opt.zero_grad()
    if (i + 1) % 4 == 0:
        opt.step()
""",
        """\
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(model(x), y) / 4
    loss.backward()
    if (i + 1) % 4 == 0:
        opt.step()
        opt.zero_grad()
""",
    ),
    "the call of a helper that clears goes to the top of the batch": (
        """\
def reset(optimizer):
    optimizer.zero_grad()


for x, y in loader:
    nn.functional.mse_loss(model(x), y).backward()
    reset(opt)  # gradients
    opt.step()
""",
        """\
def reset(optimizer):
    optimizer.zero_grad()


for x, y in loader:
    reset(opt)  # gradients
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
""",
    ),
    "every step that is named is called": (
        """\
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step
    opt.zero_grad()
    nn.functional.mse_loss(model(-x), y).backward()
    opt.step  # once more
""",
        """\
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
    opt.zero_grad()
    nn.functional.mse_loss(model(-x), y).backward()
    opt.step()  # once more
""",
    ),
    "a step that is named is called": (
        """\
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    print("learned")
    opt.step  # on the CPU
""",
        """\
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    print("learned")
    opt.step()  # on the CPU
""",
    ),
    "what is measured beside an attack is wrapped without the attack": (
        """\
def attack(x, y):
    x = x.clone().requires_grad_(True)
    loss = nn.functional.mse_loss(model(x), y)
    return x + torch.autograd.grad(loss, x)[0].sign()


for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
model.eval()
clean = attacked = 0.0
for x, y in loader:
    changed = attack(x, y)
    clean += nn.functional.mse_loss(model(x), y).item()
    attacked += nn.functional.mse_loss(model(changed), y).item()
""",
        """\
def attack(x, y):
    x = x.clone().requires_grad_(True)
    loss = nn.functional.mse_loss(model(x), y)
    return x + torch.autograd.grad(loss, x)[0].sign()


for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
model.eval()
clean = attacked = 0.0
for x, y in loader:
    changed = attack(x, y)
    with torch.no_grad():
        clean += nn.functional.mse_loss(model(x), y).item()
        attacked += nn.functional.mse_loss(model(changed), y).item()
""",
    ),
    "a sampler that only its loader holds is told the epoch through it": (
        """\
parts = torch.utils.data.DataLoader(data, sampler=torch.utils.data.DistributedSampler(data, 2, 0))
for epoch in range(3):
    for x, y in parts:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
""",
        """\
parts = torch.utils.data.DataLoader(data, sampler=torch.utils.data.DistributedSampler(data, 2, 0))
for epoch in range(3):
    parts.sampler.set_epoch(epoch)
    for x, y in parts:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
""",
    ),
}
# These are left as they are.
UNCHANGED = {
    "a schedule under a condition that asks for the epoch is left where it is": """\
scheduler = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, total_steps=40 * len(loader))
for epoch in range(40):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
    # warmup for the first epochs
    if epoch >= 5:
        scheduler.step()
    print(epoch)
""",
    "what a cell shows is left at its top level": """\
def trained(x, y):
    opt.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    opt.step()


# %%
for x, y in loader:
    trained(x, y)

# %%
model.eval()
[(model(x) - y).abs().mean().item() for x, y in loader]
""",
}
CASES.update({name: (text, text) for name, text in UNCHANGED.items()})


# Repairs that need a look: where a step that is not there belongs cannot be known.
UNSAFE = {"a lost step goes into the guard of its clear", "a step that is named is called", "every step that is named is called"}


def fixed(path: Path, raw: bytes, *, unsafe: bool = False) -> bytes:
    path.write_bytes(raw)
    result = fix_paths([str(path)], unsafe=unsafe, jobs=1)
    assert not result.linted.problems
    return next((new.raw for _, new in result.changed), raw)


@pytest.mark.parametrize("name", CASES)
def test_a_repair_changes_only_what_it_names(name: str, tmp_path: Path) -> None:
    broken, repaired = CASES[name]
    assert fixed(tmp_path / "loop.py", (HEAD + broken).encode(), unsafe=name in UNSAFE).decode() == HEAD + repaired
    assert fixed(tmp_path / "loop.py", (HEAD + repaired).encode(), unsafe=name in UNSAFE).decode() == HEAD + repaired


@pytest.mark.parametrize("name", CASES)
def test_tabs_and_windows_line_ends_are_kept(name: str, tmp_path: Path) -> None:
    broken, repaired = (f"{HEAD}{text}".replace("    ", "\t").replace("\n", "\r\n") for text in CASES[name])
    assert fixed(tmp_path / "loop.py", broken.encode(), unsafe=name in UNSAFE).decode() == repaired


@pytest.mark.parametrize(
    ("mark", "encoding"), [("\ufeff", "utf-8"), ("# coding: latin-1\n# Schr\u00f6dinger\n", "latin-1"), ("# \u2028 \x0c\n", "utf-8")]
)
def test_the_encoding_and_the_byte_order_mark_are_kept(mark: str, encoding: str, tmp_path: Path) -> None:
    broken, repaired = CASES["a comment on the line moves with it"]
    assert fixed(tmp_path / "loop.py", f"{mark}{HEAD}{broken}".encode(encoding)) == f"{mark}{HEAD}{repaired}".encode(encoding)
