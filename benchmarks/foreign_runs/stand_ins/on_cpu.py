"""For scripts that ask for a GPU without looking whether there is one: what they move there stays where it is."""

import torch


def _same(moved, *args, **kwargs):
    return moved


torch.Tensor.cuda = torch.nn.Module.cuda = _same
