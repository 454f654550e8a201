"""A model that is moved between the taking of its state and its next step leaves the state alone; one that is moved after the step does not bring it back."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    def train(net: nn.Module, loader, check, device):
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        best, state = 0.0, None
        for epoch in range(9):
            net.train()
            for x, y in loader:
                opt.zero_grad()
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward()
                opt.step()
            score = check(epoch)
            if score > best:
                best = score
                {taken}
        {after}
        net.load_state_dict(state)
    """
AFTER = {
    "to the processor": "net.cpu()",
    "to a device, under its name": "net = net.to(device)",
    "to a device that is chosen": "net.to('cuda' if torch.cuda.is_available() else 'cpu')",
}
BETWEEN = {
    "there and back": "net.cpu(); state = net.state_dict(); net.to(device)",
    "away": "state = net.state_dict(); net.to(device)",
}


@pytest.mark.parametrize("move", AFTER.values(), ids=AFTER)
def test_a_model_that_is_moved_after_its_steps(move: str) -> None:
    assert_marked(PROGRAM.replace("{taken}", "state = net.state_dict()  # expect: LL801").replace("{after}", move))


@pytest.mark.parametrize("taken", BETWEEN.values(), ids=BETWEEN)
def test_a_model_that_is_moved_before_its_next_step(taken: str) -> None:
    assert_marked(PROGRAM.replace("{taken}", taken).replace("{after}", "net.cpu()"))
