"""LL901: a dataset that derives from one of torchvision's gives its items by index, as that does."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import random
        import torchvision
        from torch.utils.data import DataLoader
        from torchvision.datasets import CIFAR10, FakeData, ImageFolder
        from torchvision.datasets.vision import VisionDataset
        from elsewhere import Frames

        class Items({base}):
            def __init__(self, root, split="train"):
                super().__init__(root)
                self.names = [line.strip() for line in open(split)]

            def __getitem__(self, index):
                {drawn}
                return self.names[index], index

            def __len__(self):
                return len(self.names)

        def train(net: nn.Module, root, epochs: int):
            loader = DataLoader(Items(root), batch_size=8, num_workers=2){mark}
            opt = optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(epochs):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    opt.step()
"""
FOUND = "  # expect: LL901"


@pytest.mark.parametrize(
    ("base", "drawn", "mark"),
    [
        pytest.param("VisionDataset", "pass", FOUND, id="the base of all"),
        pytest.param("torchvision.datasets.VisionDataset", "pass", FOUND, id="by its other name"),
        pytest.param("CIFAR10", "pass", FOUND, id="one with data of its own"),
        pytest.param("ImageFolder", "pass", FOUND, id="one of folders"),
        pytest.param("FakeData", "pass", "", id="one that is made up at random"),
        pytest.param("VisionDataset", "index = random.randrange(len(self.names))", "", id="that draws its items"),
        pytest.param("Frames", "pass", "", id="of a base out of sight"),
    ],
)
def test_derived(base: str, drawn: str, mark: str) -> None:
    assert_marked(PROGRAM.format(base=base, drawn=drawn, mark=mark))
