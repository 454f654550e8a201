"""A function that is handed to code out of sight may be differentiated there; what only tells types gives back what it gets."""

from __future__ import annotations

import pytest

import looplint

PROGRAM = """\
import torch
import library
from torch import nn

model = nn.Linear(4, 2)
model.eval()


def predict(x):
    return model(x)


def explained(x, position=0):
    return predict(x)[:, position]


def score(x):
    return predict(x).argmax(1).sum().item()


CODE
"""
MEASURED = "for x, y in loader:\n    print({}(x).max().item())"


def reported(code: str) -> list[int]:
    text = PROGRAM.replace("CODE", code)
    return [f.location.row for f in looplint.lint(text, isolated=True) if f.code == "LL303"]


IN_PREDICT = 10
IN_THE_LOOP = 22


@pytest.mark.parametrize(
    ("code", "rows"),
    [
        (MEASURED.format("predict"), [IN_PREDICT]),
        # What the library gets is the function itself: its forwards are right as they are.
        (f"{MEASURED.format('predict')}\nlibrary.attribute(predict, batch)", []),
        (f"{MEASURED.format('explained')}\nlibrary.Explainer(model, forward=explained).run(batch)", []),
        # What it gets calls the function: where it is called to be measured, it is put right there.
        (f"{MEASURED.format('predict')}\nlibrary.Explainer(explained).run(batch)", [IN_THE_LOOP]),
        # A lambda calls what it serves.
        (f"{MEASURED.format('predict')}\nlibrary.Explainer(lambda x: predict(x)[0]).run(batch)", []),
        # What returns numbers is not differentiated.
        (f"{MEASURED.format('predict')}\nlibrary.schedule(score)", [IN_PREDICT]),
    ],
)
def test_what_a_library_may_differentiate(code: str, rows: list[int]) -> None:
    assert reported(code) == rows


@pytest.mark.parametrize(
    ("context", "rows"),
    [
        ("torch.enable_grad()", []),
        ("torch.set_grad_enabled(True)", []),
        ("torch.autograd.set_grad_enabled(True)", []),
        ("torch.autograd.set_grad_enabled(mode=True)", []),
        ("torch.set_grad_enabled(False)", []),
        ("torch.set_grad_enabled(mode=False)", []),
        ("torch.autocast('cuda')", [23]),
    ],
)
def test_a_context_that_the_text_itself_switches(context: str, rows: list[int]) -> None:
    assert reported(f"for x, y in loader:\n    with {context}:\n        print(model(x).max().item())") == rows


@pytest.mark.parametrize(
    "told",
    ["typing.cast(torch.Tensor, output)", "typing_extensions.cast('Tensor', output)", "torch.jit.annotate(torch.Tensor, output)", "typing.assert_type(output, int)"],
)  # fmt: skip
def test_what_only_tells_a_type_gives_back_what_it_gets(told: str) -> None:
    code = f"""\
import typing, typing_extensions
for x, y in loader:
    output = model(x)
    print(output.max().item())
    told = {told}
    torch.autograd.grad(outputs=torch.unbind(told), inputs=x)
"""
    assert reported(code) == []
    assert reported(code.replace("torch.autograd.grad", "print")) != []


@pytest.mark.parametrize(
    ("derivative", "found"),
    [
        ("torch.autograd.functional.jacobian(lambda out: out.sum(), output)", []),
        ("torch.autograd.functional.hessian(lambda out: out.sum(), output, create_graph=False)", []),
        ("torch.autograd.functional.vhp(lambda out: out.sum(), inputs=output)[1]", []),
        ("torch.autograd.functional.jacobian(lambda out: out.sum(), output).detach()", []),
        ("torch.square(output)", ["LL401"]),
    ],
)
def test_a_derivative_has_no_graph_unless_it_is_asked_for_one(derivative: str, found: list[str]) -> None:
    code = f"""\
kept = []
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    output = model(x)
    nn.functional.mse_loss(output, y).backward()
    optimizer.step()
    kept.append(torch.matmul({derivative}, y))
"""
    text = PROGRAM.replace("CODE", code)
    assert [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL401"] == found
