"""Several models with the same mistake in one pass are one finding: it names them, has the places of all, and is repaired for all."""

from __future__ import annotations

from pathlib import Path

import pytest

import looplint
from looplint.finding import Finding
from repaired_text import fixed

TRAINER = """\
import torch
from torch import nn


class Trainer:
    def __init__(self, enc: nn.Module, dec: nn.Module, head: nn.Module, valid):
        self.enc, self.dec, self.head, self.valid = enc, dec, head, valid
        self.opt = torch.optim.SGD([*enc.parameters(), *dec.parameters(), *head.parameters()], lr=0.1)

    def forward(self, x):
        z = self.enc(x)
        z = self.dec(z)
        return self.head(z)

    def fit(self, loader):
        for epoch in range(10):
            self.enc.train()
            self.dec.train()
            self.head.train()
            for x, y in loader:
                self.opt.zero_grad()
                nn.functional.mse_loss(self.forward(x), y).backward()
                self.opt.step()
            AFTER
            with torch.no_grad():
                for x, y in self.valid:
                    print(nn.functional.mse_loss(self.forward(x), y).item())
"""
FUNCTION = """\
import torch
from torch import nn


def train(enc, dec, loader, valid):
    opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
    for epoch in range(10):
        TOP
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(dec(enc(x)), y)
            loss.backward()
            opt.step()
        AFTER
        with torch.no_grad():
            for x, y in valid:
                z = enc(x)
                print(nn.functional.mse_loss(dec(z), y).item())
"""
ON, OFF = "enc.train()\n        dec.train()", "enc.eval()\n        dec.eval()"


def found(text: str, code: str) -> list[Finding]:
    return [f for f in looplint.lint(text, isolated=True) if f.code == code]


def rows(text: str, *lines: str) -> list[int]:
    return [next(row for row, line in enumerate(text.splitlines(), 1) if part in line) for part in lines]


def test_one_finding_has_the_names_and_the_places_of_all() -> None:
    text = TRAINER.replace("AFTER", "pass")
    (finding,) = found(text, "LL302")
    assert finding.message.startswith("self.enc, self.dec and self.head are in train mode in this validation pass")
    assert [finding.location.row, *(r.location.row for r in finding.related if r.same)] == rows(
        text, "= self.enc(x)", "= self.dec(z)", "return self.head(z)"
    )


def test_those_that_are_switched_are_not_named() -> None:
    (finding,) = found(TRAINER.replace("AFTER", "self.enc.eval(); self.head.eval()"), "LL302")
    assert finding.message.startswith("self.dec is in train mode") and not any(r.same for r in finding.related)
    assert not found(TRAINER.replace("AFTER", "self.enc.eval(); self.dec.eval(); self.head.eval()"), "LL302")


def test_of_many_models_a_few_are_named() -> None:
    names = "abcde"
    parts = ", ".join(f"*{name}.parameters()" for name in names)
    text = FUNCTION.replace("*enc.parameters(), *dec.parameters()", parts).replace("enc, dec,", f"{', '.join(names)},")
    text = text.replace("dec(enc(x))", "e(d(c(b(a(x)))))").replace("z = enc(x)", "z = d(c(b(a(x))))").replace("dec(z)", "e(z)")
    (finding,) = found(text.replace("TOP", "; ".join(f"{name}.train()" for name in names)).replace("AFTER", "pass"), "LL302")
    assert finding.message.startswith("a, b and 3 more are in train mode")
    assert len({r.location for r in finding.related if r.same}) == 4


def test_each_pass_is_a_finding() -> None:
    text = FUNCTION.replace("TOP", ON).replace("AFTER", "pass")
    last = text[text.index("        with torch") :]
    assert len(found(text + last, "LL302")) == 2


def test_the_worst_is_where_it_is_told() -> None:
    text = FUNCTION.replace("TOP", ON).replace("AFTER", "pass")
    text = text.replace("    opt =", "    dec = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\n    opt =")
    (finding,) = found(text, "LL302")
    assert finding.severity == "error" and finding.message.startswith("enc and dec are")
    assert [finding.location.row, *(r.location.row for r in finding.related if r.same)] == rows(text, "dec(z)", "z = enc(x)")


@pytest.mark.parametrize("place", ["z = self.enc(x)", "z = self.dec(z)", "return self.head(z)"])
def test_a_comment_at_any_place_silences_it(place: str) -> None:
    text = TRAINER.replace("AFTER", "pass").replace(place, f"{place}  # looplint: ignore[LL302]")
    assert not found(text, "LL302")
    assert not looplint.lint(text, select=["LL001"], isolated=True)


def test_a_comment_at_another_line_silences_nothing() -> None:
    text = TRAINER.replace("AFTER", "pass").replace("self.dec.train()", "self.dec.train()  # looplint: ignore[LL302]")
    assert len(found(text, "LL302")) == 1
    assert [f.code for f in looplint.lint(text, select=["LL001"], isolated=True)] == ["LL001"]


def test_the_repair_is_made_for_all(tmp_path: Path) -> None:
    text = TRAINER.replace("            AFTER\n", "")
    (finding,) = found(text, "LL302")
    assert finding.fix is not None and finding.fix.message == "Set self.enc, self.dec and self.head to eval mode for this pass"
    evals = "".join(f"            self.{name}.eval()\n" for name in ("enc", "dec", "head"))
    assert fixed(tmp_path / "loop.py", text.encode()).decode() == TRAINER.replace("            AFTER\n", evals)


def test_each_mode_is_kept_by_a_name_of_its_own(tmp_path: Path) -> None:
    text = FUNCTION.replace("        TOP\n", "").replace("        AFTER\n", "")
    text = text.replace("    for epoch", "    enc.train()\n    dec.train()\n    for epoch")
    repaired = fixed(tmp_path / "loop.py", text.encode()).decode()
    assert (
        repaired
        == text.replace(
            "        with torch",
            "        was_training = enc.training\n        enc.eval()\n        dec_was_training = dec.training\n        dec.eval()\n        with torch",
        )
        + "        enc.train(was_training)\n        dec.train(dec_was_training)\n"
    )
    assert fixed(tmp_path / "loop.py", repaired.encode()).decode() == repaired


def test_gradients_that_a_pass_records_are_one_finding(tmp_path: Path) -> None:
    text = FUNCTION.replace("TOP", ON).replace("AFTER", OFF).replace("with torch.no_grad()", "if True")
    (finding,) = found(text, "LL303")
    assert "every call of enc and dec builds a graph" in finding.message
    assert [finding.location.row, *(r.location.row for r in finding.related if r.same)] == rows(text, "z = enc(x)", "dec(z)")
    assert fixed(tmp_path / "loop.py", text.encode()).decode().count("no_grad") == 1
    assert not found(text.replace("if True", "with torch.no_grad()"), "LL303")


def test_gradients_of_passes_apart_are_findings_apart() -> None:
    text = (
        FUNCTION.replace("TOP", ON)
        .replace("AFTER", OFF)
        .replace("        with torch.no_grad():\n", "")
        .replace("            for x, y in valid", "        for x, y in valid")
    )
    text = text.replace("                z = enc", "            z = enc").replace("                print", "            print")
    last = text[text.index("        for x, y in valid") :]
    assert len(found(text, "LL303")) == 1 and len(found(text + last, "LL303")) == 2


def test_models_left_in_eval_mode_are_one_finding(tmp_path: Path) -> None:
    text = FUNCTION.replace("        TOP\n", "").replace("AFTER", OFF)
    (finding,) = found(text, "LL301")
    assert finding.message.startswith(
        "enc and dec are in eval mode here from the second epoch on, as nothing in this loop calls train() of each"
    )
    repaired = fixed(tmp_path / "loop.py", text.encode()).decode()
    assert repaired == FUNCTION.replace("TOP", ON).replace("AFTER", OFF)
    assert not found(repaired, "LL301")


def test_one_of_two_that_is_put_back() -> None:
    (finding,) = found(FUNCTION.replace("TOP", "dec.train()").replace("AFTER", OFF), "LL301")
    assert finding.message.startswith("enc is in eval mode here")


def test_models_left_in_eval_mode_within_an_epoch_are_one_finding(tmp_path: Path) -> None:
    inner = """\
            if loss < 1:
                enc.eval()
                dec.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(dec(enc(x)), y).item())
"""
    text = FUNCTION.replace("TOP", ON)
    text = text[: text.index("        AFTER")] + inner
    (finding,) = found(text, "LL304")
    assert finding.message.startswith("enc and dec are still in eval mode here after a validation")
    repaired = fixed(tmp_path / "loop.py", text.encode()).decode()
    assert repaired == text.replace(
        "            opt.zero_grad", "            enc.train()\n            dec.train()\n            opt.zero_grad"
    )
    assert not found(repaired, "LL304")


def test_forwards_of_one_function_that_are_no_passes_are_one_finding() -> None:
    sample = """\

    def sample(self, config):
        self.enc.eval()
        kept = []
        if config.names:
            for name in config.names:
                kept.append(self.enc(codes(name)).argmax(1).cpu().numpy())
        elif config.pairs:
            for pair in config.pairs:
                kept.append(self.enc(codes(pair)).argmax(1).cpu().numpy())
        for i in range(100):
            kept.append(self.enc(torch.randn(1, 8)).argmax(1).cpu().numpy())
        show(kept)
"""
    (finding,) = found(TRAINER.replace("AFTER", "pass") + sample, "LL303")
    assert len({r.location for r in finding.related if r.same}) == 2
    assert finding.fix is not None and finding.fix.message == "Switch gradients off in sample"
