import torch
from torch import nn
import lightning as L


class GAN(L.LightningModule):
    def __init__(self, n: int = 4):
        super().__init__()
        self.save_hyperparameters()
        self.automatic_optimization = False
        self.G = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 2))
        self.D = nn.Linear(2, 1)
        self.n = n

    def sample_G(self, k):
        return self.G(torch.randn(k, 4, device=self.device))

    def configure_optimizers(self):
        g_opt = torch.optim.Adam(self.G.parameters(), lr=1e-5)
        d_opt = torch.optim.Adam(self.D.parameters(), lr=1e-5)
        g_sch = torch.optim.lr_scheduler.StepLR(g_opt, step_size=10)
        d_sch = torch.optim.lr_scheduler.StepLR(d_opt, step_size=10)
        return [g_opt, d_opt], [g_sch, d_sch]

    def training_step(self, batch, batch_idx):
        g_opt, d_opt = self.optimizers()
        X, _ = batch
        batch_size = X.shape[0]
        real_label = torch.ones((batch_size, 1), device=self.device)
        fake_label = torch.zeros((batch_size, 1), device=self.device)
        g_X = self.sample_G(batch_size)
        errD = nn.functional.binary_cross_entropy_with_logits(self.D(X), real_label)
        errD = errD + nn.functional.binary_cross_entropy_with_logits(self.D(g_X.detach()), fake_label)
        d_opt.zero_grad()
        self.manual_backward(errD)
        self.clip_gradients(d_opt, gradient_clip_val=1.0, gradient_clip_algorithm="norm")
        d_opt.step()
        errG = nn.functional.binary_cross_entropy_with_logits(self.D(g_X), real_label)
        g_opt.zero_grad()
        self.manual_backward(errG)
        g_opt.step()
        self.log_dict({"g_loss": errG, "d_loss": errD}, prog_bar=True)

    def on_train_epoch_end(self):
        for scheduler in self.lr_schedulers():
            scheduler.step()


class Accumulating(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = False
        self.net = nn.Linear(4, 2)

    def forward(self, x):
        return self.net(x)

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), lr=0.1)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=self.trainer.estimated_stepping_batches)}

    def training_step(self, batch, batch_idx):
        opt = self.optimizers()
        sch = self.lr_schedulers()
        x, y = batch
        loss = nn.functional.cross_entropy(self(x), y) / 4
        self.manual_backward(loss)
        if (batch_idx + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()
            sch.step()
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val", nn.functional.cross_entropy(self(x), y))
