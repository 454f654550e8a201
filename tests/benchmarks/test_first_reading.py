"""A round of first readings: what is written down of a repository, and that a round which was cut off goes on where it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.first_reading.__main__ import COLUMNS, main, read

SCRIPT = """\
import torch

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in [(torch.ones(2, 4), torch.ones(2, 1))] * 3:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    {between}optimizer.step()
"""


def test_a_round_is_written_down_and_goes_on_where_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    checkouts, out = tmp_path / "checkouts", tmp_path / "out"
    for name, between in (("a__right", ""), ("a__wrong", "optimizer.zero_grad()\n    ")):
        (checkouts / name).mkdir(parents=True)
        (checkouts / name / "train.py").write_text(SCRIPT.format(between=between))
    options = ["--checkouts", str(checkouts), "--out", str(out)]
    assert main([*options, "--per-repository", "0"]) == 0
    repositories, planted = read(out)
    assert [(r.name, r.states) for r in repositories] == [("a__right", {"train.py": "recovered"}), ("a__wrong", {"train.py": "recovered"})]
    assert [[f["code"] for f in r.findings] for r in repositories] == [[], ["LL101"]]
    assert not planted
    header, row = (out / "findings.tsv").read_text().splitlines()
    assert tuple(header.split("\t")) == COLUMNS
    assert row.split("\t")[:6] == ["a__wrong", "train.py", "9", "LL101", "error", "safe"]
    before = (out / "a__wrong.json").read_text()
    (checkouts / "a__wrong" / "train.py").write_text("")
    assert main([*options, "--per-repository", "2"]) == 0
    assert (out / "a__wrong.json").read_text() == before
    found = [bug.found for bug in read(out)[1]["a__right"]]
    assert len(found) == 2 and all(found)
    assert "2 of 2 planted bugs found (100.0 %), in 1 repositories" in capsys.readouterr().out
    assert not list(out.glob("*.busy"))
