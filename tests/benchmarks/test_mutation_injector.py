"""The injector of benchmarks/mutation: what it plants is Python, is a bug, and is planted where it fits only."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from benchmarks.mutation.bases import Base, fixture_bases, real_bases
from benchmarks.mutation.measure import OPT_IN, outcomes
from benchmarks.mutation.mutant import read_program
from benchmarks.mutation.mutators import MUTATORS, mutants
from looplint.finding import Finding, Location
from looplint.linting.catalogue import load_all

pytestmark = pytest.mark.slow

PLAIN = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1))
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x))


EPOCHS = 3
model = Net().to("cpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
history = []
for epoch in range(EPOCHS):
    model.train()
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        history.append(loss.item())
    scheduler.step()
    model.eval()
    with torch.no_grad():
        for x, y in held_out:
            total = criterion(model(x), y).item()
"""

# Counted by hand, form by form; a changed number means a changed benchmark.
PLAIN_COUNTS = {
    "LL101": 7,
    "LL102": 4,
    "LL103": 2,
    "LL104": 1,
    "LL105": 3,
    "LL106": 3,
    "LL107": 2,
    "LL108": 3,
    "LL110": 3,
    "LL201": 3,
    "LL202": 0,
    "LL203": 2,
    "LL204": 1,
    "LL205": 2,
    "LL206": 2,
    "LL301": 5,
    "LL302": 4,
    "LL303": 3,
    "LL304": 2,
    "LL306": 1,
    "LL307": 1,
    "LL401": 5,
    "LL402": 4,
    "LL403": 9,
    "LL501": 4,
    "LL502": 4,
    "LL503": 4,
    "LL504": 2,
    "LL506": 3,
    "LL801": 2,
    "LL803": 2,
    "LL804": 2,
    "LL902": 2,
    "LP004": 1,
    "LP005": 7,
    "LP006": 3,
}

TWO = """\
import torch

for step, real in enumerate(loader):
    opt_d.zero_grad()
    loss_d = score(disc(real), disc(gen(noise()).detach()))
    loss_d.backward()
    opt_d.step()

    opt_g.zero_grad()
    loss_g = judge(disc(gen(noise())))
    loss_g.backward()
    opt_g.step()
"""

LOADED = """\
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
loader = DataLoader(data, batch_size=8, shuffle=True)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(3):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
"""


SCALED = """\
import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
criterion = nn.BCEWithLogitsLoss()
for x, y in loader:
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        out = model(x)
        loss = criterion(out, y)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
"""
SCALED_COUNTS = {"LL601": 1, "LL602": 1, "LL603": 1, "LL604": 1, "LL701": 0, "LL702": 4, "LL703": 1}


def planted(source: str, code: str, **siblings: str) -> dict[str, str]:
    return {m.description: m.text for m in mutants(source, siblings, (code,))}


def test_counts_on_a_plain_loop() -> None:
    counts = Counter(m.code for m in mutants(PLAIN))
    assert dict(counts) == {code: count for code, count in PLAIN_COUNTS.items() if count}


@pytest.mark.parametrize("code", SCALED_COUNTS)
def test_counts_on_a_scaled_loop(code: str) -> None:
    assert len(planted(SCALED, code)) == SCALED_COUNTS[code]


def test_a_loop_without_a_scaler_is_what_is_left_of_one() -> None:
    (text,) = planted(SCALED, "LL603").values()
    assert "    loss.backward()\n    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()\n" in text
    assert planted(SCALED.replace('GradScaler("cuda")', 'GradScaler("cuda", enabled=args.amp)'), "LL604") == {}


@pytest.mark.parametrize("source", [PLAIN, TWO, LOADED, SCALED], ids=["one optimizer", "two optimizers", "its loader too", "scaled"])
def test_every_mutant_parses_and_differs(source: str) -> None:
    found = list(mutants(source))
    for mutant in found:
        ast.parse(mutant.text)
        assert mutant.text != source
        assert 1 <= mutant.line <= len(source.splitlines()) + 1
    assert len({(m.code, m.text) for m in found}) == len(found)


@pytest.mark.parametrize("code", [c for c in MUTATORS if c != "LL109"])
def test_each_rule_has_a_mutant_somewhere(code: str) -> None:
    step_unit = PLAIN.replace("CosineAnnealingLR(optimizer, T_max=EPOCHS)", "OneCycleLR(optimizer, 0.1, total_steps=90)")
    in_batch = step_unit.replace("    scheduler.step()\n", "").replace(
        "        optimizer.step()\n", "        optimizer.step()\n        scheduler.step()\n"
    )
    two_layers = PLAIN.replace("nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.1))", "nn.Linear(4, 8)")
    classes = SCALED.replace("BCEWithLogitsLoss", "CrossEntropyLoss")
    bare = PLAIN.replace("        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n", "").replace('Net().to("cpu")', "Net()")
    assert any(planted(source, code) for source in (PLAIN, in_batch, two_layers, LOADED, SCALED, classes, bare))


def test_opt_in_rules_are_asked() -> None:
    """Rules that are off by default are selected for the measurement, or every mutant of theirs would count as missed."""
    assert set(OPT_IN) == {rule.code for rule in load_all() if not rule.default and rule.code in MUTATORS}


def test_a_mutant_changes_only_what_it_names() -> None:
    text = planted(PLAIN, "LL104")["the clip moved to just after the step"]
    clip = "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    assert text == PLAIN.replace(clip, "").replace("        optimizer.step()\n", "        optimizer.step()\n" + clip)


def test_wrong_optimizer_cleared_gives_one_clear_to_the_other() -> None:
    texts = planted(TWO, "LL109")
    assert set(texts) == {"opt_g cleared in the place of opt_d", "opt_d cleared in the place of opt_g"}
    assert texts["opt_g cleared in the place of opt_d"].count("opt_d.zero_grad()") == 0


def test_one_of_two_clears_is_never_deleted_alone() -> None:
    twice = PLAIN.replace("        optimizer.step()\n", "        optimizer.step()\n        model.zero_grad()\n")
    texts = planted(twice, "LL102").values()
    assert texts
    for text in texts:
        assert "        optimizer.zero_grad()\n" not in text
        assert "        model.zero_grad()\n" not in text


def test_a_clear_inside_a_helper_keeps_the_loop_right() -> None:
    helped = PLAIN.replace("        loss = criterion", "        prepare(optimizer)\n        loss = criterion")
    helped = helped.replace("EPOCHS = 3\n", "def prepare(opt):\n    opt.zero_grad()\n\n\nEPOCHS = 3\n")
    assert set(planted(helped, "LL102")) == {"every clear of the program deleted"}


def test_gradients_written_by_hand_are_left_alone() -> None:
    manual = PLAIN.replace("        loss = criterion", "        model.head.weight.grad = None\n        loss = criterion")
    assert planted(manual, "LL102") == {}
    assert planted(manual, "LL107") == {}


def test_a_second_backward_elsewhere_keeps_the_step_fed() -> None:
    assert planted(PLAIN, "LL107", other="def run(loss):\n    loss.backward()\n") == {}


def test_a_step_in_another_file_keeps_the_optimizer_alive() -> None:
    assert planted(PLAIN, "LL106", other="def run(optimizer):\n    optimizer.step()\n") == {}


def test_division_by_k_is_dropped_once() -> None:
    accumulating = PLAIN.replace("        optimizer.zero_grad()\n", "").replace(
        "        optimizer.step()\n", "        if (i + 1) % 4 == 0:\n            optimizer.step()\n            optimizer.zero_grad()\n"
    )
    scaled = accumulating.replace("        loss.backward()\n", "        loss = loss / 4\n        loss.backward()\n")
    assert planted(scaled, "LL108")["the loss no longer divided by 4"] == accumulating
    twice = scaled.replace("(loss.item())", "(loss.item() / 4)")
    assert planted(twice, "LL108") == {}
    summed = scaled.replace("criterion(model(x), y)\n", "criterion(model(x), y, reduction='sum')\n")
    assert planted(summed, "LL108") == {}


def test_a_loop_without_evaluation_cannot_miss_train_mode() -> None:
    assert planted(PLAIN.replace("    model.eval()\n", ""), "LL301") == {}


def test_a_model_whose_mode_does_not_matter_cannot_miss_eval_mode() -> None:
    assert planted(PLAIN.replace("nn.Dropout(0.1)", "nn.ReLU()"), "LL302") == {}


def test_a_dropout_is_planted_only_in_a_model_that_is_evaluated() -> None:
    layered = PLAIN.replace("self.head(self.body(x))", "self.head(self.drop(self.body(x)))").replace(
        "        self.head", "        self.drop = nn.Dropout(0.3)\n        self.head"
    )
    assert set(planted(layered, "LL307")) == {
        "a layer replaced by a function",
        "a layer replaced by a function at its rate",
        "the input of the last layer dropped",
    }
    assert planted(layered.replace("    model.eval()\n", ""), "LL307") == {}
    asking = PLAIN.replace("self.body(x))", "nn.functional.dropout(self.body(x), 0.3, training=self.training))")
    assert planted(asking, "LL307") == {"a dropout that is not told the mode": asking.replace(", training=self.training", "")}


def test_a_target_without_gradients_is_no_validation() -> None:
    target = PLAIN.replace(
        "        loss = criterion", "        with torch.no_grad():\n            goal = model(x).max()\n        loss = criterion"
    )
    assert len(planted(target, "LL303")) == len(planted(PLAIN, "LL303"))


def test_only_kept_values_lose_their_item() -> None:
    printed = PLAIN.replace("history.append(loss.item())", 'print(f"{loss.item()}")')
    assert not any("keeps the graph" in form for form in planted(printed, "LL401"))


def test_statements_that_share_a_line_are_not_edited() -> None:
    joined = PLAIN.replace("        loss.backward()\n", "        loss.backward(); count()\n")
    assert "the backward moved to just after the step" not in planted(joined, "LL105")
    for mutant in mutants(joined):
        assert "count()" in mutant.text


def test_a_comment_moves_with_its_statement() -> None:
    commented = PLAIN.replace("optimizer.zero_grad()", "optimizer.zero_grad()  # fresh")
    text = planted(commented, "LL101")["the clear moved to just before the step"]
    assert "        optimizer.zero_grad()  # fresh\n        optimizer.step()\n" in text


def test_source_positions_count_characters_not_bytes() -> None:
    script = read_program('name = "é" ; value = 1\ntext = "é" + str(value)\n')
    last = script.tree.body[-1]
    assert isinstance(last, ast.Assign)
    assert script.text(last.value) == '"é" + str(value)'


def finding(code: str, path: Path) -> Finding:
    return Finding(code, code, "", str(path), Location(1, 1), Location(1, 2))


def test_only_correct_fixtures_are_bases(tmp_path: Path) -> None:
    rule = tmp_path / "missing_zero_grad"
    (rule / "files").mkdir(parents=True)
    (rule / "files.expert").mkdir()
    (rule / "loud.py").write_text("step()  # expect: LL102\n")
    (rule / "loud.expert.py").write_text("clear()\nstep()\n")
    (rule / "loud.fixed.py").write_text("clear()\nstep()\n")
    (rule / "quiet.py").write_text(PLAIN)
    for folder, mark in (("files", "  # expect: LL102"), ("files.expert", "")):
        (rule / folder / "main.py").write_text("import engine\n")
        (rule / folder / "engine.py").write_text(f"step(){mark}\n")
    found = {base.label: base for base in fixture_bases(tmp_path)}
    prefix = "missing_zero_grad"
    assert set(found) == {f"{prefix}/{n}" for n in ("loud.expert.py", "quiet.py", "files.expert/engine.py", "files.expert/main.py")}
    assert dict(found[f"{prefix}/files.expert/engine.py"].siblings()) == {"main.py": "import engine\n"}
    assert dict(found[f"{prefix}/quiet.py"].siblings()) == {}


def test_real_scripts_come_from_a_folder_of_checkouts(tmp_path: Path) -> None:
    (tmp_path / "owner__name").mkdir()
    (tmp_path / "owner__name" / "train.py").write_text("import model\n")
    (tmp_path / "owner__name" / "model.py").write_text("layers = 3\n")
    scripts = tmp_path / "scripts.json"
    scripts.write_text('[{"repo": "owner/name", "path": "train.py"}, {"repo": "owner/absent", "path": "train.py"}]')
    (base,) = real_bases(tmp_path, scripts)
    assert base.label == "owner/name/train.py"
    assert dict(base.siblings()) == {"model": "layers = 3\n"}


def test_detection_counts_only_what_the_base_did_not_have(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PLAIN)
    base = Base("train.py", tmp_path, "train.py", "train.py", "fixture")

    def lint_without_clears(path: Path) -> Iterable[Finding]:
        """A false LL103 on every text, and a true LL102 where no clear is called in the batch loop."""
        yield finding("LL103", path)
        if "        optimizer.zero_grad()\n" not in path.read_text():
            yield finding("LL102", path)

    by_rule: dict[str, set[bool]] = {}
    for outcome in outcomes(base, mutants(base.source, {}, ("LL102", "LL103", "LL109")), lint_without_clears):
        by_rule.setdefault(outcome.mutant.code, set()).add(outcome.detected)
    assert by_rule == {"LL102": {True}, "LL103": {False}}
