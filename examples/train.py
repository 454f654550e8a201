"""A small classifier, trained the way many first scripts are: it runs, and it learns less than it could."""

import torch
from torch import nn, optim
from torch.nn.utils import clip_grad_norm_
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, features: int = 16, classes: int = 3) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 64), nn.ReLU(), nn.Dropout(0.3), nn.Linear(64, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def make_loaders() -> tuple[DataLoader, DataLoader]:
    torch.manual_seed(0)
    x = torch.randn(512, 16)
    y = (x[:, 0] + x[:, 1] > 0).long() + (x[:, 2] > 1).long()
    train, valid = TensorDataset(x[:384], y[:384]), TensorDataset(x[384:], y[384:])
    return DataLoader(train, batch_size=32, shuffle=True), DataLoader(valid, batch_size=64)


def train_one_epoch(model, loader, optimizer, criterion, history):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        clip_grad_norm_(model.parameters(), max_norm=1.0)
        loss.backward()
        optimizer.step()
        history.append(loss)


def accuracy(model, loader):
    correct = total = 0
    for x, y in loader:
        prediction = model(x).argmax(dim=1)
        correct += (prediction == y).sum().item()
        total += len(y)
    return correct / total


def main() -> None:
    train_loader, valid_loader = make_loaders()
    model = Classifier()
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=10)
    criterion = nn.CrossEntropyLoss()
    history: list[torch.Tensor] = []
    for epoch in range(10):
        train_one_epoch(model, train_loader, optimizer, criterion, history)
        scheduler.step()
        print(f"epoch {epoch}: loss {history[-1]:.3f}, accuracy {accuracy(model, valid_loader):.2f}")


if __name__ == "__main__":
    main()
