"""A class of the program that derives from torch's loader goes over its items as it tells that loader to (LL901)."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from torch import optim
from torch.utils.data import DataLoader, Dataset, RandomSampler


class Items(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        return torch.load(self.files[index])


class Batches(DataLoader):
{body}


def train(files, epochs: int):
    net = nn.Linear(2, 2)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    train_loader = Batches(Items(files), batch_size=4{options}){mark}
    val_loader = Batches(Items(files[:9]), batch_size=4, shuffle=True)
    for epoch in range(epochs):
        for x, y in train_loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            for x, y in val_loader:
                print(nn.functional.mse_loss(net(x), y).item())


train(names, 10)
"""
PLACES = """\
    def __init__(self, dataset, batch_size=1, shuffle=False, exclude=(), **kwargs):
        if "collate_fn" in kwargs:
            del kwargs["collate_fn"]
        super(Batches, self).__init__(dataset, batch_size, shuffle, collate_fn=Collate(exclude), **kwargs)"""
REST = """\
    def __init__(self, dataset, **kwargs):
        self.dataset_size = len(dataset)
        super().__init__(dataset, **kwargs)"""
NAMED = """\
    def __init__(self, dataset, batch_size, shuffle):
        DataLoader.__init__(self, dataset, batch_size=batch_size, shuffle=shuffle)"""
OWN_SAMPLER = """\
    def __init__(self, dataset, batch_size=1, shuffle=True):
        super().__init__(dataset, batch_size, sampler=RandomSampler(dataset))"""
OWN_ORDER = """\
    def __init__(self, dataset, batch_size=1, shuffle=False):
        super().__init__(dataset, batch_size, shuffle)

    def __iter__(self):
        return iter(mixed([*super().__iter__()]))"""
IN_ORDER = {
    "by their places": (PLACES, ", shuffle=False"),
    "all that is given": (REST, ", shuffle=False"),
    "nothing is said": (REST, ""),
    "torch's constructor": ("    pass", ", shuffle=False"),
    "by the name of the base": (NAMED, ", shuffle=False"),
}
MIXED = {
    "it is shuffled": (PLACES, ", shuffle=True"),
    "the rest shuffles": (REST, ", shuffle=True"),
    "a sampler of its own": (OWN_SAMPLER, ", shuffle=False"),
    "an order of its own": (OWN_ORDER, ", shuffle=False"),
    "a sampler is handed on": (REST, ", sampler=drawn(files)"),
}


@pytest.mark.parametrize("case", IN_ORDER)
def test_the_items_come_as_they_are_stored(case: str) -> None:
    body, options = IN_ORDER[case]
    assert_marked(PROGRAM.format(body=body, options=options, mark="  # expect: LL901"))


@pytest.mark.parametrize("case", MIXED)
def test_they_are_mixed_or_nothing_is_known(case: str) -> None:
    body, options = MIXED[case]
    assert_marked(PROGRAM.format(body=body, options=options, mark=""))
