"""The recorder: what it sees, what it leaves alone, and how runs end."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path

import pytest

from looplint.runtime.streams import record as recorder
from looplint.runtime.streams.record import Launch, Options, Recording, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

PROGRAMS = recorder.CHILD.parents[1] / "harness" / "programs"


class Launching:
    """How `run` starts a process: in a fork of one that has imported torch, which saves each test that time."""

    launch: Launch | None = None


@pytest.fixture(autouse=True)
def forked(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Launching, "launch", staticmethod(warm.launch))


def run(folder: Path, source: str, **options: object) -> Recording:
    script = folder / "script.py"
    script.write_text(textwrap.dedent(source))
    return record(script, Options(**options), Launching.launch)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def plain() -> Recording:
    """The program of many loops, without hooks, in a process of its own."""
    threads = {"OMP_NUM_THREADS": "1"}  # as the forks have: sums hang on it
    return record(PROGRAMS / "many_loops.py", Options(hooks=False, environment=threads))


def test_results_are_bitwise_those_of_the_same_run_without_hooks(plain: Recording) -> None:
    recorded = record(PROGRAMS / "many_loops.py", launch=Launching.launch)
    assert plain.ok, plain.stderr
    assert recorded.ok, recorded.stderr
    assert len(plain.stdout.splitlines()) == 10
    assert recorded.stdout == plain.stdout
    kinds = Counter(event.kind for event in recorded.stream.events)
    classes = {thing.kind for thing in recorded.stream.with_role("optimizer")}
    assert classes == {"Adam", "Lion", "SGD", "LBFGS", "AdamW"}
    # Four plain loops of 9 steps, 3 closures, 3 scaled, 3 compiled, 6 adversarial, 3 recomputed, 2 accumulated.
    assert kinds["step"] == 4 * 9 + 3 + 3 + 3 + 6 + 3 + 2
    assert kinds["clip"] == 4 * 9 + 3
    assert kinds["schedule"] == 9
    assert kinds["unscale"] == kinds["update"] == 3
    assert sum(bool(e.facts.get("inferred")) for e in recorded.stream.of("clear")) == 2  # `p.grad = None`, but for the last batch


def test_probes_at_every_line_change_no_result(plain: Recording) -> None:
    script = PROGRAMS / "many_loops.py"
    probed = record(script, Options(watch={str(script.resolve()): range(1, 400)}), Launching.launch)
    assert probed.ok, probed.stderr
    assert probed.stdout == plain.stdout
    assert len(probed.stream.marked("probe")) > 50
    assert len(probed.stream.marked("cast")) > 0


LOOP = """
    import torch
    from torch import nn
    from torch.nn.utils import clip_grad_norm_

    def train_epoch(net, opt):
        for i in range(3):
            opt.zero_grad()
            loss = net(torch.randn(8, 4)).pow(2).mean()
            loss.backward()
            clip_grad_norm_(net.parameters(), 0.01)
            opt.step()

    net = nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(2):
        net.train()
        train_epoch(net, opt)
        {last}
"""


def test_events_carry_their_place_iteration_and_measurements(tmp_path: Path) -> None:
    recording = run(tmp_path, LOOP.format(last="net.eval()"))
    assert recording.ok, recording.stderr
    stream = recording.stream
    assert [e.kind for e in stream.events[:7]] == ["construct", "train", "clear", "forward", "backward", "clip", "step"]
    steps = stream.of("step")
    assert [(frame.function, frame.line) for frame in steps[0].stack] == [("<module>", 18), ("train_epoch", 12)]
    assert [[(line, i) for _, line, i in e.loops] for e in steps] == [[(16, epoch), (7, i)] for epoch in range(2) for i in range(3)]
    assert steps[0].facts["lr"] == [0.1]
    assert steps[0].facts["norm"] == pytest.approx(0.01, rel=1e-3)
    assert steps[0].facts["change"] > 0
    assert stream.of("clip")[0].facts["norm"] > 0.01
    assert stream.of("backward")[0].facts["forwards"] == [stream.of("forward")[0].n]
    digests = stream.end["optimizers"][0]
    assert len(digests["start"]) == 2
    assert all(a != b for a, b in zip(digests["start"], digests["end"], strict=True))


ENDS = [
    ("raise ValueError('too late')", "crashed", "ValueError: too late"),
    ("import sys; sys.exit(3)", "exit", "sys.exit with status 3"),
    ("import os; os._exit(4)", "killed", "exit status 4"),
    ("input('name? ')", "crashed", "reads from a terminal"),
    ("import os; os.kill(os.getpid(), 11)", "killed", "SIGSEGV"),
    ("import getpass; getpass.getpass()", "crashed", "reads from a terminal"),
]


@pytest.mark.parametrize(("last", "outcome", "message"), ENDS, ids=["exception", "sys-exit", "os-exit", "terminal", "segfault", "password"])
def test_a_run_that_ends_early_keeps_what_was_recorded(tmp_path: Path, last: str, outcome: str, message: str) -> None:
    recording = run(tmp_path, LOOP.format(last=last))
    assert (recording.outcome, message in recording.message) == (outcome, True), recording.message
    if outcome != "killed":
        assert len(recording.stream.of("step")) == 3
        assert recording.stream.events[-1].kind == "step"


@pytest.mark.parametrize(("last", "outcome", "message"), ENDS[:3], ids=["exception", "sys-exit", "os-exit"])
def test_a_process_of_its_own_ends_as_a_fork_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, outcome: str, message: str
) -> None:
    monkeypatch.setattr(Launching, "launch", None)
    recording = run(tmp_path, LOOP.format(last=last))
    assert (recording.outcome, message in recording.message) == (outcome, True), recording.message
    # The last lines of standard error are shown where a script fails: they are the script's.
    assert recording.stderr.strip().splitlines()[-1:] == (["ValueError: too late"] if outcome == "crashed" else [])


def test_a_crash_names_the_line_of_the_script(tmp_path: Path) -> None:
    recording = run(tmp_path, LOOP.format(last="net(torch.randn(3, 5))"))
    assert "mat1 and mat2" in recording.message
    assert recording.result["error"]["frames"][0][1] == 19
    assert "looplint/runtime" not in recording.stderr


def test_a_hanging_script_is_ended_and_its_place_named(tmp_path: Path) -> None:
    recording = run(tmp_path, LOOP.format(last="import time; time.sleep(1000)"), seconds=5)  # from the script's start
    assert recording.outcome == "timeout"
    assert 'script.py", line 19' in recording.message
    assert len(recording.stream.of("step")) == 3


@pytest.mark.parametrize("starts", [True, False])
def test_the_time_limit_counts_from_the_scripts_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, starts: bool) -> None:
    """A process that takes long to import torch is given that time; one that never gets there is ended all the same."""
    ready, clock = tmp_path / "ready", iter([0.0, *(float(t) for t in range(1, 5000))])
    monkeypatch.setattr(recorder.time, "monotonic", lambda: next(clock))
    waits: list[float] = []

    def ended(limit: float) -> bool:
        waits.append(limit)
        if starts and len(waits) == 100:
            ready.touch()
        return limit > 1

    assert recorder.ends_in_time(ended, ready, 30.0) is starts
    assert len(waits) == (101 if starts else 299)


def test_the_step_limit_ends_the_script_and_runs_its_finally(tmp_path: Path) -> None:
    source = LOOP.format(last="pass").replace(
        "opt.step()", "try:\n                opt.step()\n            finally:\n                print('cleaned up')"
    )
    recording = run(tmp_path, source, steps=2)
    assert (recording.outcome, len(recording.stream.of("step"))) == ("step-limit", 2)
    assert recording.stdout.count("cleaned up") == 2


EPOCHS = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    data = TensorDataset(torch.randn(40, 4))
    train, valid = DataLoader(data, batch_size=4), DataLoader(data, batch_size=4)
    net = nn.Linear(4, 2)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(5):
        for (x,) in train:
            opt.zero_grad()
            net(x).pow(2).mean().backward()
            {step}
        for (x,) in valid:
            net(x)
"""


def test_epochs_end_the_script_after_their_validation_and_batches_shorten_them(tmp_path: Path) -> None:
    recording = run(tmp_path, EPOCHS.format(step="opt.step()"), epochs=2, batches=3)
    assert (recording.outcome, recording.message) == ("step-limit", "stopped after 2 epochs, as asked")
    stream = recording.stream
    assert (len(stream.of("step")), len(stream.of("forward")), len(stream.of("backward"))) == (6, 12, 6)
    assert [e.facts["filled"] for e in stream.of("backward")] == [[stream.with_role("optimizer")[0].id]] * 6
    assert stream.of("backward")[0].facts["chain"][:2] == ["MeanBackward0", "PowBackward0"]


def test_a_script_that_never_steps_is_ended_by_the_step_limit(tmp_path: Path) -> None:
    recording = run(tmp_path, EPOCHS.format(step="pass").replace("range(5)", "range(500)"), steps=2)
    assert (recording.outcome, recording.message) == ("step-limit", "stopped after 100 backwards without a step, as asked")


def test_processes_forked_from_the_script_write_nothing(tmp_path: Path) -> None:
    recording = run(tmp_path, LOOP.format(last="import os; child = os.fork(); child and os.waitpid(child, 0)"))
    assert recording.ok
    # The forked copies go through the rest of the script as well: 3 steps of the first epoch are before them.
    assert len(recording.stream.of("step")) == 6


def test_modules_run_by_name_are_the_users_code(tmp_path: Path) -> None:
    package = tmp_path / "trainer"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(textwrap.dedent(LOOP.format(last="import sys; print(sys.argv[1:])")))
    recording = record("trainer", Options(module="trainer", cwd=tmp_path, arguments=("--fast",)))
    assert recording.ok, recording.stderr
    assert "['--fast']" in recording.stdout
    assert recording.stream.of("step")[0].line == 12


@pytest.mark.parametrize("sizes", [[1], [3, 5], [4] * 8, [900, 200_000, 100_000]], ids=str)
def test_how_far_parameters_move_is_relative_to_what_they_were(sizes: list[int], tmp_path: Path) -> None:
    """Also where there is one parameter only, where there are many, and where they are large."""
    source = (
        "import torch\n"
        f"held = [torch.nn.Parameter(torch.ones(size)) for size in {sizes}]\n"
        "optimizer = torch.optim.SGD(held, lr=0.25)\n"
        "for i in range(3):\n"
        "    for p in held:\n"
        "        p.data.fill_(1.0)\n"
        "        p.grad = torch.full_like(p, 2.0)\n"
        "    optimizer.step()\n"
    )
    steps = run(tmp_path, source).stream.of("step")
    assert [e.facts["change"] for e in steps] == [pytest.approx(0.5)] * 3
    assert [e.facts["norm"] for e in steps] == [pytest.approx(2 * sum(sizes) ** 0.5)] * 3
