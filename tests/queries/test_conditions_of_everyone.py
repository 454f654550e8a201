"""A condition on a name that never changes has one outcome wherever it is asked: in a function, in one around it, and in the module."""

import pytest

from tests.programs import assert_marked

FACTORY = """
def get_scheduler(cfg, optimizer):
    if cfg.type == "plateau":
        return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=cfg.patience)
    raise NotImplementedError(cfg.type)
"""
STEPS = """if config.train.scheduler.type == "plateau":
            scheduler.step(loss)
        else:
            scheduler.step()"""
NESTED = (
    FACTORY
    + """
def main(path):
    config = load(path)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = get_scheduler(config.train.scheduler, optimizer)

    def validate(loss):
        {steps}

    for epoch in range(config.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        validate(measure(net))

net, loader = nn.Linear(2, 1), torch.utils.data.DataLoader(data, shuffle=True)
main(sys.argv[1])
"""
)
OF_MODULE = (
    FACTORY
    + """
def validate(scheduler, loss):
    if True:
        {steps}

def train(net, loader):
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = get_scheduler(config.train.scheduler, optimizer)
    for epoch in range(config.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        validate(scheduler, measure(net))

config = load(sys.argv[1])
train(nn.Linear(2, 1), torch.utils.data.DataLoader(data, shuffle=True))
"""
)
OF_SCRIPT = (
    FACTORY
    + """
if __name__ == "__main__":
    config = load(sys.argv[1])
    net, loader = nn.Linear(2, 1), torch.utils.data.DataLoader(data, shuffle=True)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scheduler = get_scheduler(config.train.scheduler, optimizer)
    for epoch in range(config.epochs):
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            optimizer.step()
        loss = measure(net)
        {steps}
"""
)
PROGRAMS = {"a function in the one that has the name": NESTED, "a name of the module": OF_MODULE, "the module itself": OF_SCRIPT}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_branch_for_schedulers_that_are_not_built(program: str) -> None:
    assert_marked(program.replace("{steps}", STEPS))


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_branch_for_the_one_that_is(program: str) -> None:
    steps = STEPS.replace("== ", "!= ").replace("scheduler.step()", "scheduler.step()  # expect: LL204")
    assert_marked(program.replace("{steps}", steps))


@pytest.mark.parametrize(
    ("program", "once", "again"),
    [
        (NESTED, "    def validate", "    config = load(config.path)\n    def validate"),
        (OF_MODULE, "train(nn", "config.train.scheduler = default(config)\ntrain(nn"),
        (OF_SCRIPT, "        loss =", "        config = load(config.path)\n        loss ="),
    ],
    ids=["bound again", "an attribute that is set", "bound in the loop"],
)
def test_a_name_that_changes_tells_nothing(program: str, once: str, again: str) -> None:
    steps = STEPS.replace("scheduler.step()", "scheduler.step()  # expect: LL204")
    assert_marked(program.replace("{steps}", steps).replace(once, again))
