"""A run that could not see what it judges says so: it exits 2, and names what hid it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from looplint.commands.run import command as run_command
from looplint.errors import UserError
from looplint.finding import Finding, Location
from looplint.runtime.evidence.joining import join
from looplint.runtime.harness.running import Inspection, as_json, as_text, inspect
from looplint.runtime.streams import record as record_module
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

BUILD = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train():
    for i in range(4):
        optimizer.zero_grad()
        net(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
"""


def inspected(folder: Path, warm: Warm, source: str) -> Inspection:
    script = folder / "train.py"
    script.write_text(source)
    return inspect(str(script), Options(seconds=60), launch=warm.launch)


HIDDEN = {
    "    print(net(torch.ones(1, 4)).shape)\n": "can judge little",
    "    step = torch.compile(optimizer.step, backend='eager')\n    net(torch.ones(8, 4)).pow(2).mean().backward()\n    step()\n": "TORCH_COMPILE_DISABLE=1",
    "    import os\n    if not os.fork():\n        train()\n        os._exit(0)\n    os.wait()\n": "can judge little",
}


@pytest.mark.parametrize("main", HIDDEN, ids=["no training", "compiled step", "processes"])
def test_a_run_that_saw_no_step_exits_with_2_and_says_why(main: str, tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, BUILD + main)
    assert inspection.recording.ok, inspection.recording.message
    assert (inspection.exit_code, inspection.recording.stream.of("step")) == (2, [])
    assert "The run saw no optimizer step" in as_text(inspection)
    assert HIDDEN[main] in as_text(inspection)
    assert as_json(inspection)["run"]["blind"] == inspection.blind


def test_a_step_that_is_missing_is_told_once(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, BUILD.replace("        optimizer.step()\n", "") + "    train()\n")
    assert [(j.code, j.verdict) for j in inspection.joined] == [("LL106", "does harm")]
    assert (inspection.blind, inspection.exit_code) == ("", 1)


def test_the_stream_of_a_started_process_has_one_name() -> None:
    source = (Path(record_module.__file__).parents[1] / "recording" / "tape.py").read_text()
    assert f'SPAWNED = "{record_module.SPAWNED}"' in source


def test_processes_that_take_no_step_are_named(tmp_path: Path, warm: Warm) -> None:
    main = "    import torch.multiprocessing as mp\n    child = mp.get_context('fork').Process(target=print)\n    child.start()\n    child.join()\n"
    inspection = inspected(tmp_path, warm, BUILD + main)
    assert inspection.exit_code == 2
    assert "It started 1 process, which took no step" in inspection.blind


def test_a_compiled_step_is_no_missing_step(tmp_path: Path, warm: Warm) -> None:
    source = BUILD.replace("        optimizer.step()\n", "        step()\n").replace(
        "def train", "step = torch.compile(optimizer.step, backend='eager')\n\n\ndef train"
    )
    script = tmp_path / "train.py"
    stream = inspected(tmp_path, warm, source + "    train()\n").recording.stream
    assert (len(stream.of("backward")), stream.of("step")) == (4, [])
    row = next(n for n, text in enumerate(script.read_text().splitlines(), 1) if "backward()" in text)
    finding = Finding("LL106", "missing-step", "message", str(script), Location(row, 1), Location(row, 2))
    (joined,) = join([finding], stream, {"LL106": "missing-step", "LL111": "left"})
    assert joined.verdict == "not measured"
    assert "TORCH_COMPILE_DISABLE=1" in joined.text


def test_an_optimizer_of_other_parameters_than_those_that_get_gradients_is_found(tmp_path: Path, warm: Warm) -> None:
    source = BUILD.replace(
        "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)",
        "other = nn.Linear(4, 2)\noptimizer = vars(torch.optim)['SGD'](list(vars(other)['_parameters'].values()), lr=0.1)",
    )
    assert "LL107" in {j.code for j in inspected(tmp_path, warm, source + "    train()\n").joined}


def test_a_run_that_saw_steps_is_not_blind(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, BUILD + "    train()\n")
    assert (inspection.exit_code, inspection.blind) == (0, "")


OWN = """
import torch
from torch import nn


class Lion:
    def __init__(self, params, lr):
        self.params, self.lr = list(params), lr

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self):
        with torch.no_grad():
            for p in self.params:
                p -= self.lr * p.grad.sign()


class Noam:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.param_groups = optimizer.param_groups

    def zero_grad(self):
        self.optimizer.zero_grad()

    def step(self):
        self.optimizer.step()


net = nn.Linear(4, 2)
optimizer = OPTIMIZER
for i in range(6):
    CLEAR
    net(torch.ones(8, 4)).pow(2).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("optimizer", "kind"), [("Lion(net.parameters(), 0.1)", "Lion"), ("Noam(torch.optim.SGD(net.parameters(), lr=0.1))", "SGD")]
)
def test_an_optimizer_of_the_scripts_own_is_seen(optimizer: str, kind: str, tmp_path: Path, warm: Warm) -> None:
    source = OWN.replace("OPTIMIZER", optimizer)
    clean = inspected(tmp_path, warm, source.replace("CLEAR", "optimizer.zero_grad()")).recording.stream
    assert [(thing.kind, thing.facts["lr"]) for thing in clean.with_role("optimizer")] == [(kind, [0.1])]
    assert (len(clean.of("step")), len(clean.of("clear")) >= 5) == (6, True)
    broken = inspected(tmp_path, warm, source.replace("CLEAR", "pass"))
    assert {j.code for j in broken.joined} == {"LL102"}
    assert broken.exit_code == 1


OTHERS = {
    "another name": OWN.replace("self.params", "self.mine")
    .replace("self.mine, self.lr", "self.momentum, self.mine, self.lr")
    .replace("list(params), lr", "[torch.zeros(1)], list(params), lr"),
    "inherited": OWN.replace("net = nn", "class Slow(Lion):\n    pass\n\n\nnet = nn").replace("OPTIMIZER", "Slow(net.parameters(), 0.1)"),
    "cleared above": OWN.replace("class Lion:", "class Base:").replace(
        "    def step(self):\n        with", "\nclass Lion(Base):\n    def step(self):\n        with"
    ),
    "called above": OWN.replace(
        "net = nn",
        "class Slow(Lion):\n    def step(self):\n        super().step()\n\n    def zero_grad(self):\n        super().zero_grad()\n\n\nnet = nn",
    ).replace("OPTIMIZER", "Slow(net.parameters(), 0.1)"),
}


@pytest.mark.parametrize("source", OTHERS.values(), ids=OTHERS)
def test_an_optimizer_of_the_scripts_own_is_seen_however_it_is_written(source: str, tmp_path: Path, warm: Warm) -> None:
    source = source.replace("OPTIMIZER", "Lion(net.parameters(), 0.1)")
    clean = inspected(tmp_path, warm, source.replace("CLEAR", "optimizer.zero_grad()"))
    stream = clean.recording.stream
    assert (len(stream.of("step")), len(stream.of("clear")) in (5, 6), clean.exit_code) == (6, True, 0), as_text(clean)
    broken = inspected(tmp_path, warm, source.replace("CLEAR", "pass"))
    assert {j.code for j in broken.joined} == {"LL102"}


def test_an_optimizer_that_cannot_be_seen_is_named_as_what_hides_the_steps(tmp_path: Path, warm: Warm) -> None:
    source = (
        OWN.replace("OPTIMIZER", "Lion(net.parameters(), 0.1)").replace("CLEAR", "net.zero_grad()").replace("def zero_grad", "def clear")
    )
    inspection = inspected(tmp_path, warm, source)
    assert inspection.exit_code == 2
    assert "is seen where its class has step() and zero_grad()" in inspection.blind


def test_one_idle_optimizer_of_several_is_one_that_never_steps(tmp_path: Path, warm: Warm) -> None:
    source = BUILD.replace("net.parameters()", "[net.weight]").replace(
        "def train", "other = torch.optim.SGD([net.bias], lr=0.1)\n\n\ndef train"
    )
    source = source.replace("        optimizer.zero_grad()\n", "        optimizer.zero_grad()\n        net.bias.grad = None\n")
    found = inspected(tmp_path, warm, source + "    train()\n").joined
    assert "LL106" in {j.code for j in found}, found


ZERO = """
import torch, torch.distributed as dist
from torch import nn
from torch.distributed.optim import ZeroRedundancyOptimizer

dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
net = nn.Linear(4, 2)
optimizer = ZeroRedundancyOptimizer(net.parameters(), optimizer_class=torch.optim.SGD, lr=0.1)
for i in range(3):
    optimizer.zero_grad()
    net(torch.ones(8, 4)).pow(2).mean().backward()
    optimizer.step()
dist.destroy_process_group()
"""


def test_a_step_inside_of_another_is_one_step(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, ZERO)
    stream = inspection.recording.stream
    assert [stream.things[e.object].kind for e in stream.of("step")] == ["ZeroRedundancyOptimizer"] * 3, inspection.recording.stderr
    assert (stream.end["steps"], inspection.joined, inspection.exit_code) == (3, (), 0)


@pytest.mark.parametrize(
    ("name", "words"),
    [("train.ipynb", "a notebook"), ("train.IPYNB", "a notebook"), ("train.md", "a Markdown file"), ("train.Markdown", "a Markdown file")],
)
def test_what_is_no_script_is_refused_by_name(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")
    error = CliRunner().invoke(run_command, [str(tmp_path / name)]).exception
    assert isinstance(error, UserError)
    assert words in str(error)


def test_findings_exit_with_0_where_a_launcher_would_take_them_for_a_crash(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(BUILD.replace("        optimizer.zero_grad()\n", "") + "    train()\n")
    assert [CliRunner().invoke(run_command, [*zero, str(script)]).exit_code for zero in ([], ["--exit-zero"])] == [1, 0]
    script.write_text("raise ValueError\n")
    assert CliRunner().invoke(run_command, ["--exit-zero", str(script)]).exit_code == 2


SPAWNING = r"""
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


def train(rank, port, steps):
    # A model that dies with this function, under the lock of the interpreter, joins gloo's thread, which may be waiting for that lock
    # to let go of the context that torch 2.13 hands to a backward: one run in seven hung on a busy machine, in the process that is not recorded.
    global net
    dist.init_process_group("gloo", init_method=f"tcp://localhost:{port}", rank=rank, world_size=2)
    torch.manual_seed(0)
    net = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(steps):
        net(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()
    print(f"{rank} done\n", end="", flush=True)  # in one piece: the other process prints too
    dist.destroy_process_group()


if __name__ == "__main__":
    import socket

    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    START
"""


@pytest.mark.parametrize(("steps", "outcome"), [(0, "finished"), (3, "step-limit")])
@pytest.mark.parametrize(
    "start",
    ["mp.spawn(train, (port, 6), nprocs=2)", "mp.start_processes(train, (port, 6), nprocs=2, start_method='fork')"],
    ids=["spawn", "fork"],
)
def test_the_first_process_that_a_script_trains_in_is_recorded(start: str, steps: int, outcome: str, tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "train.py"
    script.write_text(SPAWNING.replace("START", start))
    inspection = inspect(str(script), Options(seconds=90, steps=steps), launch=warm.launch)
    recording = inspection.recording
    assert recording.outcome == outcome, recording.message + recording.stderr
    assert len(recording.stream.of("step")) == (steps or 6)
    assert [(j.code, j.verdict) for j in inspection.joined] == [("LL102", "does harm")]
    assert sorted(recording.stdout.split("\n")) == (["", "0 done", "1 done"] if not steps else [""])


SEVERAL = """
import torch
import torch.multiprocessing as mp
from torch import nn


def measure(net):
    with torch.no_grad():
        print("measured", tuple(net(torch.ones(1, 4)).shape))


def train(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(6):
        net(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    net = nn.Linear(4, 2).share_memory()
    processes = [mp.get_context("fork").Process(target=target, args=(net,)) for target in (measure, train, train)]
    for process in processes:
        process.start()
        process.join()
"""


def test_the_first_process_that_trains_is_read_where_another_one_started_before(tmp_path: Path, warm: Warm) -> None:
    inspection = inspected(tmp_path, warm, SEVERAL)
    assert inspection.recording.ok, inspection.recording.stderr
    assert len(inspection.recording.stream.of("step")) == 6
    assert [(j.code, j.verdict) for j in inspection.joined] == [("LL102", "does harm")]
    assert len(inspection.recording.stream.marked("process")) == 0  # those of the process that is read
