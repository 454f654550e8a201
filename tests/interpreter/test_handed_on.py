"""What leaves for callers that are not in sight with its graph may go backward there: a part of a loss is no validation."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

import looplint
from looplint.linting.fixing import fix_paths

PREDICT = """\
import numpy
import torch
from torch import nn


def predict(model, data, size=1024):
    output = torch.zeros(len(data), 2)
    start = 0
    model.eval()
    for batch in torch.split(data, size, dim=0):
        output[start : start + len(batch)] = model(batch)
        start += len(batch)
    model.train()
    return output


"""
LOSS = "nn.functional.mse_loss(predict(student, a), b)"


@pytest.mark.parametrize(
    ("parameters", "body", "found"),
    [
        ("", f"return {LOSS}", False),
        ("", f"found = {LOSS}\nlosses = {{'attribution': found}}\nreturn a, losses", False),
        ("", f"losses = []\nlosses.append({LOSS})\nreturn losses", False),
        ("", f"yield {LOSS}", False),
        (", losses", f"losses.append({LOSS})", False),
        (", losses", f"losses['attribution'] = {LOSS}", False),
        (", state", f"state.loss = {LOSS}", False),
        (", combine", f"losses = {{'attribution': {LOSS}}}\nreturn combine(**losses)", False),
        # What is left without its graph goes nowhere.
        ("", f"return {LOSS}.item()", True),
        ("", f"print({LOSS})", True),
        (", losses", f"losses.append({LOSS}.item())", True),
        (", state", f"state.loss = float({LOSS})", True),
        # A place in an array out of sight takes a number.
        (", state", f"found = numpy.zeros(9)\nfound[0] = {LOSS}", True),
    ],
)
def test_what_a_function_leaves_for_its_callers(parameters: str, body: str, found: bool) -> None:
    program = f"{PREDICT}def compared(student, a, b{parameters}):\n{indent(body, '    ')}\n"
    assert [f.code for f in looplint.lint(program, isolated=True) if f.code == "LL303"] == ["LL303"] * found


@pytest.mark.parametrize(("kept", "found"), [("self.loss = {}", False), ("self.losses = [{}]", False), ("self.loss = {}.item()", True)])
def test_what_a_method_leaves_in_its_object(kept: str, found: bool) -> None:
    method = f"class Phase:\n    def run(self, student, a, b):\n        {kept.format(LOSS)}\n"
    assert ["LL303" for f in looplint.lint(PREDICT + method, isolated=True) if f.code == "LL303"] == ["LL303"] * found


def test_a_phase_that_a_registry_has() -> None:
    phases = f"""\
class Phase:
    def compute(self, student, a, b):
        raise NotImplementedError


class Attribution(Phase):
    def compute(self, student, a, b):
        return {{"attribution": {LOSS}}}


PHASES = {{"attribution": Attribution}}


def run(name, student, a, b):
    return PHASES[name]().compute(student, a, b)
"""
    assert not [f for f in looplint.lint(PREDICT + phases, isolated=True) if f.code == "LL303"]


@pytest.mark.parametrize(("name", "applicability"), [("validate", "safe"), ("loss_over", "unsafe")])
def test_a_pass_over_a_loader_is_found_and_safe_to_repair_by_its_name(name: str, applicability: str) -> None:
    program = f"""\
import torch
from torch import nn


def {name}(model, loader):
    model.eval()
    total = 0
    for x, y in loader:
        total += nn.functional.mse_loss(model(x), y)
    return total / len(loader)
"""
    found = [f for f in looplint.lint(program, isolated=True) if f.code == "LL303"]
    assert [f.fix.applicability for f in found if f.fix is not None] == [applicability]


@pytest.mark.parametrize(
    ("name", "batches", "found"),
    [
        ("loss_over", "zip(torch.split(xs, 64), torch.split(ys, 64))", False),
        ("loss_over", "zip(xs, ys)", False),
        ("loss_over", "xs", False),
        ("validate", "xs", True),
        ("Trainer._test_epoch", "zip(xs, ys)", True),
    ],
)
def test_pairs_are_a_pass_in_what_evaluates_by_its_name(name: str, batches: str, found: bool) -> None:
    owner, _, function = name.rpartition(".")
    program = f"""\
def {function}({"self, " if owner else ""}model, xs, ys):
    model.eval()
    total = 0
    for x, y in {batches}:
        total = total + nn.functional.mse_loss(model(x), y)
    return {{"loss": total}}
"""
    text = f"import torch\nfrom torch import nn\n\n\n{f'class {owner}:' if owner else 'if True:'}\n{indent(program, '    ')}"
    assert ["LL303" for f in looplint.lint(text, isolated=True) if f.code == "LL303"] == ["LL303"] * found


def test_a_graph_is_dropped_where_the_function_of_another_file_is_called(tmp_path: Path) -> None:
    """Others may send backward what the function returns, in files that are not followed."""
    (tmp_path / "predicting.py").write_text(PREDICT)
    looking = """\
import torch
from torch import nn
from predicting import predict

model = nn.Linear(4, 2)
model.load_state_dict(torch.load("weights.pt", map_location="cpu"))
for part in [torch.randn(99, 4), torch.randn(99, 4)]:
    print(predict(model, part).detach().numpy())
"""
    (tmp_path / "look.py").write_text(looking)
    changed = fix_paths([str(tmp_path)], unsafe=True, jobs=1).changed
    call = "    print(predict(model, part)"
    expected = looking.replace(call, f"    with torch.no_grad():\n    {call}")
    assert {new.display.rpartition("/")[2]: new.text for _, new in changed} == {"look.py": expected}
