"""Every second step goes through the bare model; the steps between wrap it anew."""

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
    torch.manual_seed(rank)
    for step in range(12):
        inputs, wanted = torch.randn(12, 8), torch.randn(12, 3)
        replica = model if step % 2 == 0 else DistributedDataParallel(model)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(replica(inputs), wanted)
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(train, args=(2, 29611), nprocs=2)
