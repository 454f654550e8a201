"""`model[batch]` is a call of the `__getitem__` that the class of a model has: a forward in it is one of that model."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Detector(nn.Module):
    def __init__(self, devices=1):
        super().__init__()
        self.devices = devices
        self.head = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5), nn.Linear(16, 1))
        self.stages = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x):
        return self.head(x)

{getter}

def measure(net, held_out):
    net.eval()
    with torch.no_grad():
        return [{measured} for batch in held_out]

def fit(loader, held_out):
    net = Detector()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
{begin}
        for batch in loader:
            opt.zero_grad()
            loss = F.mse_loss({trained}, batch[1])
            loss.backward()
            opt.step()
        print(measure(net, held_out))
"""
ITS_FORWARD = """\
    def __getitem__(self, batch):
        return self(batch[0]){mark}"""
ON_DEVICES = """\
    def __getitem__(self, batch):
        batch.scatter()
        if self.devices == 1:
            return self(*batch[0]){mark}
        replicas = nn.parallel.replicate(self, devices=list(range(self.devices)))
        return nn.parallel.parallel_apply(replicas, [batch[i] for i in range(self.devices)])[0]"""
INHERITED = """\
class Parallel(nn.Module):
    def __getitem__(self, batch):
        return self.forward(batch[0]){mark}
"""
WAYS = {"its forward": ITS_FORWARD, "a scatter by hand": ON_DEVICES}


def program(getter: str, mark: str, begin: str, taken: str = "net[batch]") -> str:
    text = PROGRAM.replace("{begin}", f"        {begin}").replace("{trained}", taken).replace("{measured}", taken)
    return text.replace("{getter}", getter.replace("{mark}", mark))


@pytest.mark.parametrize("getter", WAYS.values(), ids=WAYS)
def test_it_is_left_in_eval_mode(getter: str) -> None:
    assert_marked(program(getter, "  # expect: LL301", "pass"))
    assert_marked(program(getter, "", "net.train()"))


def test_it_is_the_one_of_a_base() -> None:
    derived = INHERITED + PROGRAM.replace("(nn.Module)", "(Parallel)")
    for mark, begin in (("  # expect: LL301", "pass"), ("", "net.train()")):
        text = derived.replace("{begin}", f"        {begin}").replace("{trained}", "net[batch]").replace("{measured}", "net[batch]")
        assert_marked(text.replace("{getter}", "").replace("return self.forward(batch[0]){mark}", f"return self(batch[0]){mark}"))


def test_each_place_is_a_call_of_its_own() -> None:
    both = "net[batch] + net[batch.flip(0)]"
    getter = ITS_FORWARD
    assert_marked(program(getter, "  # expect: LL301", "pass", both))
    assert_marked(program(getter, "", "net.train()", both))


CHOSEN = """
class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])
        self.names = open("names").read()

    def forward(self, x):
        for i in range(2):
            x = self[i](x)
        return x

    def __getitem__(self, index):
        return {given}

net = Stages()
opt = torch.optim.SGD({parameters}.parameters(), lr=0.1)
for x, y in loader:
    {clear}
    F.mse_loss(net(x), y).backward(){mark}
    opt.step()
"""


@pytest.mark.parametrize("given", ["self.layers[index]", "self.layers[len(self.names)]", "look_up(index)"])
def test_what_it_gives_is_a_part(given: str) -> None:
    for parameters in ("net", "net[0]"):
        text = CHOSEN.replace("{given}", given).replace("{parameters}", parameters)
        assert_marked(text.replace("{clear}", "opt.zero_grad()").replace("{mark}", ""))
    text = CHOSEN.replace("{given}", given).replace("{parameters}", "net")
    assert_marked(text.replace("{clear}", "pass").replace("{mark}", "  # expect: LL102"))
