"""In `accelerator.accumulate()` a prepared optimizer clears where it steps: a clear above the backward leaves that step the last batch alone."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from accelerate import Accelerator

def train(model: nn.Module, loader, args):
    accelerator = Accelerator({given})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(3):
        model.train()
        for x, y in loader:
            {body}
"""
K = "gradient_accumulation_steps={}"
FIRST = """with accelerator.accumulate(model):
                optimizer.zero_grad(){mark}
                loss = nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                optimizer.step()"""
BEFORE = """with accelerator.accumulate(model), accelerator.autocast():
                loss = nn.functional.mse_loss(model(x), y)
                optimizer.zero_grad(set_to_none=True){mark}
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()"""
NESTED = """if len(x):
                with accelerator.accumulate(model):
                    optimizer.zero_grad(){mark}
                    accelerator.backward(nn.functional.mse_loss(model(x), y))
                    optimizer.step()"""
LAST = """with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad(){mark}"""
OUTSIDE = """optimizer.zero_grad(){mark}
            loss = nn.functional.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()"""
LEFT_OUT = """with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(x), y)
                if torch.isnan(loss):
                    optimizer.zero_grad(){mark}
                    continue
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()"""
FOUND = "  # expect: LL101"


@pytest.mark.parametrize("body", [FIRST, BEFORE, NESTED])
@pytest.mark.parametrize("given", [K.format(4), K.format("args.k"), 'mixed_precision="fp16", ' + K.format("args.k")])
def test_a_clear_above_the_backward(body: str, given: str) -> None:
    assert_marked(PROGRAM.format(given=given, body=body.format(mark=FOUND)))


@pytest.mark.parametrize(
    ("body", "given"), [(FIRST, ""), (FIRST, K.format(1)), (LAST, K.format(4)), (LEFT_OUT, K.format(4)), (OUTSIDE, K.format(4))]
)
def test_one_that_accumulates_nothing_or_clears_after_the_step(body: str, given: str) -> None:
    assert_marked(PROGRAM.format(given=given, body=body.format(mark="")))


PERIODIC = """
def train(model: nn.Module, loader, k):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        {start}
        for i, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(model(x), y) / k
            if {first}:
                optimizer.zero_grad(){mark}
            loss.backward()
            {between}
            if {second}:
                optimizer.step()
"""


@pytest.mark.parametrize("test", ["(i + 1) % k == 0", "i % k == k - 1", "not (i + 1) % k"])
def test_a_clear_in_the_turn_that_steps(test: str) -> None:
    assert_marked(PERIODIC.format(start="pass", first=test, second=test, between="pass", mark=FOUND))


@pytest.mark.parametrize(
    ("first", "second", "between"),
    [
        ("i % k == 0", "(i + 1) % k == 0", "pass"),
        ("turn % k == 0", "turn % k == 0", "turn += 1"),
    ],
)
def test_a_clear_in_another_turn(first: str, second: str, between: str) -> None:
    assert_marked(PERIODIC.format(start="turn = 0", first=first, second=second, between=between, mark=""))
