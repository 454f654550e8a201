"""What options of the command line decide is the same in each call of a function that has a name of its own for them."""

import pytest

from programs import assert_marked

PROGRAM = """
import argparse

class Trainer:
    def __init__(self, net, params):
        self.net = net
        self.params = params
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        self.scaler = torch.cuda.amp.GradScaler()

    def optimize(self, loss):
        {name}
        if {option}:
            self.scaler.scale(loss).backward()
            {unscale}
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0){mark}
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad()
        else:
            loss.backward()
            if {again}:
                self.optimizer.step()
                self.optimizer.zero_grad()

    def train(self, loader):
        for x, y in loader:
            self.optimize(nn.functional.mse_loss(self.net(x), y))

def main(params, loader):
    Trainer(nn.Linear(4, 1), params).train(loader)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--amp", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    main(parser.parse_args(), torch.load("batches.pt"))
"""
BROKEN = {"unscale": "pass", "mark": "  # expect: LL601"}
SOUND = {"unscale": "self.scaler.unscale_(self.optimizer)", "mark": ""}
NAMES = {
    "a name of its own": {"name": "params = self.params", "option": "params.amp > 0", "again": "params.every == 1"},
    "a flag": {"name": "params = self.params", "option": "params.amp", "again": "params.every == 1"},
    "another name": {"name": "p = self.params", "option": "p.amp > 0", "again": "p.every == 1"},
    "none": {"name": "pass", "option": "self.params.amp > 0", "again": "self.params.every == 1"},
}


@pytest.mark.parametrize("program", [BROKEN, SOUND], ids=["broken", "sound"])
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_a_loop_over_the_calls_keeps_the_branches_apart(names: dict[str, str], program: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**names, **program))


def test_an_option_that_the_program_sets_may_change_from_call_to_call() -> None:
    names = NAMES["a name of its own"] | {"name": "params = self.params\n        params.amp = loss.item() > 0"}
    assert_marked(PROGRAM.format(**names, unscale="pass", mark=""))
