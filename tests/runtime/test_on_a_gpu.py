"""What a run on a GPU needs: that the recorder leaves CUDA to the script, that the stream names the GPU, and that scripts which name none run on it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from looplint.runtime.evidence.claims import CLAIMS, measure
from looplint.runtime.harness.devices import missing_cuda
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.stream import Mark, Stream
from looplint.runtime.streams.warm import Several, Warm
from places import ROOT

pytestmark = pytest.mark.slow


def answer(code: str) -> str:
    """What a process of its own prints: modes and hooks of torch would stay in this one."""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_recorder_asks_for_no_gpu_and_notes_the_one_that_the_script_uses(tmp_path: Path) -> None:
    stream = tmp_path / "stream.jsonl"
    code = f"""
import torch
def asked(*arguments):
    raise AssertionError("CUDA was started")
torch.cuda.is_available = torch.cuda.get_device_name = torch.cuda.device_count = asked
from looplint.runtime.recording import hooks
from looplint.runtime.recording.probes import Sources
recorder = hooks.install({{"stream": {str(stream)!r}, "script": "x.py", "arguments": [], "costs": True}}, Sources({{}}, {{}}))
torch.cuda.get_device_name = lambda: "a card"
torch.cuda._queued_calls[-1][0]()
recorder.finish({{"record": "end", "outcome": "finished", "exit": 0}})
"""
    answer(code)
    records = [each for line in stream.read_text().splitlines() for each in json.loads(line)]
    assert [each["name"] for each in records if each["record"] == "gpu"] == ["a card"]
    assert not [each for each in records if each["record"] == "failed"]


def test_the_stream_names_the_gpu_that_was_used() -> None:
    assert Stream(marks=(Mark("gpu", 0, (), {"name": "a card"}),)).gpu == "a card"
    assert Stream().gpu == ""


def test_tensors_are_placed_where_the_script_names_no_device() -> None:
    """On the device that stands for none: what a sampler, a state of an optimizer and a named device hold stays where it was."""
    code = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from looplint.runtime.recording import placed
placed.install("meta")
drawn = torch.randn(2, generator=torch.Generator().manual_seed(1), requires_grad=True)
made = [torch.zeros(2), torch.tensor([1.0]), torch.normal(0.0, 1.0, (2,)), drawn, *nn.LSTM(2, 2).parameters()]
batches = [x for x, in DataLoader(TensorDataset(torch.zeros(4, 3)), shuffle=True, batch_size=2)]
print({t.device.type for t in [*made, *batches]}, drawn.requires_grad, torch.zeros(2, device="cpu").device.type)
weight = nn.Parameter(torch.zeros(2, device="cpu"))
optimizer = torch.optim.Adam([weight])
weight.grad = torch.ones(2, device="cpu")
optimizer.step()
print(optimizer.state[weight]["step"].device.type, weight.detach().numpy().shape)
"""
    assert answer(code).splitlines() == ["{'meta'} True cpu", "cpu (2,)"]


def test_a_copy_under_a_default_device_is_one_copy(tmp_path: Path) -> None:
    code = f"""
import torch
from torch.utils.data import DataLoader
from looplint.runtime.recording import hooks, hooks_costs
from looplint.runtime.recording.probes import Sources
recorder = hooks.install({{"stream": {str(tmp_path / "stream")!r}, "script": "x.py", "arguments": [], "own": ""}}, Sources({{}}, {{}}))
hooks_costs.install_copies(recorder.tape)
torch.set_default_device("cpu")
for batch in DataLoader(torch.ones(1, 3)):
    batch.to("meta")
recorder.finish({{"record": "end", "outcome": "finished", "exit": 0}})
"""
    answer(code)
    records = [each for line in (tmp_path / "stream").read_text().splitlines() for each in json.loads(line)]
    assert len([each for each in records if each["record"] == "copy"]) == 1


@pytest.mark.parametrize(
    ("message", "in_unit", "shown"),
    [
        ("all elements of input should be between 0 and 1", True, True),
        ("CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert'", False, True),
        ("CUDA error: device-side assert triggered\nSearch for `cudaErrorAssert'", True, False),
        ("CUDA error: out of memory", False, False),
    ],
)
def test_a_gpu_does_not_say_why_a_loss_failed(message: str, in_unit: bool, shown: bool) -> None:
    marks = (Mark("loss", 0, (), {"function": "binary_cross_entropy", "in_unit": in_unit}),)
    stream = Stream(marks=marks, end={"error": {"type": "AcceleratorError", "message": message, "frames": []}})
    found = measure("LL703", stream, stream)
    assert found is not None and found.shown is shown
    assert "\n" not in found.text and CLAIMS["LL703"].observed is not None


def test_a_process_that_has_run_a_script_runs_the_next(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os\nprint(os.getppid())\n")
    with Several({"OMP_NUM_THREADS": "1"}) as warm:
        assert len({record(script, Options(hooks=False), warm.launch).stdout for _ in range(2)}) == 1


FORKS = """
import multiprocessing
import torch

def train():
    weight = torch.nn.Parameter(torch.zeros(2, device="cuda"))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    weight.sum().backward()
    optimizer.step()

if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=train)
    process.start()
    process.join()
    raise SystemExit(process.exitcode)
"""


def test_a_script_that_forks_uses_the_gpu_there(tmp_path: Path, warm: Warm) -> None:
    if missing_cuda() is not None:
        pytest.skip("there is no GPU")
    script = tmp_path / "forks.py"
    script.write_text(FORKS)
    found = record(script, Options(device="cuda"), warm.launch)
    assert found.ok, found.stderr
    assert found.stream.gpu and len(found.stream.of("step")) == 1


CAPTURES = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(8, 4, device="cuda")

def train():
    optimizer.zero_grad(set_to_none=True)
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    return loss

aside = torch.cuda.Stream()
aside.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(aside):
    for _ in range(3):
        train()
torch.cuda.current_stream().wait_stream(aside)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = train()
for _ in range(5):
    graph.replay()
print(loss.item(), [p.sum().item() for p in net.parameters()])
"""


def test_a_graph_of_the_device_is_captured_as_without_the_recorder(tmp_path: Path, warm: Warm) -> None:
    if missing_cuda() is not None:
        pytest.skip("there is no GPU")
    script = tmp_path / "captures.py"
    script.write_text(CAPTURES)
    plain, recorded = (record(script, Options(device="cuda", hooks=hooks), warm.launch) for hooks in (False, True))
    assert plain.ok, plain.stderr
    assert recorded.ok, recorded.stderr
    assert recorded.stdout == plain.stdout
    assert not recorded.stream.marked("failed")
