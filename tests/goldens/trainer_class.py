import torch
from contextlib import contextmanager
from torch import nn, optim


class Base:
    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    @contextmanager
    def evaluating(self):
        self.model.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            self.model.train()


class Trainer(Base):
    def __init__(self, model, loader):
        self.model = model
        self.loader = loader
        self.optimizer = optim.Adam(model.parameters())

    def fit(self, epochs):
        for _ in range(epochs):
            for x, y in self.loader:
                self.update(nn.functional.mse_loss(self.model(x), y))
            with self.evaluating():
                for x, y in self.loader:
                    print(nn.functional.mse_loss(self.model(x), y).item())


Trainer(nn.Linear(1, 1), loader).fit(3)
