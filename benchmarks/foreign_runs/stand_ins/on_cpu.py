"""For scripts that ask for a GPU without looking whether there is one: where there is none, what they move there stays where it is."""

import torch


def _same(moved, *args, **kwargs):
    return moved


if not torch.cuda.is_available():
    torch.Tensor.cuda = torch.nn.Module.cuda = _same
