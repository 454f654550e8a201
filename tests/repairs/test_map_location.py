"""What a load without `map_location` is given: the program's device, or the CPU where all that is loaded is copied from there."""

from __future__ import annotations

import pytest

import looplint

RESUMED = """\
import torch
from torch import nn, optim

class Average:
    def __init__(self, net):
        self.shadow = {n: p.data.clone() for n, p in net.named_parameters()}
    def load_state_dict(self, state):
        self.shadow = state

class Runner:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.shadow = {}
    def train(self, loader):
        net = nn.Linear(8, 1)
        MOVE
        opt = optim.Adam(net.parameters())
        average = Average(net)
        checkpoint = torch.load("last.pt", weights_only=True)
        net.load_state_dict(checkpoint["net"])
        opt.load_state_dict(checkpoint["opt"])
        OTHER
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(net(x.to(self.device)), y.to(self.device)).backward()
            opt.step()

Runner().train(batches)
"""


def _repair(other: str, move: str) -> tuple[str, str]:
    code = RESUMED.replace("OTHER", other).replace("MOVE", move)
    [finding] = [f for f in looplint.lint(code) if f.code == "LL803"]
    assert finding.fix is not None
    return finding.fix.message.rpartition("=")[2], finding.fix.applicability


COPIED = [
    "pass",
    "start = checkpoint['epoch'] + 1; print(start, checkpoint['best'])",
    "self.epoch = checkpoint['epoch']",
    "net.load_state_dict({k.removeprefix('module.'): v for k, v in checkpoint['net'].items()})",
    "torch.set_rng_state(checkpoint['random'])",
    "if loader is None: return checkpoint['epoch'] + 1, checkpoint['best']",
]
KEPT = [
    "average.load_state_dict(checkpoint['average'])",
    "self.shadow = checkpoint['average']",
    "shadow = checkpoint['average']; average.load_state_dict(shadow)",
    "average.shadow.update(checkpoint['average'])",
    "if loader is None: return checkpoint['epoch'] + 1, checkpoint['average']",
    "average = checkpoint['average']\n        if loader is None: return 1, average, net",
]


@pytest.mark.parametrize("other", COPIED)
def test_what_is_copied_may_lie_on_the_cpu(other: str) -> None:
    assert _repair(other, "net.to(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))") == ('"cpu"', "safe")


@pytest.mark.parametrize("other", KEPT)
def test_what_is_kept_stays_on_the_cpu(other: str) -> None:
    assert _repair(other, "net.to(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))") == ('"cpu"', "unsafe")


@pytest.mark.parametrize("move", ["net.to(self.device)", "net = net.to(device=self.device)", "net.train(); net.to(self.device)"])
@pytest.mark.parametrize("other", KEPT)
def test_a_device_that_is_used_above_is_the_one_for_all(move: str, other: str) -> None:
    assert _repair(other, move) == ("self.device", "safe")


@pytest.mark.parametrize(
    ("other", "applicability"),
    [
        ("torch.set_rng_state(checkpoint['random'])", "safe"),
        ("torch.random.set_rng_state(checkpoint['random']['torch']); torch.cuda.set_rng_state_all(checkpoint['random']['cuda'])", "safe"),
        ("states = checkpoint['random']; torch.cuda.set_rng_state(states['cuda'])", "safe"),
        ("torch.Generator().set_state(checkpoint['random'])", "safe"),
        ("self.generator.set_state(checkpoint['random'])", "safe"),
        ("g = torch.Generator(); g.set_state(checkpoint['rng'])", "safe"),
        ("restore_random_states(checkpoint['random'])", "unsafe"),
        ("torch.set_rng_state(checkpoint['random']); self.shadow = checkpoint['average']", "unsafe"),
    ],
)
def test_states_of_generators_lie_on_the_cpu(other: str, applicability: str) -> None:
    assert _repair(other, "net.to(self.device)") == ('"cpu"', applicability)


@pytest.mark.parametrize(
    ("saved", "codes"),
    [
        ("torch.cuda.get_rng_state()", set()),
        ("torch.cuda.get_rng_state_all()", {"LL803"}),  # an empty list without a GPU
        ("torch.cuda.get_rng_state() if torch.cuda.is_available() else None", {"LL803"}),
        ("torch.get_rng_state()", {"LL803"}),
    ],
)
def test_a_program_that_reads_the_state_of_a_gpu_needs_one(saved: str, codes: set[str]) -> None:
    saves = f"if loader.done: torch.save({{'random': {saved}}}, 'random.pt')"
    code = RESUMED.replace("OTHER", saves).replace("MOVE", "net.to(self.device)")
    assert {f.code for f in looplint.lint(code)} & {"LL803"} == codes


def test_a_device_that_is_used_under_a_condition_alone_may_not_be_there() -> None:
    assert _repair("pass", "if len(loader) > 3:\n            net.to(self.device)") == ('"cpu"', "safe")


SCHEDULE = """\
import torch
from torch import nn, optim

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 1).to(device)
opt = optim.Adam(net.parameters())
schedule = optim.lr_scheduler.StepLR(opt, 3)
RESTORED.load_state_dict(torch.load("state.pt", weights_only=True))
for x, y in batches:
    opt.zero_grad()
    nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
    opt.step()
    schedule.step()
"""


@pytest.mark.parametrize(("restored", "codes"), [("schedule", set()), ("opt", {"LL803"}), ("net", {"LL803"})])
def test_the_state_of_a_schedule_holds_no_tensor(restored: str, codes: set[str]) -> None:
    assert {f.code for f in looplint.lint(SCHEDULE.replace("RESTORED", restored))} & {"LL803"} == codes
