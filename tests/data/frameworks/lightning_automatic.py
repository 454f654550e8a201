import lightning as L
import torch
from torch import nn, optim
from torch.nn import functional as F


class Classifier(L.LightningModule):
    def __init__(self, rate: float = 1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = nn.Sequential(nn.Linear(28 * 28, 64), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(64, 10)
        self.losses = []
        self.seen = 0

    def forward(self, x):
        return self.head(self.encoder(x.flatten(1)))

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("loss", loss)
        self.losses.append(loss.detach())
        self.seen += len(x)
        return {"loss": loss, "logits": logits}

    def on_train_epoch_end(self):
        self.log("mean", torch.stack(self.losses).mean())
        self.losses.clear()

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("accuracy", (self(x).argmax(1) == y).float().mean())

    def configure_optimizers(self):
        optimizer = optim.AdamW(self.parameters(), lr=1e-3)
        scheduler = optim.lr_scheduler.StepLR(optimizer, 10)
        return {"optimizer": optimizer, "lr_scheduler": scheduler}
