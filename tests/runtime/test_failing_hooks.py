"""A hook never changes what a script does: one that fails is switched off, and what a script may do that hooks do not expect."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

from looplint.runtime.streams.record import Options, Recording, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow


def run(folder: Path, warm: Warm, source: str, **options: Any) -> Recording:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(source))
    return record(script, Options(seconds=60, cwd=folder, **options), warm.launch)


def failures(recording: Recording) -> dict[str, str]:
    """The errors of the hooks that failed, by their channels."""
    return {mark.facts["channel"]: mark.facts["error"] for mark in recording.stream.marked("failed")}


# Everything that is hooked, called once at least.
EVERYTHING = """
    import sys, warnings
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
    {sabotage}

    torch.manual_seed(0)
    data = TensorDataset(torch.randn(8, 4), torch.randint(0, 3, (8,)))
    sampler = DistributedSampler(data, num_replicas=1, rank=0)
    loader = DataLoader(data, batch_size=4, sampler=sampler)
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)).to("cpu").float()
    net[0] = nn.Linear(4, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.StepLR(opt, 1)
    scaler = torch.amp.GradScaler("cpu")
    for epoch in range(2):
        sampler.set_epoch(epoch)
        net.train()
        for x, y in loader:
            opt.zero_grad()
            with torch.autocast("cpu"):
                loss = nn.functional.cross_entropy(net(x), y)
            scaler.scale(loss).backward()
            scaler.unscale_(opt)
            nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            nn.utils.clip_grad_value_(net.parameters(), 0.1)
            scaler.step(opt)
            scaler.update()
            print(f"{{loss.item():.6f}}")
        schedule.step()
    torch.cuda.empty_cache()
    torch.autograd.grad(net(x).sum(), list(net.parameters()))
    torch.save(net.state_dict(), "net.pt")
    net.load_state_dict(torch.load("net.pt", weights_only=True))
    opt.load_state_dict(opt.state_dict())
    warnings.warn("a warning", UserWarning)
    net.zero_grad()
    print([p.sum().item() for p in net.parameters()], torch.rand(1).item(), schedule.get_last_lr())
"""
SABOTAGE = {
    "": "",
    "places": "from looplint.runtime.recording import tape; tape.Tape.place = None",
    "events": "from looplint.runtime.recording import tape; tape.Tape.emit = tape.Tape.number = None",
    "stream": "from looplint.runtime.recording import tape; tape.Tape.write = None",
    "readings": "from looplint.runtime.recording import measure; vars(measure).update({n: None for n in vars(measure) if n[0] != '_'})",
}


@pytest.mark.parametrize("sabotage", SABOTAGE)
def test_a_script_ends_as_without_hooks_whatever_fails_in_them(sabotage: str, tmp_path: Path, warm: Warm) -> None:
    plain = run(tmp_path, warm, EVERYTHING.format(sabotage=""), hooks=False)
    recording = run(tmp_path, warm, EVERYTHING.format(sabotage=SABOTAGE[sabotage]), costs=True)
    assert (recording.outcome, recording.message) == ("finished", "ran to its end"), recording.stderr
    assert recording.stdout == plain.stdout
    assert (failures(recording) == {}) == (sabotage in ("", "stream"))
    if sabotage == "places":
        expected = (
            "backwards clears clips costs files forwards loaders losses modes moves optimizers parts scalers schedules seeds states steps"
        )
        assert set(failures(recording)) == set(expected.split())
        assert failures(recording)["clips"] == "TypeError: 'NoneType' object is not callable"


def test_a_hook_that_fails_leaves_the_others_and_the_step_limit_at_work(tmp_path: Path, warm: Warm) -> None:
    broken = "from looplint.runtime.recording import hooks_optim; hooks_optim.begin_step = None"
    recording = run(tmp_path, warm, EVERYTHING.format(sabotage=broken), steps=3)
    assert recording.message == "stopped after 3 steps, as asked"
    assert set(failures(recording)) == {"steps"}
    assert (len(recording.stream.of("backward")), recording.stream.of("step")) == (3, [])


def test_one_measurement_that_fails_leaves_the_event(tmp_path: Path, warm: Warm) -> None:
    broken = "from looplint.runtime.recording import measure; measure.norm = measure.live_graph = None"
    recording = run(tmp_path, warm, EVERYTHING.format(sabotage=broken))
    assert set(failures(recording)) == {"norms", "changes", "live graphs"}
    assert [e.facts["grads"] for e in recording.stream.of("step")] == [4, 4, 4, 4]


@pytest.mark.parametrize("watcher", ["raise ValueError; yield", "yield; raise ValueError", "yield 1"])
def test_a_watcher_that_fails_before_or_after_a_call_changes_nothing(watcher: str, tmp_path: Path, warm: Warm) -> None:
    source = f"""
    from looplint.runtime.recording.tape import Tape
    from looplint.runtime.recording.watching import shielded, watched

    def watcher(*args):
        {watcher}

    def hook(*args):
        raise ValueError

    tape, calls = Tape({str(tmp_path / "tape")!r}), []
    run = watched(tape, "clips", lambda x: calls.append(x) or 2 * x, watcher, "clip")
    print([run(3), run(3), calls, shielded(tape, "costs", hook)(1), tape.local.busy, tape.local.inside])
    try:
        watched(tape, "steps", lambda: 1 / 0, watcher, "step")()
    except ZeroDivisionError:
        print(sorted(tape.failed), tape.local.inside)
    """
    recording = run(tmp_path, warm, source, hooks=False)
    assert recording.stdout.splitlines() == ["[6, 6, [3, 3], None, 0, set()]", "['clips', 'costs', 'steps'] set()"], recording.stderr


PROBES = {
    "an optimizer with an empty first group": """
        import torch
        from torch import nn
        net = nn.Linear(4, 2)
        opt = torch.optim.SGD([{"params": []}, {"params": list(net.parameters())}], lr=0.1)
        for i in range(3):
            opt.zero_grad()
            net(torch.ones(8, 4)).pow(2).mean().backward()
            opt.step()
        print(net.weight.sum().item())
        """,
    "losses under vmap": """
        import torch
        from torch import nn
        from torch.func import functional_call, grad, vmap
        torch.manual_seed(0)
        net = nn.Linear(4, 3)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        def loss(params, x, y):
            return nn.functional.cross_entropy(functional_call(net, params, (x[None],)), y[None])
        for i in range(3):
            params = {k: v.detach() for k, v in net.named_parameters()}
            each = vmap(grad(loss), (None, 0, 0))(params, torch.ones(8, 4), torch.zeros(8, dtype=torch.long))
            for name, p in net.named_parameters():
                p.grad = each[name].mean(0)
            opt.step()
        print(net.weight.sum().item())
        """,
    "backward with its tensors by keyword": """
        import torch
        from torch import nn
        net = nn.Linear(4, 2)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for i in range(3):
            opt.zero_grad()
            torch.autograd.backward(tensors=[net(torch.ones(8, 4)).pow(2).mean()])
            opt.step()
        print(net.weight.sum().item())
        """,
    "a proxy of something that has ended when the seed is set": """
        import torch, weakref
        from torch import nn
        class Owner:
            pass
        owner = Owner()
        proxy = weakref.proxy(owner)
        del owner
        torch.manual_seed(1)
        net = nn.Linear(4, 2)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for i in range(3):
            opt.zero_grad()
            net(torch.ones(8, 4)).pow(2).mean().backward()
            opt.step()
        print(net.weight.sum().item())
        """,
    "annotations that are values": """
        import torch
        from torch import nn
        def typed(x: int) -> float: ...
        print(typed.__annotations__)
        net = nn.Linear(4, 2)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for i in range(3):
            opt.zero_grad()
            net(torch.ones(8, 4)).pow(2).mean().backward()
            opt.step()
        """,
    "parameters of a class that allows only its own functions": """
        import torch
        from torch import nn
        class Guarded(torch.Tensor):
            strict = False
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                name = getattr(function, "__name__", "")
                if cls.strict and ("norm" in name or name in ("detach", "clone", "any", "numel")):
                    raise RuntimeError(f"{name} is not for you")
                return super().__torch_function__(function, types, args, kwargs or {})
        net = nn.Linear(4, 2)
        net.weight = nn.Parameter(net.weight.detach().as_subclass(Guarded))
        Guarded.strict = True
        opt = torch.optim.SGD([net.weight], lr=0.1, foreach=False)
        for i in range(3):
            net(torch.ones(8, 4)).pow(2).mean().backward()
            opt.step()
        print(type(net.weight).__name__)
        """,
    "parameters whose class keeps the values in another way": """
        import torch
        from torch import nn
        class Packed(torch.Tensor):
            @staticmethod
            def __new__(cls, inner):
                return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype, requires_grad=inner.requires_grad)
            def __init__(self, inner):
                self.inner = inner
            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
                from torch.utils._pytree import tree_map
                name = function.__name__
                if "norm" in name or "clone" in name or "_local_scalar" in name:
                    raise RuntimeError(f"{name} is not for you")
                opened = tree_map(lambda t: t.inner if isinstance(t, Packed) else t, (args, kwargs or {}))
                result = function(*opened[0], **opened[1])
                if name.startswith(("add_", "mul_", "zero_")):
                    return args[0]
                return Packed(result) if name.startswith(("detach", "alias")) else result
        weight = nn.Parameter(Packed(torch.ones(2, 4)))
        opt = torch.optim.SGD([weight], lr=0.1, foreach=False)
        for i in range(3):
            nn.functional.linear(torch.ones(8, 4), weight).pow(2).mean().backward()
            opt.step()
            opt.zero_grad()
        print(weight.inner.sum().item())
        """,
}


@pytest.mark.parametrize("probe", PROBES)
def test_a_script_that_runs_without_the_recorder_runs_with_it(probe: str, tmp_path: Path, warm: Warm) -> None:
    plain, recording = (run(tmp_path, warm, PROBES[probe], hooks=hooks) for hooks in (False, True))
    assert plain.ok, plain.stderr
    assert recording.ok, recording.stderr
    assert recording.stdout == plain.stdout
    assert failures(recording) == {}
    assert len(recording.stream.of("step")) == 3


def test_a_backward_by_keyword_is_recorded(tmp_path: Path, warm: Warm) -> None:
    stream = run(tmp_path, warm, PROBES["backward with its tensors by keyword"]).stream
    (optimizer,) = stream.with_role("optimizer")
    assert [(e.facts["filled"], len(e.facts["forwards"])) for e in stream.of("backward")] == [([optimizer.id], 1)] * 3
    assert "loss" in stream.of("backward")[0].facts


def test_nothing_is_read_while_a_graph_of_the_device_is_captured(tmp_path: Path, warm: Warm) -> None:
    """Each read of a tensor would wait for the device, which breaks a capture; here the processor stands in for it."""
    source = """
    import torch
    from torch import nn
    net = nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    reads, read = [], torch.Tensor.__float__
    torch.cuda.is_initialized = lambda: True
    for capturing in (False, True):
        torch.cuda.is_current_stream_capturing = lambda: capturing
        opt.zero_grad()
        net(torch.ones(8, 4)).pow(2).mean().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    """
    stream = run(tmp_path, warm, source).stream
    assert [e.kind for e in stream.events] == ["construct", "clear", "forward", "backward", "clip", "step"]


# Two processes with sharded parameters, of which the first alone is recorded: what would take both makes it hang.
SHARDED = """
    import os, socket, torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.fsdp import fully_shard
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    rank = int(os.fork() == 0)
    dist.init_process_group("gloo", init_method=f"tcp://localhost:{port}", rank=rank, world_size=2)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    fully_shard(net)
    opt = torch.optim.AdamW(net.parameters(), lr=0.1)
    for i in range(4):
        opt.zero_grad()
        loss = net(torch.full((8, 4), 1.0 + rank)).pow(2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
    state = net.state_dict()
    net.load_state_dict(state)
    # One write, line break and all: both processes print.
    print(f"{[p.to_local().sum().item() for p in net.parameters()]}\\n", end="", flush=True)
    dist.destroy_process_group()
    if rank:
        os._exit(0)
    os.wait()
"""


def test_sharded_parameters_are_read_without_the_other_processes(tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, SHARDED)
    assert recording.ok, recording.message + recording.stderr
    assert failures(recording) == {}
    steps = recording.stream.of("step")
    assert [(e.facts["grads"], e.facts["norm"] > 0, e.facts["change"] > 0) for e in steps] == [(4, True, True)] * 4
    assert sorted(recording.stdout.splitlines()) == sorted(run(tmp_path, warm, SHARDED, hooks=False).stdout.splitlines())


LETS_GO = """
    import gc, weakref, torch
    from torch import nn
    from torch.utils.data import DataLoader
    def train(steps):
        net = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1), nn.Linear(8, 2))
        opt = torch.optim.{optimizer}(net.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(opt, 1)
        for x in DataLoader(torch.ones(4 * steps, 4), batch_size=4):
            opt.zero_grad()
            loss = net(x).pow(2).mean()
            loss.backward()
            opt.step()
        schedule.step()
        return [weakref.ref(thing) for thing in (net, net[0], net[2].weight, net[2].weight.grad, opt, schedule, loss)]
    for i in range(6):
        refs = train(3)
        gc.collect()
        print([ref() is not None for ref in refs])
"""


@pytest.mark.parametrize("optimizer", ["SGD", "AdamW"])
def test_what_the_script_lets_go_is_freed(optimizer: str, tmp_path: Path, warm: Warm) -> None:
    recording = run(tmp_path, warm, LETS_GO.format(optimizer=optimizer))
    assert recording.stdout.splitlines() == [str([False] * 7)] * 6, recording.stderr
    assert failures(recording) == {}
    # The values that it ended with were read in that moment: those of the last four.
    ends = recording.stream.end["optimizers"]
    assert [(len(o["start"]), len(o["end"]), o["start"] != o["end"]) for o in ends] == [(4, 4, True)] * 4
    assert [set(m["tensors"]) for m in recording.stream.end["modules"]] == [{"0.weight", "0.bias", "2.weight", "2.bias"}] * 4
    assert [list(m["tensors"].values()) for m in recording.stream.end["modules"]] == [o["end"] for o in ends]


def test_the_memory_of_the_recorder_is_not_the_scripts(tmp_path: Path, warm: Warm) -> None:
    """The copies that a change is measured with are gone before memory is."""
    source = """
    import torch, weakref
    from looplint.runtime.recording import measure
    copies, memory, living = measure.copies, measure.memory, []
    def copied(parameters):
        made = copies(parameters)
        living.extend(weakref.ref(copy.values) for copy in made)
        return made
    def measured(own=0):
        print(len(living), sum(ref() is not None for ref in living), own >= 0)
        return memory(own)
    measure.copies, measure.memory = copied, measured
    weight = torch.nn.Parameter(torch.ones(4))
    opt = torch.optim.SGD([weight], lr=0.1)
    weight.sum().backward()
    opt.step()
    """
    recording = run(tmp_path, warm, source)
    assert recording.stdout.splitlines()[0] == "1 0 True", recording.stderr
