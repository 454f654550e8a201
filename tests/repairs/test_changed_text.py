"""Repairs that insert or rewrite statements keep the text around them; some texts are left as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from repaired_text import assert_repaired

# name: (broken, repaired), both below HEAD
CASES = {
    "benchmark mode goes where deterministic mode was asked for before": (
        """\
if args.seed is not None:
    torch.manual_seed(args.seed)
    torch.backends.cudnn.deterministic = True
read(args)
torch.backends.cudnn.benchmark = True
""",
        """\
if args.seed is not None:
    torch.manual_seed(args.seed)
    torch.backends.cudnn.deterministic = True
read(args)
torch.backends.cudnn.benchmark = not torch.backends.cudnn.deterministic
""",
    ),
    "a pass over several loaders is switched back for the training": (
        """\
model.train()
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
    with torch.no_grad():
        for held_out in loaders:
            for x, y in held_out:
                print(nn.functional.mse_loss(model(x), y).item())
""",
        """\
model.train()
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
    with torch.no_grad():
        for held_out in loaders:
            model.eval()
            for x, y in held_out:
                print(nn.functional.mse_loss(model(x), y).item())
            model.train()
""",
    ),
    "a model is trained where it has its name": (
        """\
for seed in range(3):
    if opt is not None:
        net = model
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
    net.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(net(x), y).item())
""",
        """\
for seed in range(3):
    if opt is not None:
        net = model
    net.train()
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
    net.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(net(x), y).item())
""",
    ),
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
    "an optimizer is built after torch's own move, whatever its model gets in between": (
        """\
class Net(nn.Module):
    def __init__(self, lr):
        super().__init__()
        self.body = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=lr)
        self.loss = nn.MSELoss()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.to(self.device)

    def forward(self, x):
        return self.body(x)


net = Net(0.1)
for x, y in loader:
    net.optimizer.zero_grad()
    net.loss(net(x), y.to(net.device)).backward()
    net.optimizer.step()
""",
        """\
class Net(nn.Module):
    def __init__(self, lr):
        super().__init__()
        self.body = nn.Linear(2, 1)
        self.loss = nn.MSELoss()
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.to(self.device)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=lr)

    def forward(self, x):
        return self.body(x)


net = Net(0.1)
for x, y in loader:
    net.optimizer.zero_grad()
    net.loss(net(x), y.to(net.device)).backward()
    net.optimizer.step()
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
    "a method that seeds needs what its object gets in between": """\
class Training:
    def __init__(self, cuda):
        self.model = nn.Linear(2, 1)
        self.cuda = cuda
        self.create()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def create(self):
        torch.manual_seed(42)
        if self.cuda:
            self.model.cuda()


training = Training(True)
for x, y in loader:
    training.optimizer.zero_grad()
    nn.functional.mse_loss(training.model(x), y).backward()
    training.optimizer.step()
""",
    "a method that moves needs what its object gets in between": """\
class Agent:
    def __init__(self):
        self.actor = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.actor.parameters(), lr=0.1)
        self.critic = nn.Linear(1, 1)
        self.cuda()

    def cuda(self):
        self.actor.cuda()
        self.critic.cuda()


agent = Agent()
for x, y in loader:
    agent.optimizer.zero_grad()
    agent.critic(agent.actor(x)).mean().backward()
    agent.optimizer.step()
""",
}  # Repairs that need a review: where a missing step belongs cannot be known.
UNSAFE = {"a lost step goes into the guard of its clear", "a step that is named is called", "every step that is named is called"}


@pytest.mark.parametrize("name", CASES)
def test_a_repair_changes_only_what_it_names(name: str, tmp_path: Path) -> None:
    assert_repaired(tmp_path / "loop.py", *CASES[name], unsafe=name in UNSAFE)


@pytest.mark.parametrize("name", UNCHANGED)
def test_what_has_no_repair_is_left_as_it_is(name: str, tmp_path: Path) -> None:
    assert_repaired(tmp_path / "loop.py", UNCHANGED[name], UNCHANGED[name])
