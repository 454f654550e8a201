# mypy: ignore-errors
"""Many kinds of training loops after one another; prints a fingerprint of what each ends with."""

import copy
import hashlib
import random

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_, clip_grad_value_
from torch.optim import AdamW as Opt
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader, Dataset, TensorDataset

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Numbers(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        return torch.randn(6, generator=generator), torch.tensor(index % 3)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return {"logits": self.head(self.body(x))}


class Lion(optim.Optimizer):
    """An optimizer of the script's own."""

    def __init__(self, params, lr=1e-3):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.add_(p.grad.sign(), alpha=-group["lr"])


class Halving(optim.lr_scheduler.LRScheduler):
    def get_lr(self):
        return [group["lr"] / 2 for group in self.optimizer.param_groups]

    def step(self, epoch=None):
        super().step(epoch)


def report(name, model):
    state = model.state_dict()
    text = hashlib.sha256(b"".join(state[key].detach().double().cpu().numpy().tobytes() for key in sorted(state))).hexdigest()[:16]
    print(name, text, f"{random.random():.6f}", f"{torch.rand(()).item():.8f}", f"{torch.rand((), device=DEVICE).item():.8f}", flush=True)


def batches(workers=0):
    return DataLoader(Numbers(), batch_size=8, shuffle=True, num_workers=workers)


def plain(make, schedule=None, workers=0):
    model = Net().to(DEVICE)
    optimizer = make(model.parameters())
    scheduler = schedule(optimizer) if schedule else None
    for _ in range(3):
        model.train()
        for x, y in batches(workers):
            optimizer.zero_grad()
            x, y = x.to(DEVICE), y.to(DEVICE)
            loss = F.cross_entropy(model(x)["logits"], y)
            loss.backward()
            clip_grad_norm_((p for p in model.parameters()), 0.5)
            optimizer.step()
        if scheduler is not None:
            scheduler.step()
        model.eval()
        with torch.no_grad():
            for x, _y in batches():
                model(x.to(DEVICE))
    return model


def by_closure():
    model = nn.Linear(6, 3).to(DEVICE)
    optimizer = optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
    x, y = (t.to(DEVICE) for t in next(iter(DataLoader(Numbers(), batch_size=24))))

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        return loss

    for _ in range(3):
        optimizer.step(closure)
    return model


def scaled():
    model = Net().to(DEVICE)
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scaler = torch.amp.GradScaler(DEVICE, init_scale=64.0, growth_interval=2)
    for x, y in batches():
        x, y = x.to(DEVICE), y.to(DEVICE)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x)["logits"], y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        clip_grad_value_(model.parameters(), 0.1)
        scaler.step(optimizer)
        scaler.update()
        for p in model.parameters():
            p.grad = None
    return model


def compiled():
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3)).to(DEVICE)
    fast = torch.compile(model, backend="aot_eager")
    optimizer = optim.Adam(fast.parameters(), lr=1e-2)
    for x, y in batches():
        optimizer.zero_grad()
        F.cross_entropy(fast(x.to(DEVICE)), y.to(DEVICE)).backward()
        optimizer.step()
    return model


def adversarial():
    generator, critic = nn.Linear(4, 6).to(DEVICE), nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1)).to(DEVICE)
    g_opt, c_opt = Opt(generator.parameters(), lr=1e-3), Opt(critic.parameters(), lr=1e-3)
    for x, _ in batches():
        x = x.to(DEVICE)
        fake = generator(torch.randn(len(x), 4, device=DEVICE))
        mixed = (x + fake.detach()).requires_grad_()
        (slope,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
        c_opt.zero_grad()
        (critic(fake.detach()).mean() - critic(x).mean() + (slope.norm(dim=1) - 1).pow(2).mean()).backward()
        c_opt.step()
        g_opt.zero_grad()
        (-critic(fake).mean()).backward()
        g_opt.step()
    return nn.ModuleList([generator, critic])


def recomputed():
    model = Net().to(DEVICE)
    optimizer = Opt(model.parameters(), lr=1e-2)
    history = []
    for x, y in batches():
        x, y = x.to(DEVICE), y.to(DEVICE)
        hidden = checkpoint(model.body, x, use_reentrant=False)
        loss = F.cross_entropy(model.head(hidden), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        history.append(loss)
    return model


def accumulated():
    model = Net().to(DEVICE)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    best = None
    for i, (x, y) in enumerate(DataLoader(TensorDataset(torch.randn(40, 6), torch.randint(0, 3, (40,))), batch_size=8)):
        x, y = x.to(DEVICE), y.to(DEVICE)
        (F.cross_entropy(model(x)["logits"], y) / 2).backward()
        if i % 2:
            optimizer.step()
            model.zero_grad()
            best = copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    scripted = torch.jit.script(nn.Sequential(nn.Linear(6, 4), nn.ReLU()))
    scripted(torch.zeros(2, 6))
    return model


if __name__ == "__main__":
    torch.manual_seed(3)
    random.seed(3)
    report(
        "adam foreach", plain(lambda p: optim.Adam(p, lr=1e-2, foreach=True), lambda o: optim.lr_scheduler.CosineAnnealingLR(o, T_max=3))
    )
    report("adam fused", plain(lambda p: optim.Adam(p, lr=1e-2, fused=True), lambda o: Halving(o)))
    report("own optimizer", plain(Lion, lambda o: optim.lr_scheduler.StepLR(o, 1)))
    report("workers", plain(lambda p: optim.SGD(p, lr=0.1), workers=2))
    report("closure", by_closure())
    report("scaled", scaled())
    report("compiled", compiled())
    report("adversarial", adversarial())
    report("recomputed", recomputed())
    report("accumulated", accumulated())
