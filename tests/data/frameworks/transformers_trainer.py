from collections import defaultdict

import torch
from torch.nn import functional as F
from transformers import Trainer


class PreferenceTrainer(Trainer):
    def __init__(self, *args, beta: float = 0.1, **kwargs):
        super().__init__(*args, **kwargs)
        self.beta = beta
        self.stored = defaultdict(list)

    def scores(self, model, batch):
        logits = model(**batch).logits
        return torch.gather(logits.log_softmax(-1), 2, batch["input_ids"].unsqueeze(2)).sum(1)

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        margin = self.scores(model, inputs["chosen"]) - self.scores(model, inputs["rejected"])
        loss = -F.logsigmoid(self.beta * margin).mean()
        self.store({"margin": margin.detach().mean(), "loss": loss.detach()})
        return (loss, {"margin": margin}) if return_outputs else loss

    def store(self, metrics):
        for key, value in metrics.items():
            self.stored[key].append(value)

    def log(self, logs, start_time=None):
        logs.update({key: torch.stack(values).mean().item() for key, values in self.stored.items()})
        self.stored.clear()
        super().log(logs, start_time)


class NoisyTrainer(Trainer):
    def training_step(self, model, inputs, num_items_in_batch=None):
        model.train()
        inputs = self._prepare_inputs(inputs)
        loss = self.compute_loss(model, inputs)
        self.accelerator.backward(loss)
        for parameter in model.parameters():
            parameter.grad.add_(torch.randn_like(parameter.grad), alpha=0.01)
        return loss.detach()


class WeightedTrainer(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = []

    def compute_loss(self, model, inputs, *args, **kwargs):
        loss = super().compute_loss(model, inputs, *args, **kwargs)
        self.seen.append(loss.detach())
        return loss

    def training_step(self, *args):
        return super().training_step(*args) / self.accelerator.num_processes


class LoopingTrainer(Trainer):
    def run(self, dataloader):
        self.model.train()
        for inputs in dataloader:
            loss = self.compute_loss(self.model, self._prepare_inputs(inputs))
            self.accelerator.backward(loss)
            self.optimizer.step()
            self.optimizer.zero_grad()
            if self.state.global_step % 100 == 0:
                self.evaluate()
                self.model.train()
                self.log({"loss": self._nested_gather(loss.detach()).mean().item()})
