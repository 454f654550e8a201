"""LL103 where gradients of several batches are added up: a clip before the backward clips those of the batches before."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss_fn = nn.CrossEntropyLoss()
loader = [(torch.randn(4, 3), torch.tensor([1, 2, 0, 1]))] * 8

def clip():
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)

for epoch in range(3):
    for i, (x, y) in enumerate(loader, 1):
{body}
"""
LAST_BATCH_APART = """
        if i % 4 != 0:
            (loss_fn(model(x), y) / 4).backward()
        if i % 4 == 0:
            loss = loss_fn(model(x), y) / 4
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL103
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
"""
EVERY_BATCH = """
        loss = loss_fn(model(x), y) / 4
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL103
        loss.backward()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""
WHERE_IT_STEPS = """
        loss = loss_fn(model(x), y) / 4
        if i % 4 == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # expect: LL103
        loss.backward()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""
STEP_BEFORE_THE_BACKWARD = """
        if i % 4 == 0:
            clip()
            optimizer.step()
            optimizer.zero_grad()
        (loss_fn(model(x), y) / 4).backward()
"""
CLIPPED_UNDER_THE_SAME_CONDITION = """
        (loss_fn(model(x), y) / 4).backward()
        if i % 4 == 0:
            clip()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""
CLIPPED_AGAIN = """
        loss = loss_fn(model(x), y) / 4
        clip()
        loss.backward()
        clip()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""
TWO_LOSSES = """
        (loss_fn(model(x), y) / 4).backward()
        clip()
        (model(x).pow(2).mean() / 4).backward()
        if i % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
"""


@pytest.mark.parametrize("body", [LAST_BATCH_APART, EVERY_BATCH, WHERE_IT_STEPS], ids=["last batch apart", "every batch", "where it steps"])
def test_a_clip_that_finds_the_gradients_of_the_batches_before(body: str) -> None:
    assert_marked(PROGRAM.format(body=body))


@pytest.mark.parametrize(
    "body",
    [STEP_BEFORE_THE_BACKWARD, CLIPPED_UNDER_THE_SAME_CONDITION, CLIPPED_AGAIN, TWO_LOSSES],
    ids=["step before the backward", "clipped under the same condition", "clipped again", "two losses"],
)
def test_a_clip_that_finds_gradients_of_its_batch_or_is_followed_by_a_step(body: str) -> None:
    assert_marked(PROGRAM.format(body=body))
