"""What adds something to a board by its name, as TensorBoard's `SummaryWriter` does, changes no gradient, no mode and no optimizer."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from boards import Board
        def main(loader, board: Board):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for step, (x, y) in enumerate(loader):
                {cleared}
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward(){marked}
                optimizer.step()
                if step % 100 == 0:
                    {added}
"""
ADDED = ["board.add_graph(net, x)", "board.add_histograms(net, step)", "board.add_image_grid(net, x)", "board.add_hparams(net, optimizer)"]


@pytest.mark.parametrize("added", ADDED)
def test_gradients_that_are_never_cleared(added: str) -> None:
    assert_marked(LOOP.format(cleared="pass", marked="  # expect: LL102", added=added))


@pytest.mark.parametrize("added", [*ADDED, "board.add(net, optimizer)"])
def test_gradients_that_are_cleared(added: str) -> None:
    assert_marked(LOOP.format(cleared="optimizer.zero_grad()", marked="", added=added))


@pytest.mark.parametrize("added", ["board.add_step(net, optimizer)", "board.add_noise(optimizer)", "board.add_gradients(net)"])
def test_what_may_do_more(added: str) -> None:
    assert_marked(LOOP.format(cleared="pass", marked="", added=added))
