"""The reference loop: a correct training loop that learns three interleaved spirals, and the same loop with one thing misplaced at a time.

The misplacements are edits of its text, so that nothing else differs; each is run under the recorder and compared with the correct loop.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from looplint.errors import UserError
from looplint.runtime.evidence.claims import measure
from looplint.runtime.evidence.signals import Signal
from looplint.runtime.streams.record import Launch, Options, Recording, record

LEARNED = 0.95  # the accuracy that the correct loop must come to

SOURCE = '''"""Learns to tell three spiral arms apart."""

import json

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 60


def spiral(count, seed):
    generator = torch.Generator().manual_seed(seed)
    radius = torch.linspace(0.05, 1.0, count).repeat(3)
    arm = torch.arange(3).repeat_interleave(count)
    angle = 4.2 * radius + arm * (2 * torch.pi / 3) + 0.12 * torch.randn(3 * count, generator=generator)
    return TensorDataset(torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), arm)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(spiral(200, 1), batch_size=50, shuffle=True)
    val_loader = DataLoader(spiral(100, 2), batch_size=100)
    model = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    criterion = nn.CrossEntropyLoss()
    history = []
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            optimizer.step()
            total += loss.item()
        scheduler.step()
        model.eval()
        right, val_loss = 0, 0.0
        with torch.no_grad():
            for x, y in val_loader:
                x, y = x.to(device), y.to(device)
                output = model(x)
                val_loss += criterion(output, y).item()
                right += (output.argmax(1) == y).sum().item()
        history.append({"train_loss": float(total) / len(train_loader), "val_loss": val_loss / len(val_loader), "accuracy": right / 300})
    print(json.dumps(history))


main()
'''


@dataclass(frozen=True, slots=True)
class Variant:
    """One misplacement: the rule that reports it, what is misplaced, and the edits that misplace it."""

    code: str
    title: str
    edits: tuple[tuple[str, str], ...]
    # The edits of the correct loop to compare with, where that is not the loop as it stands.
    right: tuple[tuple[str, str], ...] = ()
    harmless: str = ""  # why the claim does not show here, where it does not


_CLEAR = "            optimizer.zero_grad()\n"
_FORWARD = "            loss = criterion(model(x), y)\n"
_BACKWARD = "            loss.backward()\n"
_CLIP = "            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)\n"
_STEP = "            optimizer.step()\n"
_MOVE = "    model.to(device)\n"
_OPTIMIZER = "    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)\n"

_IN_PLACE = "a plain move changes parameters in place: the optimizer goes on working"

# The schedule that LL202 misplaces, rightly placed.
ONE_CYCLE = (
    (
        "lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)",
        "lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=EPOCHS * len(train_loader))",
    ),
    ("        scheduler.step()\n", ""),
    (_STEP, _STEP + "            scheduler.step()\n"),
)
# Gradients of four batches for each step.
ACCUMULATION = (
    ("        for x, y in train_loader:\n            x, y", "        for i, (x, y) in enumerate(train_loader):\n            x, y"),
    (_CLEAR, ""),
    (_CLIP + _STEP, f"            if (i + 1) % 4 == 0:\n    {_CLIP}    {_STEP}    {_CLEAR}"),
)

VARIANTS: tuple[Variant, ...] = (
    Variant("LL101", "zero_grad after backward", ((_CLEAR, ""), (_BACKWARD, _BACKWARD + _CLEAR))),
    Variant("LL102", "no zero_grad", ((_CLEAR, ""),)),
    Variant("LL103", "clipping before backward", ((_CLIP, ""), (_BACKWARD, _CLIP + _BACKWARD))),
    Variant("LL104", "clipping after step", ((_CLIP, ""), (_STEP, _STEP + _CLIP))),
    Variant("LL105", "step before backward", ((_STEP, ""), (_BACKWARD, _STEP + _BACKWARD))),
    Variant("LL106", "no step", ((_STEP, ""),)),
    Variant("LL107", "no backward", ((_BACKWARD, ""),)),
    Variant("LL108", "accumulation over 4 batches, loss not divided", ACCUMULATION, (*ACCUMULATION, (_BACKWARD, "            (loss / 4).backward()\n"))),
    Variant("LL110", "retain_graph on every backward", ((_BACKWARD, "            loss.backward(retain_graph=True)\n"),)),
    Variant("LL201", "scheduler in the batch loop", (("        scheduler.step()\n", ""), (_STEP, _STEP + "            scheduler.step()\n"))),
    Variant("LL202", "OneCycleLR once an epoch", ONE_CYCLE[:1], ONE_CYCLE),
    Variant("LL203", "scheduler before optimizer", (("        scheduler.step()\n", ""), ("        total = 0.0\n", "        total = 0.0\n        scheduler.step()\n"))),
    Variant("LL204", "ReduceLROnPlateau without its metric", (
        ("lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)", "lr_scheduler.ReduceLROnPlateau(optimizer)"),
    )),
    Variant("LL205", "scheduler never stepped", (("        scheduler.step()\n", ""),)),
    Variant("LL301", "train() only before the epochs", (("        model.train()\n", ""), ("    history = []\n", "    history = []\n    model.train()\n"))),
    Variant("LL302", "no eval() before validation", (("        model.eval()\n", ""),)),
    Variant("LL303", "no no_grad() around validation", (("        with torch.no_grad():\n", "        if True:\n"),)),
    Variant("LL401", "losses kept with their graphs", (("            total += loss.item()\n", "            kept.append(loss)\n"), ("        total = 0.0\n", "        total, kept = 0.0, []\n"))),
    Variant("LL402", "losses summed with their graphs", (("total += loss.item()", "total += loss"),)),
    Variant("LL501", "model moved after the optimizer was built", ((_MOVE, ""), (_OPTIMIZER, _OPTIMIZER + _MOVE)), harmless=_IN_PLACE),
    Variant("LL502", "head replaced after the optimizer was built", ((_OPTIMIZER, _OPTIMIZER + "    model[5] = nn.Linear(64, 3).to(device)\n"),)),
)  # fmt: skip


def edited(edits: Sequence[tuple[str, str]], source: str = SOURCE) -> str:
    """The loop's text with some of it replaced; each old text must stand in it once."""
    for old, new in edits:
        if source.count(old) != 1:
            raise ValueError(f"{old!r} stands {source.count(old)} times in the reference loop")
        source = source.replace(old, new)
    return source


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run of the loop: its recording, and the history that it printed."""

    title: str
    recording: Recording
    history: tuple[dict[str, float], ...]

    @property
    def accuracy(self) -> float | None:
        return self.history[-1]["accuracy"] if self.history else None


def run(
    edits: Sequence[tuple[str, str]] = (), title: str = "correct", options: Options | None = None, launch: Launch | None = None
) -> Outcome:
    """Runs the loop with some edits under the recorder."""
    with tempfile.TemporaryDirectory(prefix="looplint-") as folder:
        script = Path(folder, "spiral.py")
        script.write_text(edited(edits), encoding="utf-8")
        recording = record(script, options, launch)
    lines = recording.stdout.strip().splitlines()
    history: list[dict[str, Any]] = json.loads(lines[-1]) if recording.ok and lines else []
    return Outcome(title, recording, tuple(history))


@dataclass(frozen=True, slots=True)
class Comparison:
    """A variant beside the correct loop, with its rule's signal on both."""

    variant: Variant
    broken: Outcome
    right: Outcome
    shown: Signal | None
    clean: Signal | None


def compare(options: Options | None = None, launch: Launch | None = None, jobs: int = 1) -> Iterator[Comparison]:
    """Runs every variant, and the correct loops that they are compared with; `launch` is used by as many threads as there are jobs."""
    rights = {variant.right: run(variant.right, "correct", options, launch) for variant in {v.right: v for v in VARIANTS}.values()}

    def judged(variant: Variant) -> Comparison:
        right, broken = rights[variant.right], run(variant.edits, variant.title, options, launch)
        streams = broken.recording.stream, right.recording.stream
        return Comparison(variant, broken, right, measure(variant.code, *streams), measure(variant.code, streams[1], streams[1]))

    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(judged, VARIANTS)


@dataclass(frozen=True, slots=True)
class Cost:
    """What recording costs: the processor seconds of the loop with and without hooks, the least of some runs each."""

    plain: float
    recorded: float

    @property
    def ratio(self) -> float:
        return self.recorded / self.plain


# Measures the epochs alone: to start CUDA takes about as long as all of them.
TIMED = (
    ("import json\n", "import json\nimport time\n"),
    ("    history = []\n", "    history = []\n    torch.zeros(1, device=device)\n    began = time.process_time()\n"),
    (
        "    print(json.dumps(history))\n",
        '    print(json.dumps([{"accuracy": history[-1]["accuracy"], "cpu": time.process_time() - began}]))\n',
    ),
)


def cost(runs: int = 5, launch: Launch | None = None, device: str = "cpu") -> Cost:
    """Measures the recorder on the correct loop; the runs take turns, so that a busy machine is busy for both.

    Raises:
        UserError: a run did not end.
    """
    taken: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(runs):
        for hooks, seconds in taken.items():
            outcome = run(TIMED if device == "cuda" else (), options=Options(hooks=hooks, device=device), launch=launch)
            if not outcome.history or "cpu" not in outcome.recording.result:
                raise UserError(
                    f"the reference loop did not end, {'with' if hooks else 'without'} the recorder: {outcome.recording.message}"
                )
            seconds.append(outcome.history[-1].get("cpu", outcome.recording.result["cpu"]))
    return Cost(min(taken[False]), min(taken[True]))
