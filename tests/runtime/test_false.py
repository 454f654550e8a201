"""What a run must not say: verdicts on correct programs, and two that contradict each other."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from looplint.finding import Finding, Location
from looplint.runtime.evidence.joining import join, witnesses
from looplint.runtime.streams.record import Options, Recording, record
from looplint.runtime.streams.stream import Stream
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow


def run(folder: Path, warm: Warm, source: str, **options: Any) -> Recording:
    script = folder / "train.py"
    script.write_text(textwrap.dedent(source))
    return record(script, Options(seconds=60, **options), warm.launch)


def alone(stream: Stream) -> set[str]:
    """The rules that the run would report by itself."""
    return {w.code for w in witnesses(stream) if w.alone}


BUILD = """
    import sys, torch
    from torch import nn
    from torch.utils.data import DataLoader
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    train, other = DataLoader(torch.ones(24, 4), batch_size=4), DataLoader(torch.ones(8, 4), batch_size=4)
    def epoch(model, optimizer):
        for x in train:
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
"""
CORRECT = {
    "gradients cleared through their data": BUILD
    + """
    for i in range(6):
        for p in net.parameters():
            if p.grad is not None:
                p.grad.data.zero_()
        net(torch.ones(8, 4)).pow(2).mean().backward()
        optimizer.step()
    """,
    "linear probing": BUILD
    + """
    epoch(net, optimizer)
    net.eval()
    for p in net[:3].parameters():
        p.requires_grad_(False)
    head = torch.optim.SGD(net[3].parameters(), lr=0.1)
    epoch(net, head)
    """,
    "statistics of batch norm gathered anew": BUILD
    + """
    epoch(net, optimizer)
    torch.optim.swa_utils.update_bn(other, net)
    """,
    "a closure that its step evaluates several times": BUILD
    + """
    head = nn.Linear(4, 1)
    optimizer = torch.optim.LBFGS(head.parameters(), max_iter=4)
    for i in range(5):
        def closure():
            optimizer.zero_grad()
            loss = head(torch.ones(8, 4)).pow(2).mean()
            loss.backward()
            return loss
        optimizer.step(closure)
    """,
    "a validation loss of a model that gives losses in train mode only": BUILD
    + """
    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net
        def forward(self, x):
            found = self.net(x)
            if not self.training:
                return found
            return found.pow(2).mean()
    model = Detector()
    for i in range(2):
        for x in train:
            optimizer.zero_grad()
            model(x).backward()
            optimizer.step()
        with torch.no_grad():
            print(sum(model(x) for x in other))
    """,
    "a schedule that is wound forward to the epoch at which the training goes on": BUILD
    + """
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for i in range(3):
        schedule.step()
    epoch(net, optimizer)
    schedule.step()
    """,
    "a schedule that is wound forward by one epoch, after a checkpoint": BUILD
    + """
    optimizer.load_state_dict(optimizer.state_dict())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    schedule.step()
    epoch(net, optimizer)
    schedule.step()
    """,
    "a scheduler that steps and a script that ends by sys.exit": BUILD
    + """
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    epoch(net, optimizer)
    schedule.step()
    sys.exit(0)
    """,
}


# What happens there, and is not reported: only a finding of the linter at the place would make it one.
MAY_SHOW = {"a validation loss of a model that gives losses in train mode only": {"LL302"}}


@pytest.mark.parametrize("case", CORRECT)
def test_a_correct_script_is_not_reported(case: str, tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, CORRECT[case])
    assert recording.ok, recording.stderr
    assert alone(recording.stream) == set()
    bad = {w.code for w in witnesses(recording.stream) if w.bad}
    assert not bad & ({"LL102", "LL301", "LL304", "LL302", "LL205"} - MAY_SHOW.get(case, set())), bad


def test_a_scheduler_that_never_steps_is_seen_in_a_script_that_ends_by_sys_exit(tmp_path: Path, warm: Warm) -> None:
    source = CORRECT["a scheduler that steps and a script that ends by sys.exit"].replace("    schedule.step()\n", "")
    assert "LL205" in {w.code for w in witnesses(run(tmp_path, warm, source).stream) if w.bad}


def test_eval_mode_that_stays_on_is_told_once(tmp_path: Path, warm: Warm) -> None:
    source = BUILD + "    epoch(net, optimizer)\n    net.eval()\n    epoch(net, optimizer)\n"
    stream = run(tmp_path, warm, source).stream
    assert alone(stream) == {"LL301"}
    script = tmp_path / "train.py"
    row = next(n for n, text in enumerate(script.read_text().splitlines(), 1) if "model(x)" in text)
    finding = Finding("LL304", "missing-train-mode", "message", str(script), Location(row, 1), Location(row, 2))
    assert [(j.code, j.verdict) for j in join([finding], stream, {"LL301": "a", "LL304": "b"})] == [("LL304", "happens")]


def test_gradients_that_another_optimizer_is_cleared_instead_of_refute_nothing(tmp_path: Path, warm: Warm) -> None:
    source = """
    import torch
    from torch import nn
    one, two = nn.Linear(4, 1), nn.Linear(4, 1)
    a, b = (torch.optim.SGD(net.parameters(), lr=0.1) for net in (one, two))
    for i in range(6):
        a.zero_grad()
        one(torch.ones(8, 4)).pow(2).mean().backward()
        a.step()
        a.zero_grad()
        two(torch.randn(8, 4)).pow(2).mean().backward()
        b.step()
    """
    stream = run(tmp_path, warm, source).stream
    script = tmp_path / "train.py"
    lines = script.read_text().splitlines()
    findings = [
        Finding(code, "name", "message", str(script), Location(row, 1), Location(row, 2))
        for code, text in (("LL109", "b.step()"), ("LL102", "two(torch"))
        for row in [next(n for n, line in enumerate(lines, 1) if text in line)]
    ]
    verdicts = {j.code: j.verdict for j in join(findings, stream, {})}
    assert verdicts == {"LL109": "does harm", "LL102": "not reached"}


@pytest.mark.parametrize("given", ["state", "state_dict=state"])
def test_a_state_given_by_keyword_is_the_modules_own_storage_too(given: str, tmp_path: Path, warm: Warm) -> None:
    source = f"""
    import torch
    from torch import nn
    net = nn.Linear(4, 1)
    state = net.state_dict()
    net.load_state_dict({given})
    """
    (load,) = run(tmp_path, warm, source).stream.of("load")
    assert (load.facts["tensors"], load.facts["shared"]) == (2, 2)


FUSED = """
    import torch
    from torch import nn
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1, fused={fused})
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for i in range(4):
        optimizer.zero_grad()
        loss = net(torch.ones(8, 4)).pow(2).mean() * (float("inf") if i == 2 else 1.0)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    """


def test_the_norm_before_a_fused_step_is_that_of_the_unscaled_gradients_and_a_skipped_step_is_not_taken(tmp_path: Path, warm: Warm) -> None:
    plain, fused = (run(tmp_path, warm, FUSED.format(fused=fused)).stream.of("step") for fused in (False, True))
    assert [bool(e.facts.get("skipped")) for e in plain] == [bool(e.facts.get("skipped")) for e in fused] == [False, False, True, False]
    for one, other in zip(plain, fused, strict=True):
        if not one.facts.get("skipped"):
            assert other.facts["norm"] == pytest.approx(one.facts["norm"], rel=1e-3)


def test_the_sentence_that_refutes_a_step_before_its_backward_says_so(tmp_path: Path, warm: Warm) -> None:
    stream = run(tmp_path, warm, BUILD + "    epoch(net, optimizer)\n").stream
    assert [w.text for w in witnesses(stream) if w.code == "LL105"] == [
        "0 of 6 steps here found no gradients because their backward came later"
    ]


def test_gradients_that_are_zeros_of_themselves_were_not_cleared(tmp_path: Path, warm: Warm) -> None:
    source = """
    import torch
    weight = torch.nn.Parameter(torch.zeros(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for i in range(4):
        (0 * weight).sum().backward()
        optimizer.step()
    """
    assert run(tmp_path, warm, source).stream.of("clear") == []
