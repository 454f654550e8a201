"""A list or dict that a callee out of sight is given may hold something else afterwards, also where its text says what it holds."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import random
import heapq
import torch
import torch.distributed as dist
from threading import Thread
from torch.distributed import broadcast_object_list, scatter_object_list
from elsewhere import comm, receive

net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4, 2)), shuffle=True)

def work(result):
    result[0] = compute()

def train():
    while True:
        {made}
        {given}
        if {asked} == -1:
            break
        elif {asked} == 0:
            for (x,) in loader:
                loss = net(x).sum()
                loss.backward(){expect}
                optimizer.step()

train()
"""
FILLED = {
    "scattered": ("flag = [None]", "scatter_object_list(flag, [0, 0], src=0)"),
    "broadcast": ("flag = [None]", "broadcast_object_list(flag, src=0)"),
    "broadcast by another name": ("flag = [1]", "torch.distributed.broadcast_object_list(src=0, object_list=flag)"),
    "gathered": ("flag = [None] * 4", "dist.all_gather_object(flag, 3)"),
    "gathered on one": ("flag = [None for _ in range(4)]", "dist.gather_object(3, flag, dst=0)"),
    "received": ("flag = [None]", "dist.recv_object_list(flag)"),
    "a function out of sight": ("flag = [None]", "receive(flag)"),
    "a method out of sight": ("flag = [False]", "comm.receive_into(flag)"),
    "an empty list": ("flag = []", "receive(flag)"),
    "a thread": ("flag = [None]", "Thread(target=work, args=(flag,)).start()"),
    "mixed": ("flag = [2, 0, 1]", "random.shuffle(flag)"),
    "sorted": ("flag = [2, 0, 1]", "flag.sort()"),
    "as a heap": ("flag = [2, 0, 1]", "heapq.heapify(flag)"),
    "reversed": ("flag = [2, 1, 0]", "flag.reverse()"),
}
KEPT = {
    "sent, and not filled": ("flag = [None]", "scatter_object_list([None], flag, src=0)"),
    "gathered of it": ("flag = [None]", "dist.gather_object(flag, None, dst=0)"),
    "shown": ("flag = [None]", "print(flag)"),
    "nothing is called": ("flag = [None]", "pass"),
    "set again": ("flag = [None]", "receive(flag); flag = [1]"),
    "sorted, and all alike": ("flag = [1, 1]", "flag.sort()"),
}


@pytest.mark.parametrize("name", FILLED)
def test_filled(name: str) -> None:
    made, given = FILLED[name]
    assert_marked(PROGRAM.format(made=made, given=given, asked="flag[0]", expect="  # expect: LL102"))


@pytest.mark.parametrize("name", KEPT)
def test_as_it_was_made(name: str) -> None:
    made, given = KEPT[name]
    assert_marked(PROGRAM.format(made=made, given=given, asked="flag[0]", expect=""))


def test_an_entry_of_a_dict_that_is_none() -> None:
    made, given = 'state = {"go": None, "amp": False}', "receive(state)"
    assert_marked(PROGRAM.format(made=made, given=given, asked='state["go"]', expect="  # expect: LL102"))


def test_an_option_of_a_dict() -> None:
    made, given = 'options = {"go": 1, "amp": False}', "receive(options)"
    assert_marked(PROGRAM.format(made=made, given=given, asked='options["go"]', expect=""))


def test_tensors_are_gathered_without_a_graph() -> None:
    assert_marked("""
        import torch
        import torch.distributed as dist

        net = torch.nn.Linear(2, 2)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for x in loader:
            optimizer.zero_grad()
            output = net(x)
            gathered = [torch.zeros_like(output) for _ in range(4)]
            dist.all_gather(gathered, output)
            loss = output.sum()
            loss.backward()
            optimizer.step()
            history.append(gathered[0])
    """)


def test_a_list_of_models_is_read() -> None:
    assert_marked("""
        import torch
        from elsewhere import describe

        nets = [torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)]
        describe(nets)
        optimizer = torch.optim.SGD([*nets[0].parameters(), *nets[1].parameters()], lr=0.1)
        for x in loader:
            optimizer.zero_grad()
            loss = nets[1](nets[0](x)).sum()
            loss.backward()
            optimizer.step()
            nets[0].eval()
    """)
