"""A context of the program's own that puts a model into eval mode and back: its `__exit__` runs after the body, whatever way leads out."""

import pytest

from programs import assert_marked

PROGRAM = """
import contextlib

class EvalMode:
    def __init__(self, module):
        self.module = module
        self.was_training = module.training

    def __enter__(self):
        {enter}
        return self.module

    def __exit__(self, kind, error, traceback):
        {leave}

def evaluate(net, valid):
    {body}

def train(loader, valid):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward(){mark}
            opt.step()
        print(evaluate(net, valid))
"""
AFTER = """total = 0.0
    with torch.no_grad(), EvalMode(net):
        for x, y in valid:
            total += nn.functional.mse_loss(net(x), y).item()
    return total"""
RETURNS = """with torch.no_grad(), EvalMode(net) as model:
        return sum(nn.functional.mse_loss(model(x), y).item() for x, y in valid)"""
JUMPS = """for x, y in valid:
        with torch.no_grad(), EvalMode(net):
            loss = nn.functional.mse_loss(net(x), y).item()
            if loss > 100:
                break
            print(loss)"""
KEPT = """mode = EvalMode(net)
    with torch.no_grad():
        with mode:
            return nn.functional.mse_loss(net(valid[0]), valid[1]).item()"""
STACK = """with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(EvalMode(net))
        print("entered")
        return nn.functional.mse_loss(net(valid[0]), valid[1]).item()"""
BODIES = pytest.mark.parametrize(
    "body", [AFTER, RETURNS, JUMPS, KEPT, STACK], ids=["after it", "by a return", "by a break", "made before", "of a stack"]
)
WAYS = {
    "always": ("self.module.eval()", "self.module.train()"),
    "where it was training": ("if self.was_training: self.module.train(False)", "if self.was_training: self.module.train(True)"),
    "as it was": ("self.module.eval()", "self.module.train(self.was_training)"),
    "unless it fails": ("self.module.eval()", "if kind is None: self.module.train()"),
}


@BODIES
@pytest.mark.parametrize(("enter", "leave"), WAYS.values(), ids=WAYS)
def test_train_mode_is_back_after_the_body(body: str, enter: str, leave: str) -> None:
    assert_marked(PROGRAM.format(body=body, enter=enter, leave=leave, mark=""))


@BODIES
@pytest.mark.parametrize("leave", ["pass", "print(kind)", "self.module.eval()"])
def test_it_is_not_where_nothing_puts_it_back(body: str, leave: str) -> None:
    assert_marked(PROGRAM.format(body=body, enter="self.module.eval()", leave=leave, mark="  # expect: LL301"))


INHERITED = """
class Switched:
    def __exit__(self, *error):
        self.net.train({back})

class Frozen(Switched):
    def __init__(self, net):
        self.net = net
    def __enter__(self):
        self.net.eval()

def train(loader, valid):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward(){mark}
            opt.step()
        with Frozen(net):
            with torch.no_grad():
                print([nn.functional.mse_loss(net(x), y).item() for x, y in valid])
"""


def test_an_inherited_exit_runs_too() -> None:
    assert_marked(INHERITED.format(back="", mark=""))
    assert_marked(INHERITED.format(back="False", mark="  # expect: LL301"))


SEVERAL = """
class eval_mode:
    def __init__(self, *models):
        self.models = models

    def __enter__(self):
        self.before = []
        for model in self.models:
            self.before.append(model.training)
            model.train(False)

    def __exit__(self, *args):
        for model, state in zip(self.models, self.before):
            {back}
        return False

def train(loader, valid):
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward(){mark}
            opt.step()
        with torch.no_grad(), eval_mode(net):
            print([nn.functional.mse_loss(net(x), y).item() for x, y in valid])
"""


def test_several_models_are_put_back_each() -> None:
    assert_marked(SEVERAL.format(back="model.train(state)", mark=""))
    assert_marked(SEVERAL.format(back="print(state)", mark="  # expect: LL301"))
