"""Two runs beside each other: the repaired copy, another script, and the page."""

from __future__ import annotations

import itertools
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from test_run import BACKWARD, CLEAR, CLIP, CORRECT, edited

from looplint.runtime.harness import comparing
from looplint.runtime.harness.comparing import first_difference
from looplint.runtime.harness.running import Inspection, inspect
from looplint.runtime.harness.verify import Verdict, cases, judge
from looplint.runtime.harness.versions import Version, comparison_json, comparison_text, other_script, repaired, with_harm
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm
from places import ROOT

pytestmark = pytest.mark.slow

BROKEN = edited((CLEAR, ""), (CLIP, ""), (BACKWARD, CLIP + BACKWARD), ("total += loss.item()", "total += loss"))


def compared(folder: Path, warm: Warm, source: str, **options: int) -> tuple[Inspection, Version | None]:
    script = folder / "train.py"
    script.write_text(source)
    settings = Options(**options)  # type: ignore[arg-type]
    first = inspect(str(script), settings, launch=warm.launch)
    return first, repaired(str(script), first, settings, launch=warm.launch)


def test_the_repaired_copy_runs_in_memory_and_ends_where_the_correct_script_does(tmp_path: Path, warm: Warm) -> None:
    first, version = compared(tmp_path, warm, BROKEN)
    assert version is not None
    assert (tmp_path / "train.py").read_text() == BROKEN
    assert [p.name for p in tmp_path.iterdir()] == ["train.py"]
    assert {line.split(": ")[1].split()[0] for line in version.repairs} == {"LL102", "LL103", "LL402"}
    assert version.inspection.joined == ()
    correct = tmp_path / "correct.py"
    correct.write_text(CORRECT)
    right = inspect(str(correct), Options(), launch=warm.launch).recording.stream
    ends = [run.end["optimizers"][0]["end"] for run in (version.inspection.recording.stream, right)]
    assert ends[0] == ends[1]
    assert {Path(e.file).name for e in version.inspection.recording.stream.of("step")} == {"train.py"}
    text = comparison_text(first, version)
    assert "They first differ at step 1: gradient norm" in text
    assert "Findings left in repaired: none." in text
    assert json.loads(json.dumps(comparison_json(first, version)))["first_difference"]["number"] == 1


def test_a_comparison_measures_the_damage_of_what_happens(tmp_path: Path, warm: Warm) -> None:
    first, version = compared(tmp_path, warm, BROKEN)
    assert version is not None
    before, after = ({j.code: (j.verdict, j.text) for j in seen.joined} for seen in (first, with_harm(first, version)))
    assert before["LL103"][0] == "happens"
    verdict, text = after["LL103"]
    assert verdict == "does harm"
    assert text.startswith(f"{before['LL103'][1]}; compared with repaired: ")
    assert "used a gradient norm above the limit" in text


VALIDATED = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(64, 4), torch.randn(64, 1))
train, valid = DataLoader(data, 8, shuffle=True), DataLoader(data, 8)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    net.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
    error = 0.0
    with torch.no_grad():
        for x, y in valid:
            error += nn.functional.mse_loss(net(x), y).item()
    print(epoch, error)
"""


def test_what_a_validation_puts_out_is_compared(tmp_path: Path, warm: Warm) -> None:
    first, version = compared(tmp_path, warm, VALIDATED, outputs=True)
    assert version is not None
    assert [(j.code, j.verdict) for j in first.joined] == [("LL302", "happens")]
    (joined,) = with_harm(first, version).joined
    assert joined.verdict == "does harm"
    assert "compared with repaired: they differ at forward 9: norm of an output that no backward uses" in joined.text
    assert "They first differ at forward 9" in comparison_text(first, version)


def test_what_a_validation_puts_out_is_the_same_without_its_graph(tmp_path: Path, warm: Warm) -> None:
    source = VALIDATED.replace("    error = 0.0\n", "    error = 0.0\n    net.eval()\n").replace("torch.no_grad()", "torch.enable_grad()")
    other = tmp_path / "other.py"
    other.write_text(source.replace("torch.enable_grad()", "torch.no_grad()"))
    first, _ = compared(tmp_path, warm, source, outputs=True)
    stream = other_script(str(tmp_path / "train.py"), str(other), Options(outputs=True), launch=warm.launch).inspection.recording.stream
    assert first_difference(first.recording.stream, stream) is None
    assert sum("output" in e.facts for e in stream.of("forward")) > 16


def test_what_a_repair_leaves_is_judged_in_the_repaired_text(tmp_path: Path, warm: Warm) -> None:
    source = BROKEN.replace("        scheduler.step()\n", "")
    _, version = compared(tmp_path, warm, source)
    assert version is not None
    left = {(j.code, j.verdict) for j in version.inspection.joined}
    assert ("LL205", "does harm") in left


def test_there_is_no_other_version_of_what_needs_no_repair(tmp_path: Path, warm: Warm) -> None:
    assert compared(tmp_path, warm, CORRECT, steps=2)[1] is None


def test_another_script_is_compared_from_the_same_seed(tmp_path: Path, warm: Warm) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text(CORRECT)
    other.write_text(CORRECT.replace("lr=0.1", "lr=0.2"))
    first = inspect(str(one), Options(steps=4), launch=warm.launch)
    same = other_script(str(one), str(one), Options(steps=4), launch=warm.launch)
    assert first_difference(first.recording.stream, same.inspection.recording.stream) is None
    version = other_script(str(one), str(other), Options(steps=4), launch=warm.launch)
    difference = first_difference(first.recording.stream, version.inspection.recording.stream)
    assert difference is not None
    assert (difference.title, difference.number, difference.one, difference.other) == ("learning rate", 1, 0.1, 0.2)


def test_the_rows_of_a_table_are_few_and_hold_the_last() -> None:
    assert comparing.chosen(5) == [0, 1, 2, 3, 4]
    rows = comparing.chosen(1000)
    assert (rows[0], rows[-1]) == (0, 999)
    assert len(rows) <= comparing.ROWS + 1
    gaps = [b - a for a, b in itertools.pairwise(rows)]
    assert gaps == sorted(gaps)


class Page(HTMLParser):
    """The parts of a page: how often each element opens and closes, its plots, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.plots: list[dict[str, list[object]]] = []
        self.text = ""
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "col", "br", "link", "img"):
            self.open.append(tag)
        self.loads += [value or "" for name, value in attrs if name in ("src",) or (tag == "link" and name == "href")]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            if data.startswith('{"data"'):
                self.plots.append(json.loads(data))
        else:
            self.text += data


def test_the_page_holds_all_it_needs(tmp_path: Path, warm: Warm) -> None:
    pytest.importorskip("plotly")
    from looplint.runtime.reporting.comparison import comparison_page

    first, version = compared(tmp_path, warm, BROKEN)
    assert version is not None
    page = Page()
    page.feed(comparison_page(first, version))
    assert (page.wrong, page.open, page.loads) == ([], [], [])
    (plot,) = page.plots
    assert {trace["name"] for trace in plot["data"]} == {"as it is", "repaired"}  # type: ignore[index]
    assert "They first differ at step 1" in page.text
    assert "optimizer.zero_grad()" in page.text


def test_a_report_is_small_and_links_only_to_the_cases_that_ran(warm: Warm) -> None:
    pytest.importorskip("plotly")
    from looplint.runtime.reporting.page import page, section

    found = [judge(case, Options(seconds=60), warm.launch) for case in list(cases(ROOT / "fixtures" / "logged_tensor", "LL401"))[:2]]
    ran = [(verdict, runs) for verdict, runs in found if runs is not None]
    left_out = Verdict("a-rule", "LL999", "a_case", "not run", "no expert's repair")
    text = page([left_out, *(verdict for verdict, _ in ran)], [section(*each) for each in ran], "cpu")
    assert text.count('<a href="#') == len(ran) == 2
    # A page of no case takes 2.0 MB, which is plotly's script; one of 284 is to stay under 3.
    assert len(text) - len(page([], [], "cpu")) < 2 * 3_500
