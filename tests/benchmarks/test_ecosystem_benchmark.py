"""How the findings on real repositories are matched with their judgements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.ecosystem.__main__ import (
    FRESH,
    FRESH_JUDGEMENTS,
    HERE,
    JUDGEMENTS,
    OPT_IN,
    OPT_IN_JUDGEMENTS,
    Found,
    findings,
    report,
    sampled,
)
from looplint.linting.selection import Selection

LOOP = "import torch\nnet = torch.nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=1)\nfor x in data:\n    net(x).sum().backward()\n    opt.step()\n"


def test_a_finding_is_matched_by_the_text_of_its_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("# moved\n" + LOOP)
    assert findings("a/b", tmp_path) == [Found("a/b", "train.py", "LL102", "net(x).sum().backward()")]


def test_new_and_gone_findings_are_named() -> None:
    one, two, three = (Found("a/b", "train.py", "LL102", line) for line in ("one", "two", "three"))
    text = report([one, two], {one: {"verdict": "true"}, three: {"verdict": "false"}}, {"a/b"}, 3)
    assert "| LL102 | 1 | 1 | 100% |" in text and "new: a/b train.py LL102 two" in text and "gone: a/b train.py LL102 three" in text


def test_every_judgement_has_a_verdict_and_a_reason_and_a_listed_repository() -> None:
    known = {name: {r["repo"] for r in json.loads((HERE / name).read_text())} for name in ("repositories.json", FRESH)}
    assert not known["repositories.json"] & known[FRESH]
    for name in (JUDGEMENTS, OPT_IN_JUDGEMENTS, FRESH_JUDGEMENTS):
        repositories = known[FRESH if name == FRESH_JUDGEMENTS else "repositories.json"]
        for judgement in json.loads((HERE / name).read_text()):
            assert judgement["verdict"] in ("true", "false") and judgement["reason"] and judgement["repo"] in repositories


@pytest.mark.parametrize("name", [JUDGEMENTS, OPT_IN_JUDGEMENTS, FRESH_JUDGEMENTS])
def test_each_file_judges_its_own_rules(name: str) -> None:
    codes = {j["code"] for j in json.loads((HERE / name).read_text())}
    assert codes and (codes <= set(OPT_IN) if name == OPT_IN_JUDGEMENTS else not codes & set(OPT_IN))


def test_a_sample_says_how_many_were_not_read() -> None:
    one, two, three = (Found("a/b", "train.py", "LP004", line) for line in ("one", "two", "three"))
    text = sampled([one, two], {one: {"verdict": "true"}, three: {"verdict": "false"}}, {"a/b"}, 3)
    assert "| LP004 | 2 | 1 | 1 | 100.0% |" in text and "1 of 2 findings were not read" in text and "gone: a/b train.py LP004 three" in text


def test_opt_in_rules_are_asked_where_they_are_selected(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LOOP.replace("    opt.step()", "    opt.step()\n    torch.cuda.empty_cache()"))
    assert {f.code for f in findings("a/b", tmp_path, Selection(select=OPT_IN))} == {"LP005"}


def test_safe_repairs_that_were_not_read_are_named() -> None:
    one, two = (Found("a/b", "train.py", "LL102", line, safe=True) for line in ("one", "two"))
    text = report([one, two], {one: {"verdict": "true", "repair": "right"}, two: {"verdict": "true"}}, {"a/b"}, 3)
    assert "2 safe repairs of true findings: 1 read and right, 0 wrong." in text and "repair not read: a/b train.py LL102 two" in text
