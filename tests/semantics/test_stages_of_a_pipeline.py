"""The step of a pipeline's schedule goes backward itself: the optimizer behind it has gradients."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.flow.events import Backward
from looplint.linting.analysis import build_program
from looplint.sources.reading import from_text
from programs import assert_marked

PROGRAM = """
        def train({given}, images_and_labels, losses_kept=False):
            {built}
            for images, labels in images_and_labels:
                optimizer.zero_grad()
                losses = []
                {ran}
                optimizer.step(){expected}
"""


@pytest.mark.parametrize(
    ("given", "built"),
    [
        ("runtime, optimizer", "schedule = runtime.schedule"),
        ("pp_schedule, optimizer", "schedule = pp_schedule"),
        (
            "runtime",
            "runtime.train()\n            optimizer = torch.optim.SGD(runtime.parameters(), lr=0.1)\n            schedule = runtime.schedule",
        ),
        ("model, schedule", "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"),
        ("model, pipeline_of", "schedule = pipeline_of(8)\n            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)"),
    ],
)
@pytest.mark.parametrize(
    "ran", ["schedule.step(images, target=labels, losses=losses)", "output = schedule.step(losses=losses)", "schedule.step(target=labels)"]
)
def test_the_stages_go_backward(given: str, built: str, ran: str) -> None:
    assert_marked(PROGRAM.format(given=given, built=built, ran=ran, expected=""))


def test_what_the_stages_do_is_a_backward() -> None:
    text = dedent(
        PROGRAM.format(given="runtime, optimizer", built="schedule = runtime.schedule", ran="schedule.step(losses=losses)", expected="")
    )
    program, _ = build_program(from_text(text, None, "train.py"))
    assert [event.via for event in program.of(Backward)] == ["engine"]


def test_the_schedule_of_a_learning_rate_does_not() -> None:
    assert_marked(
        PROGRAM.format(
            given="model, scheduler",
            built="optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
            ran="loss = nn.functional.mse_loss(model(images), labels)\n                scheduler.step()",
            expected="  # expect: LL107",
        )
    )
