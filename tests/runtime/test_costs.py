"""The hooks on costs: what they count, what they leave to torch, and that the run ends as it would without them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from looplint.linting import catalogue
from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.streams.record import Options, Recording, record
from looplint.runtime.streams.stream import Mark, Stream
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

LOOP = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(40, 4)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=10, shuffle=True)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=0.1)
for epoch in range(2):
    for i, (a, b) in enumerate(loader):
        opt.zero_grad()
        loss = torch.nn.functional.mse_loss(net(a), b)
        loss.backward()
        opt.step()
        LINE
print(sum(p.sum().item() for p in net.parameters()).hex())
"""


def run(folder: Path, line: str, warm: Warm, **options: Any) -> Recording:
    script = folder / "script.py"
    script.write_text(LOOP.replace("LINE", line), encoding="utf-8")
    found = record(script, Options(cwd=folder, environment={"OMP_NUM_THREADS": "1"}, **options), warm.launch)
    assert found.ok, found.message
    return found


@pytest.mark.parametrize(
    ("line", "kind", "count"),
    [
        ("float(loss)", "read", 8),
        ("loss.item()", "read", 8),
        ("loss.detach().cpu().numpy()", "read", 16),
        ("x.tolist()", "read", 0),
        ("pass", "read", 0),
        ("f'{loss:.3f}'", "text", 8),
        ("str(loss)", "text", 8),
        ("f'{loss.item():.3f}'", "text", 0),
        ("torch.cuda.empty_cache()", "release", 8),
        ("pass", "statistics", 8),
    ],
)
def test_each_call_of_the_script_is_counted_once(line: str, kind: str, count: int, tmp_path: Path, warm: Warm) -> None:
    """Adam reads its own step counter by item(), and a text of a tensor reads its number: neither is the script's."""
    marks = run(tmp_path, line, warm, costs=True).stream.marked(kind)
    assert len([m for m in marks if m.facts.get("loops", [0])]) == count


def test_the_run_ends_as_it_would_without_them(tmp_path: Path, warm: Warm) -> None:
    line = "print(f'{loss}', loss.item())"
    printed = {run(tmp_path, line, warm, **options).stdout for options in ({"costs": True}, {}, {"hooks": False})}
    assert len(printed) == 1


def test_workers_are_counted_where_they_start(tmp_path: Path, warm: Warm) -> None:
    script = tmp_path / "script.py"
    for options, started in (("num_workers=2", [2, 2]), ("num_workers=2, persistent_workers=True", [2, 0]), ("num_workers=0", [0, 0])):
        script.write_text(LOOP.replace("LINE", "pass").replace("shuffle=True", f"shuffle=True, {options}"), encoding="utf-8")
        found = record(script, Options(cwd=tmp_path), warm.launch)
        assert [m.facts.get("started", 0) for m in found.stream.marked("pass")] == started


def test_copies_tell_the_memory_and_whether_the_program_waits(tmp_path: Path, warm: Warm) -> None:
    """On the device that stands for none: a copy to it is a copy from the processor's memory."""
    script = tmp_path / "copies.py"
    copies = """
import torch
from torch.utils.data import DataLoader
from looplint.runtime.recording import hooks_costs, tape

def kept(self, *arguments):
    made.append(self)
    return original(self, *arguments)

made, original = [], tape.Tape.sample
tape.Tape.sample = kept
torch.nn.functional.cross_entropy(torch.ones(1, 2), torch.zeros(1, dtype=torch.long))
tape.Tape.sample = original
hooks_costs.install_copies(made[0])
for batch in DataLoader(torch.ones(1, 3)):
    assert batch.to("meta", non_blocking=True).device.type == "meta"
    batch.to("meta")
    batch.to("cpu")
    batch.to(torch.float64)
"""
    script.write_text(copies, encoding="utf-8")
    found = record(script, Options(cwd=tmp_path), warm.launch)
    assert found.ok, found.stderr
    assert [(m.facts["pinned"], m.facts["waits"]) for m in found.stream.marked("copy")] == [(False, False), (False, True)]


@pytest.mark.parametrize(
    ("code", "pinned", "waits"),
    [("LP002", False, False), ("LP003", True, True)],
)
def test_only_the_copies_that_a_rule_names_show_its_claim(code: str, pinned: bool, waits: bool) -> None:
    def stream(*copies: tuple[bool, bool]) -> Stream:
        return Stream(marks=tuple(Mark("copy", 0, (), {"pinned": p, "waits": w}) for p, w in copies))

    right = stream((True, False))
    measure = CLAIMS[code].measure
    assert measure(stream((pinned, waits)), right).shown
    assert not any(measure(stream(other), right).shown for other in {(True, False), (not pinned, waits)})


def test_what_only_an_accelerator_shows_is_not_said_to_have_passed() -> None:
    stored = json.loads((catalogue.folder("fixtures").parent / "docs" / "evidence" / "2.13.0-cpu.json").read_text())
    shown_there = [code for code, claim in CLAIMS.items() if claim.accelerator]
    found = {case["code"]: case["status"] for case in stored["cases"] if case["code"] in shown_there}
    assert found == dict.fromkeys(shown_there, "not run")
