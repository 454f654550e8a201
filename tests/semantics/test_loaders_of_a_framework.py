"""Lightning trains on what it gets from `train_dataloader()` or as the first loader of `fit`, and evaluates on the others."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

DATA = """
        import pytorch_lightning as pl
        from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
        DATA = TensorDataset(torch.randn(64, 8), torch.arange(64) // 32)
"""
MODULE = """
        class Data(pl.LightningDataModule):
            def __init__(self, spread, size=8):
                super().__init__()
                self.spread, self.size = spread, size
            def setup(self, stage=None):
                self.train_data, self.valid_data = DATA, DATA
            def _loader(self, data, train=False):
                {sampler}
                return DataLoader(data, batch_size=self.size{options}){mark}
            def train_dataloader(self):
                return self._loader(self.train_data, train=True)
            def val_dataloader(self):
                return {valid}
"""
SPREAD = "sampler = DistributedSampler(data) if self.spread and train else None"
FOUND = "  # expect: LL901"


@pytest.mark.parametrize("valid", ["self._loader(self.valid_data)", "[self._loader(self.valid_data), self._loader(self.train_data)]"])
@pytest.mark.parametrize(
    ("sampler", "options", "mark"),
    [
        ("pass", "", FOUND),
        (SPREAD, ", sampler=sampler", FOUND),
        (SPREAD, ", sampler=sampler, shuffle=sampler is None", ""),
        (SPREAD, ", sampler=sampler, shuffle=train and sampler is None", ""),
        ("sampler = DistributedSampler(data, shuffle=False) if self.spread else None", ", sampler=sampler", ""),
        ("sampler = DistributedSampler(data)", ", sampler=sampler", ""),
        ("pass", ", shuffle=train", ""),
    ],
)
def test_what_a_data_module_gives_to_train_on(sampler: str, options: str, mark: str, valid: str) -> None:
    assert_marked(DATA + MODULE.format(sampler=sampler, options=options, mark=mark, valid=valid))


def test_one_that_only_evaluates() -> None:
    assert_marked(DATA + MODULE.format(sampler="pass", options="", mark="", valid="None").replace("train_dataloader", "predict_dataloader"))


def test_items_that_are_drawn_have_no_order() -> None:
    drawn = """
        class Drawn(torch.utils.data.Dataset):
            def __init__(self, length):
                self.items = torch.randn(length, 8)
            def __len__(self):
                return len(self.items)
            def __getitem__(self, number):
                return self.items[number]
        DATA = Drawn(64)
"""
    program = DATA + drawn + MODULE.format(sampler="pass", options="", mark="{mark}", valid="None")
    assert_marked(program.replace("{mark}", ""))
    assert_marked(program.replace("torch.randn(length, 8)", "load(length)").replace("{mark}", FOUND))


FIT = """
        class Net(pl.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(8, 2)
            def training_step(self, batch, batch_idx):
                x, y = batch
                return nn.functional.cross_entropy(self.net(x), y)
            def configure_optimizers(self):
                return torch.optim.SGD(self.parameters(), lr=0.1)
        def main(epochs):
            first = DataLoader(DATA, batch_size=10, shuffle=True, drop_last=True)
            second = DataLoader(DATA, batch_size=10, drop_last=True)
            trainer = pl.Trainer(max_epochs=epochs)
            trainer.{call}
"""


@pytest.mark.parametrize(
    ("call", "evaluates"),
    [
        ("fit(Net(), first, second)", True),
        ("fit(Net(), train_dataloaders=first, val_dataloaders=[second])", True),
        ("test(Net(), dataloaders=second)", True),
        ("fit(Net(), first)", False),
        ("predict(Net(), second)", False),
    ],
)
def test_a_loader_that_a_trainer_evaluates_on(call: str, evaluates: bool) -> None:
    program = f"import torch\nfrom torch import nn\n{dedent(DATA + FIT.format(call=call))}"
    assert {f.code for f in looplint.lint(program, select=["LL907"])} == ({"LL907"} if evaluates else set())


GIVEN = """
        from catalyst import dl
        from catalyst.dl import SupervisedRunner
        from ignite.engine import create_supervised_evaluator, create_supervised_trainer
        from torch.utils.data import DataLoader
        from torchvision import datasets
        def main(net, options):
            optimizer, criterion = torch.optim.Adam(net.parameters()), nn.CrossEntropyLoss()
            train = DataLoader(datasets.MNIST(".", train=True), batch_size=8{options}){mark}
            valid = DataLoader(datasets.MNIST(".", train=False), batch_size=8)
            {given}
"""


@pytest.mark.parametrize(
    ("given", "trained"),
    [
        ('dl.SupervisedRunner().train(model=net, criterion=criterion, loaders={"train": train, "valid": valid})', True),
        ("runner, loaders = SupervisedRunner(), dict(train=train, valid=valid); runner.train(model=net, loaders=loaders)", True),
        ('SupervisedRunner().train(model=net, loaders={"train": valid.other, "valid": train})', False),
        ("create_supervised_trainer(net, optimizer, criterion).run(train, max_epochs=5)", True),
        ("trainer = create_supervised_trainer(net, optimizer, criterion); trainer.run(data=train)", True),
        ("create_supervised_evaluator(net).run(train)", False),
    ],
)
def test_what_another_framework_is_given(given: str, *, trained: bool) -> None:
    assert_marked(GIVEN.format(given=given, options="", mark=FOUND if trained else ""))
    assert_marked(GIVEN.format(given=given, options=", shuffle=True", mark=""))
