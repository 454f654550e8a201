"""A method of a module that nobody calls is followed where it goes over batches that it is given, also behind `enumerate` and a bar of progress."""

from __future__ import annotations

import pytest

from programs import assert_marked

SERVER = """
    class Server(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.args = args

        def accuracy(self, net, test_loader):
            right = total = 0
            net.eval()
            {context}:
                for {target} in {gone_over}:
                    right += (net(x).argmax(1) == y).sum().item(){mark}
                    total += y.size(0)
            net.train()
            return right / total
"""
WAYS = {
    "itself": ("x, y", "test_loader"),
    "counted": ("i, (x, y)", "enumerate(test_loader)"),
    "behind a bar": ("x, y", "tqdm(test_loader)"),
    "counted behind a bar": ("i, (x, y)", "enumerate(tqdm(test_loader))"),
}


@pytest.mark.parametrize(("target", "gone_over"), WAYS.values(), ids=WAYS)
def test_a_pass_with_gradients(target: str, gone_over: str) -> None:
    assert_marked(SERVER.format(target=target, gone_over=gone_over, context="if True", mark="  # expect: LL303"))


@pytest.mark.parametrize(("target", "gone_over"), WAYS.values(), ids=WAYS)
def test_a_pass_without_gradients(target: str, gone_over: str) -> None:
    assert_marked(SERVER.format(target=target, gone_over=gone_over, context="with torch.no_grad()", mark=""))
