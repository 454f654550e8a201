"""The questions that rules share, each put to small programs whose answer is plain."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.domain.objects import Module
from looplint.flow.events import Backward, Clear, Eval, Event, Forward, Freeze, Move, Step
from looplint.linting.analysis import build_program
from looplint.queries.accumulation import accumulated, added_up
from looplint.queries.data_loops import over_data, validation_loop
from looplint.queries.iterations import may_go_on
from looplint.queries.mode_sensitivity import mode_matters
from looplint.queries.moves import converts, moved_already
from looplint.queries.naming import called_at
from looplint.queries.program import Program
from looplint.sources.reading import decode

BEGIN = """\
import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.randn(64, 8), torch.randn(64, 1)), batch_size=16, shuffle=True)
net, other = nn.Linear(8, 1), nn.Linear(8, 1)
opt, spare = optim.SGD(net.parameters(), lr=0.1), optim.SGD(other.parameters(), lr=0.1)
mse = nn.functional.mse_loss
"""


def program(code: str) -> Program:
    return build_program(decode((BEGIN + dedent(code)).encode(), None, "train.py"))[0]


def only(built: Program, kind: type[Event]) -> Event:
    (event,) = built.of(kind)
    return event


def named(built: Program, name: str) -> Module:
    return next(o for e in built.of(Forward) for o in e.subjects if isinstance(o, Module) and o.name == name)


@pytest.mark.parametrize(
    "line, touched",
    [
        ("opt.zero_grad()", ("must", None)),
        ("net.zero_grad()", ("must", None)),
        ("spare.zero_grad()", (None, "must")),
    ],
)
def test_to_which_optimizer_a_clear_happens(line: str, touched: tuple[str | None, str | None]) -> None:
    built = program(f"""\
        for x, y in loader:
            {line}
            mse(net(x) + other(x), y).backward()
            opt.step()
            spare.step()
        """)
    optimizers = {o.name: o for o in built.optimizers}
    assert tuple(built.touches(only(built, Clear), optimizers[name]) for name in ("opt", "spare")) == touched


def test_a_freeze_happens_to_all_parameters_of_a_module_and_to_no_other() -> None:
    built = program("""\
        net.requires_grad_(False)
        for x, y in loader:
            mse(net(x) + other(x), y).backward()
        """)
    freeze = only(built, Freeze)
    assert [built.touches_parameters(freeze, named(built, name)) for name in ("net", "other")] == ["must", None]


@pytest.mark.parametrize(
    "condition, every",
    [("(i + 1) % 4 == 0", "4"), ("(i + 1) % steps == 0", "steps"), ("x.sum() > 0", None)],
)
def test_how_many_batches_a_step_uses(condition: str, every: str | None) -> None:
    built = program(f"""\
        steps = int(input())
        for i, (x, y) in enumerate(loader):
            mse(net(x), y).backward()
            if {condition}:
                opt.step()
                opt.zero_grad()
        """)
    step = only(built, Step)
    assert accumulated(built, step) == every
    assert added_up(built, step) == ((every, step.loops[-1]) if every is not None else None)


def test_what_a_loop_goes_over() -> None:
    built = program("""\
        for epoch in range(3):
            for x, y in loader:
                mse(net(x), y).backward()
                opt.step()
            net.eval()
            for x, y in loader:
                print(mse(net(x), y).item())
        """)
    epochs, batches = only(built, Backward).loops
    trained, measured = built.of(Forward)
    assert (over_data(epochs), over_data(batches)) == (False, True)
    assert validation_loop(built, trained) is None and validation_loop(built, measured) is measured.loops[-1]


@pytest.mark.parametrize(
    "part, matters",
    [
        ("nn.Linear(8, 8)", False),
        ("nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))", True),
        ("nn.Sequential(head)", None),
        ("*layers", None),
    ],
)
def test_whether_train_and_eval_mode_differ(part: str, matters: bool | None) -> None:
    built = program(f"""\
        from elsewhere import layers
        def measure(head: nn.Module):
            model = nn.Sequential(nn.Linear(8, 8), {part})
            print(model(torch.randn(4, 8)))
        """)
    assert mode_matters(named(built, "model")) is matters


@pytest.mark.parametrize(
    "condition, goes_on", [("epoch % 2 == 0", True), ("epoch == epochs - 1", False), ("schedule.finished(epoch)", False)]
)
def test_whether_another_iteration_may_follow(condition: str, goes_on: bool) -> None:
    built = program(f"""\
        epochs = int(input())
        for epoch in range(epochs):
            if {condition}:
                net.eval()
            print(net(torch.randn(4, 8)))
        """)
    event = only(built, Eval)
    assert may_go_on(built, event, event.loops[0]) is goes_on


def test_what_a_move_changes_and_whether_it_was_made_before() -> None:
    built = program("""\
        model = nn.Linear(8, 1).to("cuda")
        adam = optim.Adam(model.parameters())
        model.to("cuda")
        model.half()
        """)
    first, again, halved = built.of(Move)
    construct = next(e for e in built.events if e.kind == "construct" and any(o.name == "adam" for o in e.subjects))
    assert [converts(e) for e in (first, again, halved)] == ["device", "device", "half"]
    assert [moved_already(built, e, construct) for e in (again, halved)] == [True, False]


def test_objects_are_named_as_the_line_names_them() -> None:
    built = program("""\
        class Trainer:
            def __init__(self):
                self.model = nn.Linear(8, 1)
                self.optimizer = optim.SGD(self.model.parameters(), lr=0.1)

            def fit(self):
                for x, y in loader:
                    mse(self.model(x), y).backward()
                    self.optimizer.step()

        Trainer().fit()
        """)
    step, forward = only(built, Step), only(built, Forward)
    assert called_at(step, next(iter(step.subjects))) == "self.optimizer"
    assert called_at(forward, next(iter(forward.subjects))) == "self.model"
