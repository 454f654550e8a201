"""Data sets of a few random images of the right shape."""

import torch
from torch.utils.data import Dataset

from torchvision import transforms


class _Images(Dataset):
    shape = (28, 28)

    def __init__(self, root="", train=True, transform=None, target_transform=None, download=False):
        self.transform = transform
        draw = torch.Generator().manual_seed(int(train))
        count = 400 if train else 200
        self.data = torch.randint(0, 256, (count, *self.shape), dtype=torch.uint8, generator=draw)
        self.targets = torch.randint(0, 10, (count,), generator=draw)

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        image = transforms.Image(self.data[index])
        return self.transform(image) if self.transform is not None else image, int(self.targets[index])


class MNIST(_Images):
    @property
    def test_data(self):
        return self.data

    @property
    def test_labels(self):
        return self.targets


class FashionMNIST(MNIST):
    pass


class CIFAR10(_Images):
    shape = (32, 32, 3)
