"""LL303: a loop that counts and takes the next batch of a loader in each turn is a pass, as one over the loader is."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from torch.utils.data import DataLoader

    def test(model, data, n, hand_over, cached):
        model.eval()
        loader = DataLoader(data, batch_size=8)
        batches, right = iter(loader), 0
        {context}
            for number in {over}:
                {body}
        return right
"""
MEASURED = "right += (model(x).argmax(1) == y).sum().item()"
PARTS = {"context": "if True:", "over": "range(n)"}


@pytest.mark.parametrize("over", ["range(n)", "range(0, n, 2)"])
@pytest.mark.parametrize(
    "body",
    [
        f"x, y = next(batches)\n                {MEASURED}{{found}}",
        "batch = next(batches)\n                torch.save(model(batch), str(number)){found}",
        "x, y = next(batches)\n                print(model(x)){found}",
        "x, y = next(batches)\n                out = model(x){found}\n                hand_over(out)\n                right += (out.argmax(1) == y).sum().item()",
    ],
)
def test_a_pass_that_counts(body: str, over: str) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, "over": over, "body": body.format(found="  # expect: LL303")}))
    assert_marked(PROGRAM.format(**{**PARTS, "over": over, "body": body.format(found=""), "context": "with torch.no_grad():"}))


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x, y = hand_over(number)\n                right += (model(x).argmax(1) == y).sum().item()", id="one thing at a time"),
        pytest.param("x = next(batches)\n                hand_over(model(x))", id="handed over"),
        pytest.param("x = next(batches)\n                right = right + model(x).mean()", id="given back"),
        pytest.param(
            "if cached is None:\n                    cached = next(batches)\n                right += model(cached).sum().item()",
            id="one batch",
        ),
        pytest.param("x, y = next(batches)\n                model(x).mean().backward()", id="sent backward"),
    ],
)
def test_what_may_be_something_else(body: str) -> None:
    assert_marked(PROGRAM.format(**{**PARTS, "body": body}))
