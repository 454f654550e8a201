"""A finding stays the same finding when the file around it changes, and only then."""

from __future__ import annotations

import pytest

from looplint.finding import Finding, Location
from looplint.linting.fingerprint import Identity, enclosing, identify, normalised

CODE = """\
import torch


class Trainer:
    def fit(self, loader):
        for batch in loader:
            self.opt.step()
        if self.log:
            self.opt.step()


def other(opt):
    opt.step()


if True:
    opt.step()
"""


def finding(row: int, code: str = "LL102") -> Finding:
    return Finding(code, "missing-zero-grad", "…", "train.py", Location(row, 1), Location(row, 9))


def identities(code: str) -> list[Identity]:
    rows = [row for row, line in enumerate(code.splitlines(), 1) if ".step()" in line]
    return identify([finding(row) for row in rows], lambda *_: code.splitlines())


def test_functions_lines_and_order_tell_findings_apart() -> None:
    assert [(i.function, i.line, i.ordinal) for i in identities(CODE)] == [
        ("Trainer.fit", "self.opt.step()", 0),
        ("Trainer.fit", "self.opt.step()", 1),
        ("other", "opt.step()", 0),
        ("", "opt.step()", 0),
    ]
    assert len({i.digest() for i in identities(CODE)}) == 4


EDITS = {
    "lines above": "# one\n# two\n" + CODE,
    "tabs for spaces": CODE.replace("    ", "\t"),
    "a comment on the line": CODE.replace(".step()", ".step()  # TODO"),
    "a line between": CODE.replace("            self.opt.step()\n", "            print(batch)\n            self.opt.step()\n"),
    "another level": CODE.replace(
        "        for batch in loader:\n            self.opt.step()",
        "        if loader:\n            for batch in loader:\n                self.opt.step()",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_elsewhere_change_nothing(name: str) -> None:
    assert EDITS[name] != CODE
    assert identities(EDITS[name]) == identities(CODE)


def test_a_changed_line_is_another_finding() -> None:
    changed = identities(CODE.replace("    opt.step()\n\n\nif", "    opt.step().item()\n\n\nif"))
    assert [i in changed for i in identities(CODE)] == [True, True, False, True]


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("  x  =  1  # why", "x = 1"),
        ("s = '#' + \"# no\"  # yes", "s = '#' + \"# no\""),
        ("s = '\\'# in'  # out", "s = '\\'# in'"),
        ('s = """open # still', 's = """open # still'),
        ("# only", ""),
    ],
)
def test_comments_go_and_strings_stay(line: str, plain: str) -> None:
    assert normalised(line) == plain


def test_a_digest_is_the_same_on_every_machine() -> None:
    assert Identity("a/b.py", "LL101", "f", "x.step()").digest() == "cb06aef75a2b09ff3f701c0e976a19ae"


def test_rows_outside_of_the_file_have_no_function() -> None:
    assert enclosing(CODE.splitlines(), 0) == enclosing(CODE.splitlines(), 99) == ""
