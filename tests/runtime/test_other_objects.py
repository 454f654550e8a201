"""A verdict rests on what the finding's own object did: where a script has two of one kind, the other one neither confirms nor refutes it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from looplint.finding import Finding, Location
from looplint.runtime.evidence.joining import CONFIRMED, join, need_costs, watched
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

HEAD = """\
import copy, os, tempfile, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
torch.manual_seed(0)
x = torch.ones(8, 4)
a, b = nn.Linear(4, 1), nn.Linear(4, 1)
opt_a = torch.optim.SGD(a.parameters(), lr=0.1)
opt_b = torch.optim.SGD(b.parameters(), lr=0.1)
data = TensorDataset(torch.randn(16, 4))
path = os.path.join(tempfile.mkdtemp(), "state.pt")
one_rank = {"num_replicas": 1, "rank": 0}
"""
# By what the finding's own object does there, or does not: the code, whether the run confirms it, refutes it, or leaves it open, and the script. The finding
# stands at the line that ends in `# here`.
OTHERS = {
    "the other sampler is told its epoch": ("LL903", "confirmed", """
        one = DataLoader(data, 4, sampler=DistributedSampler(data, **one_rank))
        mine = DistributedSampler(data, **one_rank)  # here
        two = DataLoader(data, 4, sampler=mine)
        for epoch in range(3):
            one.sampler.set_epoch(epoch)
            for loader in (one, two):
                for (x,) in loader:
                    opt_a.zero_grad()
                    a(x).pow(2).mean().backward()
                    opt_a.step()
    """),
    "the other sampler is never told": ("LL903", "refuted", """
        mine = DistributedSampler(data, **one_rank)  # here
        one, two = DataLoader(data, 4, sampler=mine), DataLoader(data, 4, sampler=DistributedSampler(data, **one_rank))
        for epoch in range(3):
            mine.set_epoch(epoch)
            for loader in (one, two):
                for (x,) in loader:
                    opt_a.zero_grad()
                    a(x).pow(2).mean().backward()
                    opt_a.step()
    """),
    "the other sampler has had two epochs": ("LL903", "open", """
        mine = DistributedSampler(data, **one_rank)  # here
        one, two = DataLoader(data, 4, sampler=mine), DataLoader(data, 4, sampler=DistributedSampler(data, **one_rank))
        for epoch in range(3):
            two.sampler.set_epoch(epoch)
            for (x,) in two:
                a(x).pow(2).mean().backward()
                opt_a.step()
        for (x,) in one:
            a(x)
    """),
    "the optimizer that is never cleared has not stepped twice yet": ("LL102", "open", """
        for i in range(6):
            opt_a.zero_grad()
            (a(x) + b(x)).pow(2).mean().backward()  # here
            opt_a.step()
            if i > 10:
                opt_b.step()
    """),
    "both are cleared": ("LL102", "refuted", """
        for i in range(6):
            opt_a.zero_grad()
            opt_b.zero_grad()
            (a(x) + b(x)).pow(2).mean().backward()  # here
            opt_a.step()
            opt_b.step()
    """),
    "the optimizer that never steps gets gradients later on": ("LL106", "open", """
        for i in range(6):
            opt_a.zero_grad()
            loss = a(x) if i < 10 else a(x) + b(x)
            loss.pow(2).mean().backward()  # here
            opt_a.step()
    """),
    "the optimizer that accumulates has not stepped yet": ("LL108", "open", """
        for i in range(6):
            opt_a.zero_grad()
            (a(x) + b(x)).pow(2).mean().backward()  # here
            opt_a.step()
            if i % 8 == 7:
                opt_b.step()
                opt_b.zero_grad()
    """),
    "a second backward comes through a graph without modules": ("LL110", "not confirmed", """
        w = nn.Parameter(torch.ones(4))
        free = torch.optim.SGD([w], lr=0.1)
        for i in range(4):
            free.zero_grad()
            out = (w * x).sum()
            out.backward(retain_graph=True)  # here
            (2 * out).backward()
            free.step()
    """),
    "another optimizer steps after the last batches": ("LL111", "confirmed", """
        for i in range(7):
            (a(x).pow(2).mean() / 4).backward()
            if i % 4 == 3:
                opt_a.step()  # here
                opt_a.zero_grad()
        for i in range(4):
            opt_b.zero_grad()
            b(x).pow(2).mean().backward()
            opt_b.step()
    """),
    "a model without an optimizer has the last backwards": ("LL111", "refuted", """
        for i in range(8):
            (a(x).pow(2).mean() / 4).backward()
            if i % 4 == 3:
                opt_a.step()  # here
                opt_a.zero_grad()
        nn.Linear(4, 1)(x).sum().backward()
    """),
    "the scheduler of this run needs no metric": ("LL204", "open", """
        schedule = torch.optim.lr_scheduler.StepLR(opt_a, 1)
        for i in range(4):
            opt_a.zero_grad()
            a(x).pow(2).mean().backward()
            opt_a.step()
            schedule.step()  # here
    """),
    "the other loader has had its epochs": ("LL205", "open", """
        schedule = torch.optim.lr_scheduler.StepLR(opt_b, 1)  # here
        first, second = DataLoader(data, 4), DataLoader(data, 4)
        for net, opt, loader, epochs in ((a, opt_a, first, 3), (b, opt_b, second, 1)):
            for epoch in range(epochs):
                for (x,) in loader:
                    opt.zero_grad()
                    net(x).pow(2).mean().backward()
                    opt.step()
                    if opt is opt_b:
                        raise KeyboardInterrupt  # the run is cut here
                if opt is opt_b:
                    schedule.step()
    """),
    "only both models together make as many backwards as the schedule has steps": ("LL207", "not confirmed", """
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt_a, T_max=40)
        for i in range(20):
            for net, opt in ((a, opt_a), (b, opt_b)):
                opt.zero_grad()
                net(x).pow(2).mean().backward()
                opt.step()
            schedule.step()  # here
    """),
    "a schedule falls short beside another model": ("LL207", "confirmed", """
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt_a, T_max=20)
        for i in range(20):
            for net, opt in ((a, opt_a), (b, opt_b), (b, opt_b)):
                opt.zero_grad()
                net(x).pow(2).mean().backward()
                opt.step()
            if i % 4 == 0:
                schedule.step()  # here
    """),
    "a tensor is read in each batch of the shorter of two trainings": ("LP004", "confirmed", """
        for net, opt, passes in ((a, opt_a, 1), (b, opt_b, 6)):
            for epoch in range(passes):
                for (x,) in DataLoader(data, 4):
                    opt.zero_grad()
                    loss = net(x).pow(2).mean()
                    loss.backward()
                    opt.step()
                    if net is a:
                        loss.item()  # here
    """),
    "the other model has no batch norm and steps more often": ("LP009", "confirmed", """
        a = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        opt_a = torch.optim.SGD(a.parameters(), lr=0.1)
        for i in range(16):
            a(x).pow(2).mean().backward()
            if i % 4 == 3:
                opt_a.step()  # here
                opt_a.zero_grad()
            for j in range(3):
                opt_b.zero_grad()
                b(x).pow(2).mean().backward()
                opt_b.step()
    """),
    "the batch norm is in the model that does not accumulate": ("LP009", "not confirmed", """
        b = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
        opt_b = torch.optim.SGD(b.parameters(), lr=0.1)
        for i in range(16):
            a(x).pow(2).mean().backward()
            if i % 4 == 3:
                opt_a.step()  # here
                opt_a.zero_grad()
        for i in range(4):
            opt_b.zero_grad()
            b(x).pow(2).mean().backward()
            opt_b.step()
    """),
    "only the optimizer of the other model steps after a move": ("LL501", "open", """
        b.double()  # here
        for i in range(4):
            opt_a.zero_grad()
            a(x).pow(2).mean().backward()
            opt_a.step()
    """),
    "the other optimizer holds parameters that no module has": ("LL501", "refuted", """
        lost = torch.optim.SGD([*a.parameters(), *nn.Linear(4, 1).parameters()], lr=0.1)
        b.double()  # here
        for i in range(4):
            lost.zero_grad()
            opt_b.zero_grad()
            (a(x).pow(2).mean() + b(x.double()).pow(2).mean()).backward()
            lost.step()
            opt_b.step()
    """),
    "the parameters without an optimizer are others": ("LL502", "refuted", """
        a.weight = nn.Parameter(torch.ones(1, 4))  # here
        opt_a.add_param_group({"params": [a.weight]})
        frozen = nn.Linear(1, 1)
        for i in range(4):
            opt_a.zero_grad()
            frozen(a(x)).pow(2).mean().backward()
            opt_a.step()
    """),
    "the new parameters have had no gradients yet": ("LL502", "open", """
        a.weight = nn.Parameter(torch.ones(1, 4))  # here
        for i in range(4):
            opt_b.zero_grad()
            b(x).pow(2).mean().backward()
            opt_b.step()
    """),
    "the loss without a graph is the other model's": ("LL507", "open", """
        for i in range(4):
            b(x).detach().pow(2).mean().backward()
            opt_a.step()  # here
    """),
    "the scaler of the other model was not updated": ("LL602", "not confirmed", """
        first, second = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu")
        for i in range(4):
            opt_a.zero_grad()
            opt_b.zero_grad()
            first.scale(a(x).pow(2).mean()).backward()
            second.scale(b(x).pow(2).mean()).backward()
            first.step(opt_a)  # here
            if i:
                second.step(opt_b)
            first.update()
            if not i:
                second.step(opt_b)
    """),
    "the scaler that the run ends with was updated in each batch": ("LL602", "refuted", """
        first, second = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu")
        for i in range(4):
            opt_a.zero_grad()
            opt_b.zero_grad()
            first.scale(a(x).pow(2).mean()).backward()
            second.scale(b(x).pow(2).mean()).backward()
            first.step(opt_a)  # here
            second.step(opt_b)
            first.update()
    """),
    "the optimizer of the other model begins without a state": ("LL802", "refuted", """
        kept = opt_a.state_dict()
        a.load_state_dict(a.state_dict())  # here
        opt_a.load_state_dict(kept)
        for i in range(4):
            opt_a.zero_grad()
            opt_b.zero_grad()
            (a(x) + b(x)).pow(2).mean().backward()
            opt_a.step()
            opt_b.step()
    """),
    "an optimizer that is built after the restoring begins without a state": ("LL802", "confirmed", """
        b.load_state_dict(b.state_dict())  # here
        late = torch.optim.SGD(b.parameters(), lr=0.1)
        for i in range(4):
            late.zero_grad()
            b(x).pow(2).mean().backward()
            late.step()
    """),
    "another state is restored, from a file": ("LL801", "open", """
        torch.save(a.state_dict(), path)
        best = a.state_dict()  # here
        for i in range(4):
            opt_a.zero_grad()
            a(x).pow(2).mean().backward()
            opt_a.step()
        a.load_state_dict(torch.load(path))
    """),
    "the state that is given back comes from a file": ("LL804", "not refuted", """
        torch.save({"model": a.state_dict()}, path)
        best = copy.deepcopy(a.state_dict())  # here
        for i in range(4):
            opt_a.zero_grad()
            a(x).pow(2).mean().backward()
            opt_a.step()
        a.load_state_dict(torch.load(path)["model"])
    """),
}  # fmt: skip
OPEN = ("not reached", "not measured")
ALLOWED: dict[str, tuple[str, ...]] = {
    "confirmed": tuple(CONFIRMED),
    "refuted": ("refuted",),
    "open": OPEN,
    "not confirmed": ("refuted", *OPEN),
    "not refuted": (*CONFIRMED, *OPEN),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_another_object_does_is_no_verdict(case: str, tmp_path: Path, warm: Warm) -> None:
    code, expected, source = OTHERS[case]
    script = tmp_path / "train.py"
    script.write_text(HEAD + dedent(source))
    row = next(number for number, line in enumerate(script.read_text().splitlines(), 1) if line.endswith("# here"))
    found = Finding(code, "name", "message", str(script), Location(row, 1), Location(row, 2))
    recording = record(script, Options(watch=watched([found]), costs=need_costs([found]), seconds=60), warm.launch)
    (joined,) = join([found], recording.stream, {})
    assert joined.verdict in ALLOWED[expected], (joined.verdict, joined.text, recording.message)
