"""The repair of a sum reaches the sums beside it that may keep the same graphs: else memory would grow as before."""

from pathlib import Path

import looplint
from tests.repaired_text import HEAD, assert_repaired

EPOCHS = """\
zero = torch.zeros(1)

def train(weight):
    for epoch in range(9):
        total, fit, {start} = 0.0, 0.0, {zero}
        for x, y in loader:
            opt.zero_grad()
            out = model(x)
            fitted = nn.functional.mse_loss(out, y)
            {term}
            loss = fitted + weight * penalty
            loss.backward()
            opt.step()
            {sums}
        print(epoch, total, fit, {start})
"""
CHOSEN = """if weight > 0:
                penalty = torch.norm(out)
            else:
                penalty = zero"""
PLAIN = "total += loss\n            fit += fitted\n            sparse += penalty"
LAST = "sparse += penalty\n            total = total + loss\n            fit += fitted"


def _program(sums: str, *, term: str = CHOSEN, start: str = "sparse", zero: str = "0.0") -> str:
    return EPOCHS.replace("{start}", start).replace("{zero}", zero).replace("{term}", term).replace("{sums}", sums)


def _assert_repaired(tmp_path: Path, sums: str, repaired: str, **given: str) -> None:
    assert_repaired(tmp_path / "train.py", _program(sums, **given), _program(repaired, **given))


def test_a_term_that_is_nothing_on_one_path(tmp_path: Path) -> None:
    repaired = "total += loss.item()\n            fit += fitted.item()\n            sparse += penalty.detach()"
    _assert_repaired(tmp_path, PLAIN, repaired)


def test_the_sum_that_may_keep_them_comes_first(tmp_path: Path) -> None:
    repaired = "sparse += penalty.detach()\n            total = total + loss.item()\n            fit += fitted.item()"
    _assert_repaired(tmp_path, LAST, repaired)


def test_entries_of_a_dict(tmp_path: Path) -> None:
    sums = "total += loss\n            sums['sparse'] += penalty"
    repaired = "total += loss.detach()\n            sums['sparse'] += penalty.detach()"
    _assert_repaired(tmp_path, sums, repaired, start="sums", zero="{'sparse': 0.0}")


def test_what_may_be_no_tensor_stays_and_is_named() -> None:
    term = CHOSEN.replace("torch.norm(out)", "compute(out)")
    program = _program("total += loss\n            sparse += penalty", term=term)
    (found,) = [f for f in looplint.lint(HEAD + program) if f.code == "LL402"]
    assert found.fix is not None
    assert (found.fix.applicability, "a part, as sparse may keep" in found.fix.message) == ("unsafe", True)


def test_a_sum_of_numbers_is_left_alone(tmp_path: Path) -> None:
    sums = "total += loss\n            sparse += penalty.item()"
    _assert_repaired(tmp_path, sums, sums.replace("loss", "loss.item()"))


CONDITIONAL = """\
from somewhere import build_model

model = build_model()
extra = build_model()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
opt_extra = torch.optim.SGD(extra.parameters(), lr=0.1) if options.extra else None
total = 0
for x, y in loader:
    opt.zero_grad()
    outputs = model(x)
    loss = nn.functional.mse_loss(outputs["y"], y)
    penalty = outputs["penalty"]
    loss.backward(retain_graph=True)
    {backward}
    opt.step()
    total += penalty * 2
    print(total)
"""


def _applicability(tmp_path: Path, backward: str) -> list[str]:
    path = tmp_path / "train.py"
    path.write_text(HEAD + CONDITIONAL.replace("{backward}", backward))
    return [f.fix.applicability for f in looplint.lint(path) if f.code == "LL402" and f.fix is not None]


def test_what_goes_backward_under_a_condition_only_may_be_a_number(tmp_path: Path) -> None:
    assert _applicability(tmp_path, "if opt_extra is not None: penalty.backward()") == ["unsafe"]
    assert _applicability(tmp_path, "if options.extra: penalty.backward()") == ["unsafe"]
    assert _applicability(tmp_path, "penalty.backward()") == ["safe"]
