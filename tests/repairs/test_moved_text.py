"""Repairs that move statements keep the text around them: comments, blank lines, indentation, line ends, joined statements."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import HEAD, assert_repaired, fixed

# name: (broken, repaired), both below HEAD
CASES = {
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
    "what is collected for the optimizer goes behind the move with it": (
        """\
net = nn.Linear(4, 1)
weights = [p for p in net.parameters() if p.ndim > 1]
groups = [{"params": weights}, {"params": [net.bias], "weight_decay": 0.0}]
late = torch.optim.Adam(groups)
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
weights = [p for p in net.parameters() if p.ndim > 1]
groups = [{"params": weights}, {"params": [net.bias], "weight_decay": 0.0}]
late = torch.optim.Adam(groups)
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
    ),
    "a list that a loop fills is filled after the move": (
        """\
net = nn.Linear(4, 1)
decayed, plain = [], []
for p in net.parameters():
    (decayed if p.ndim > 1 else plain).append(p)
late = torch.optim.Adam([{"params": decayed}, {"params": plain, "weight_decay": 0.0}])
net.to("cuda")
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
        """\
net = nn.Linear(4, 1)
decayed, plain = [], []
net.to("cuda")
for p in net.parameters():
    (decayed if p.ndim > 1 else plain).append(p)
late = torch.optim.Adam([{"params": decayed}, {"params": plain, "weight_decay": 0.0}])
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
    ),
    "what a function collects of the model is collected after the move": (
        """\
net = nn.Linear(4, 1)
groups = without_decay(net)
late = torch.optim.Adam(groups)
net.to("cuda")
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
        """\
net = nn.Linear(4, 1)
net.to("cuda")
groups = without_decay(net)
late = torch.optim.Adam(groups)
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
    ),
    "a name of the list that held other parameters before has nothing to do with it": (
        """\
net = nn.Linear(4, 1)
if torch.cuda.is_available():
    other = nn.Linear(4, 4)
    groups = [{"params": other.parameters()}]
    other_opt = torch.optim.SGD(groups, lr=0.1)
    net = nn.Linear(4, 1)
groups = [{"params": net.parameters()}]
late = torch.optim.Adam(groups)
net.to("cuda")
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
        """\
net = nn.Linear(4, 1)
if torch.cuda.is_available():
    other = nn.Linear(4, 4)
    groups = [{"params": other.parameters()}]
    other_opt = torch.optim.SGD(groups, lr=0.1)
    net = nn.Linear(4, 1)
net.to("cuda")
groups = [{"params": net.parameters()}]
late = torch.optim.Adam(groups)
for x, y in loader:
    late.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    late.step()
""",
    ),
    "parameters that a caller collected are not collected anew by any move here": (
        """\
def fit(params, net):
    late = torch.optim.Adam(params)
    net.to("cuda")
    for x, y in loader:
        late.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        late.step()


head = nn.Linear(4, 1)
fit(list(head.parameters()), head)
""",
        """\
def fit(params, net):
    late = torch.optim.Adam(params)
    net.to("cuda")
    for x, y in loader:
        late.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        late.step()


head = nn.Linear(4, 1)
fit(list(head.parameters()), head)
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
}


@pytest.mark.parametrize("name", CASES)
def test_a_repair_changes_only_what_it_names(name: str, tmp_path: Path) -> None:
    assert_repaired(tmp_path / "loop.py", *CASES[name])


@pytest.mark.parametrize(
    ("mark", "encoding"), [("\ufeff", "utf-8"), ("# coding: latin-1\n# Schr\u00f6dinger\n", "latin-1"), ("# \u2028 \x0c\n", "utf-8")]
)
def test_the_encoding_and_the_byte_order_mark_are_kept(mark: str, encoding: str, tmp_path: Path) -> None:
    broken, repaired = CASES["a comment on the line moves with it"]
    assert fixed(tmp_path / "loop.py", f"{mark}{HEAD}{broken}".encode(encoding)) == f"{mark}{HEAD}{repaired}".encode(encoding)
