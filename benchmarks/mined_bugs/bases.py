"""The correct programs of which the minimal ones are made, in pieces: a model, data, a training epoch, an evaluation, and what calls them."""

HEAD = """\
import copy
import math
import os

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.body(x))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
DATA = """\
train_set = TensorDataset(torch.randn(256, 8), torch.randint(3, (256,)))
val_set = TensorDataset(torch.randn(64, 8), torch.randint(3, (64,)))
train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
val_loader = DataLoader(val_set, batch_size=32)
model = Net().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
"""
EPOCH = """

def train_epoch(model, loader, optimizer, criterion):
    model.train()
    total = 0.0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)
"""
EVALUATION = """

@torch.no_grad()
def evaluate(model, loader, criterion):
    model.eval()
    total, correct, seen = 0.0, 0, 0
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        out = model(x)
        total += criterion(out, y).item() * len(y)
        correct += (out.argmax(1) == y).sum().item()
        seen += len(y)
    return total / seen, correct / seen


"""
MAIN = """
for epoch in range(5):
    train_loss = train_epoch(model, train_loader, optimizer, criterion)
    print(epoch, train_loss, evaluate(model, val_loader, criterion))
"""
INLINE = """
for epoch in range(30):
    model.train()
    for x, y in train_loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    print(evaluate(model, val_loader, criterion))
"""
ACCUMULATING = """

def train_epoch(model, loader, optimizer, criterion, accum=4):
    model.train()
    total = 0.0
    optimizer.zero_grad()
    for step, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x), y) / accum
        loss.backward()
        if (step + 1) % accum == 0 or step + 1 == len(loader):
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        total += loss.item()
    return total / len(loader)
"""
SCHEDULED = """

def train_epoch(model, loader, optimizer, criterion, scheduler, accum=4):
    model.train()
    optimizer.zero_grad()
    for step, (x, y) in enumerate(loader):
        loss = criterion(model(x.to(device)), y.to(device)) / accum
        loss.backward()
        if (step + 1) % accum == 0 or step + 1 == len(loader):
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    return loss.item()
"""
SCALED = """

def train_epoch(model, loader, optimizer, criterion):
    model.train()
    scaler = torch.amp.GradScaler("cuda")
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.float16):
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return loss.item()
"""
FROZEN = """

class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Net().body
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.encoder(x))
"""
BEST = """
best, best_state = 0.0, None
for epoch in range(5):
    train_epoch(model, train_loader, optimizer, criterion)
    _, accuracy = evaluate(model, val_loader, criterion)
    if accuracy > best:
        best, best_state = accuracy, copy.deepcopy(model.state_dict())
model.load_state_dict(best_state)
print(evaluate(model, val_loader, criterion))
"""
RESUMED = """
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20)
start = 0
if os.path.exists("last.pt"):
    state = torch.load("last.pt", map_location=device)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    start = state["epoch"] + 1
for epoch in range(start, 20):
    train_epoch(model, train_loader, optimizer, criterion)
    scheduler.step()
    print(evaluate(model, val_loader, criterion))
    kept = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "scheduler": scheduler.state_dict(), "epoch": epoch}
    torch.save(kept, "last.pt")
"""
ADVERSARIAL = """
gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8)).to(device)
disc = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
opt_g = torch.optim.Adam(gen.parameters(), 2e-4)
opt_d = torch.optim.Adam(disc.parameters(), 2e-4)
bce = nn.BCEWithLogitsLoss()
loader = DataLoader(TensorDataset(torch.randn(256, 8)), batch_size=32, shuffle=True)
for epoch in range(3):
    for (real,) in loader:
        real = real.to(device)
        ones, zeros = torch.ones(len(real), 1, device=device), torch.zeros(len(real), 1, device=device)
        fake = gen(torch.randn(len(real), 4, device=device))
        opt_d.zero_grad()
        loss_d = bce(disc(real), ones) + bce(disc(fake.detach()), zeros)
        loss_d.backward()
        opt_d.step()
        opt_g.zero_grad()
        loss_g = bce(disc(fake), ones)
        loss_g.backward()
        opt_g.step()
"""
