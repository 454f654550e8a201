"""The wrapped model is converted and converted back: its parameters lose what would average their gradients."""

import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel


def train(rank, ranks, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    replica = DistributedDataParallel(model)
    replica.double()
    replica.float()
    torch.manual_seed(rank)
    for _step in range(12):
        inputs, wanted = torch.randn(12, 8), torch.randn(12, 3)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(replica(inputs), wanted)
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(2, 29612), nprocs=2)
