"""The entry of a container under a key that a loop binds is one object throughout a turn, by whatever name the turn calls it."""

from __future__ import annotations

import pytest

from programs import assert_marked

HANDED_IN = """
        def main(loader, names, nets, optims):
            for x, y in loader:
                for k in names:
                    {bound}
                    loss = nn.functional.cross_entropy(net(x), y)
                    loss.backward()
                    optimizer.zero_grad(){marked}
                    optimizer.step()
"""
BUILT = """
        def main(loader):
            nets = {{name: nn.Linear(8, 2) for name in ("first", "second")}}
            optims = {{name: torch.optim.SGD(net.parameters(), lr=0.1) for name, net in nets.items()}}
            for x, y in loader:
                for k in nets:
                    optimizer = optims[k]
                    nn.functional.cross_entropy(nets[k](x), y).backward()
                    optimizer.zero_grad(){marked}
                    optimizer.step()
"""
SCALED = """
        class Trainer:
            def __init__(self, critics: nn.ModuleDict, optims: dict[str, torch.optim.Optimizer], axes):
                self.critics, self.optims, self.axes = critics, optims, axes
                self.scaler = torch.amp.GradScaler("cuda")
            def update(self, x):
                for axis in self.axes:
                    critic, optimizer = self.critics[str(axis)], self.optims[str(axis)]
                    optimizer.zero_grad()
                    with torch.autocast("cuda", torch.float16):
                        loss = critic(x).mean()
                    self.scaler.scale(loss).backward()
                    {step}
                self.scaler.update()
"""
MARKED, UNSTEPPED = "  # expect: LL101", "  # expect: LL106"

PROGRAMS = {
    "entries that are handed in": HANDED_IN.format(bound="net = nets[k]; optimizer = optims[k]", marked=MARKED),
    "a key of another kind": HANDED_IN.format(bound="net, optimizer = nets[str(k)], optims[str(k)]", marked=MARKED),
    "an attribute of what the loop binds": HANDED_IN.format(bound="net = nets[k.name]; optimizer = optims[k.name]", marked=MARKED),
    "entries that are built": BUILT.format(marked=MARKED),
    "a loop that never steps through its scaler": SCALED.format(step="optimizer.step()  # expect: LL604"),
    "a loop that steps through its scaler": SCALED.format(step="self.scaler.step(optimizer)"),
    "an entry that another one takes the place of": HANDED_IN.format(
        bound="net = nets[k]; optimizer = optims[k]\n                    if len(x) > 1: optimizer = optims['last']", marked=""
    ),
    "an entry that has nothing to do with the turn": HANDED_IN.format(bound="net = nets[k]; optimizer = optims[choose()]", marked=""),
    "a name that stays what it was before the loop": HANDED_IN.replace(
        "for x, y in loader:", "optimizer = optims[first]; net = nets[second]\n            for x, y in loader:"
    ).format(bound="pass", marked=""),
}

NESTED = """
        class Learner:
            def __init__(self, model: nn.Module, keys):
                self.model, self.keys = model, keys
                self.build()
            def build(self):
                model = self.model
                self.optimizer = {built}
            def update(self, x, y):
                outputs = self.model(x)
                for k in self.keys:
                    {bound}
                    loss = nn.functional.cross_entropy(outputs[k], y)
                    loss.backward(){unstepped}
                    {optimizer}.zero_grad(){marked}
                    {step}.step()
"""
TWO = """{k: {"critic": torch.optim.Adam(model.critics[k].parameters()), "actor": torch.optim.Adam(model.actors[k].parameters())} for k in self.keys}"""
TURNED = """{"critic": {k: torch.optim.Adam(model.critics[k].parameters()) for k in self.keys}, "actor": None}"""
PAIRS = """{k: (torch.optim.Adam(model.critics[k].parameters()), torch.optim.Adam(model.actors[k].parameters())) for k in self.keys}"""
ANY = """{k: {part: torch.optim.Adam(net.parameters()) for part, net in model.nets[k].items()} for k in self.keys}"""


def nested(built: str, optimizer: str, *, bound: str = "pass", step: str | None = None, marked: str = MARKED, unstepped: str = "") -> str:
    return NESTED.format(built=built, optimizer=optimizer, step=step or optimizer, bound=bound, marked=marked, unstepped=unstepped)


CRITIC = "self.optimizer[k]['critic']"
PROGRAMS |= {
    "an entry of a dict that the key leads to": nested(TWO, CRITIC),
    "a name for the entry": nested(TWO, "critic", bound=f"critic = {CRITIC}"),
    "a name for the dict": nested(TWO, "optimizers['critic']", bound="optimizers = self.optimizer[k]"),
    "the entry under the key of a dict by its name": nested(TURNED, "self.optimizer['critic'][k]"),
    "an item of a tuple": nested(PAIRS, "self.optimizer[k][0]"),
    "an attribute that is None at first": nested(TWO, CRITIC).replace("self.build()", "self.optimizer = None; self.build()"),
    "dicts that a loop goes over": nested(TWO, "optimizers['critic']").replace(
        "for k in self.keys:", "for k, optimizers in self.optimizer.items():"
    ),
    "another entry steps": nested(TWO, CRITIC, step="self.optimizer[k]['actor']", marked="", unstepped=UNSTEPPED),
    "another item of a tuple steps": nested(PAIRS, "self.optimizer[k][0]", step="self.optimizer[k][1]", marked="", unstepped=UNSTEPPED),
    "entries that cannot be told apart": nested(ANY, CRITIC, step="self.optimizer[k]['actor']", marked=""),
    "an item that cannot be told apart": nested(ANY, CRITIC, marked=""),
}
NO_STEP = nested(TWO, CRITIC, marked="", unstepped=UNSTEPPED).replace(f"{CRITIC}.step()", "pass")
PROGRAMS |= {
    "an entry that never steps": NO_STEP.replace("loss.backward()", f"{CRITIC}.zero_grad(); loss.backward()", 1),
    "entries that are cleared, and step, without a backward": BUILT.format(marked="")
    .replace(
        "nn.functional.cross_entropy(nets[k](x), y).backward()\n                    optimizer.zero_grad()",
        "optimizer.zero_grad()\n                    loss = nn.functional.cross_entropy(nets[k](x), y)",
    )
    .replace("optimizer.step()", "optimizer.step()  # expect: LL107"),
}

IN_PAIRS = """
        def train(pairs, loader, keys):
            nets = {{k: nn.Linear(8, 2) for k in keys}}
            opts = {{k: torch.optim.SGD(nets[k].parameters(), 0.1) for k in keys}}
            for x, y in loader:
                for a, b in pairs:
                    {first}.zero_grad()
                    nn.functional.cross_entropy(nets[a](x), y).backward()
                    {second}.zero_grad()
                    {first}.step()
                    nn.functional.cross_entropy(nets[b](x), y).backward()
                    {second}.step()
"""
PROGRAMS |= {
    "entries under two keys of a turn": IN_PAIRS.format(first="opts[a]", second="opts[b]"),
    "entries under two attributes of what a turn binds": IN_PAIRS.format(first="opts[a.one]", second="opts[a.other]"),
}
PLAYERS = """
        import itertools

        def make(seed):
            net = nn.Linear(5, 1)
            return {{"net": net, "opt": torch.optim.SGD(net.parameters(), lr=0.05)}}
        def play(x, y):
            players = [make(seed) for seed in range(3)]
            for one, other in itertools.{over}:
                nn.functional.mse_loss(one["net"](x), y).backward()
                other["opt"].zero_grad()
                one["opt"].step()
                nn.functional.mse_loss(other["net"](x), y).backward()
                one["opt"].zero_grad()
                other["opt"].step()
"""
PROGRAMS |= {
    f"players that {name}": PLAYERS.format(over=over)
    for name, over in {
        "meet": "combinations(players, 2)",
        "follow each other": "pairwise(players)",
        "are paired": "product(players, players)",
    }.items()
}
PROGRAMS["players that a zip pairs"] = PLAYERS.replace("itertools.{over}", "zip(players, players[1:])").format()
HANDED_DOWN = """
        class Learner:
            def __init__(self, model: nn.Module, keys):
                self.model, self.keys = model, keys
                self.optims = {{k: torch.optim.Adam(model.nets[k].parameters()) for k in keys}}
            def update(self, x, y):
                outputs = self.model(x)
                for k in self.keys:
                    loss = nn.functional.cross_entropy(outputs[k], y)
                    self.optimize({given}, loss)
            def optimize(self, optimizer, loss):
                {first}loss.backward()
                optimizer.zero_grad(){marked}
                optimizer.step()
"""
PROGRAMS |= {
    "an entry that is handed down": HANDED_DOWN.format(given="self.optims[k]", first="", marked=MARKED),
    "a name that is handed down": HANDED_DOWN.format(given="optim", first="", marked=MARKED).replace(
        "loss = nn", "optim = self.optims[k]; loss = nn"
    ),
    "entries under two keys that are handed down": HANDED_DOWN.format(given="self.optims[k]", first="", marked="")
    .replace("for k in self.keys:", "for k, j in self.keys:")
    .replace("loss = nn", "self.optims[j].step(); loss = nn"),
    "any entry that is handed down": HANDED_DOWN.format(given="self.optims[self.keys[0]]", first="", marked=""),
    "a parameter that is another entry at times": HANDED_DOWN.format(
        given="self.optims[k]", first="optimizer = choose(optimizer, self.optims)\n                ", marked=""
    ),
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
