"""Several repairs as one: it names what all of them are done to, is as safe as the least safe, and is made for all or not at all."""

from __future__ import annotations

from typing import cast

import pytest

from looplint.finding import Applicability
from looplint.linting.edits import apply_edits
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.layout import Layout
from looplint.repairs.planner import Planner
from looplint.repairs.repair import Plan, Repair
from looplint.repairs.together import Together
from looplint.sources.reading import decode
from looplint.syntax.parsing import parsed
from looplint.syntax.project import ModuleInfo

TEXT = """\
first()
second()
third()
"""


class _Switch(Repair):
    """Stands for the repair of one model; without a name it cannot be made."""

    name: str
    applicability: Applicability = "safe"

    def plan(self, p: Planner) -> Plan:
        if not self.name:
            raise Infeasible("the model has no name where it is validated")
        return Plan(f"Set {self.name} to eval mode", self.applicability, [], self.name)


def together(*repairs: Repair) -> Plan:
    return Together(repairs=repairs).plan(cast(Planner, None))


def test_it_names_all() -> None:
    assert together(_Switch(name="enc"), _Switch(name="dec")).message == "Set enc and dec to eval mode"
    assert together(*(_Switch(name=name) for name in "abcd")).message == "Set a, b and 2 more to eval mode"


def test_it_is_as_safe_as_the_least_safe() -> None:
    assert together(_Switch(name="enc"), _Switch(name="dec")).applicability == "safe"
    assert together(_Switch(name="enc"), _Switch(name="dec", applicability="unsafe")).applicability == "unsafe"


def test_it_is_made_for_all_or_not_at_all() -> None:
    with pytest.raises(Infeasible, match="no name"):
        together(_Switch(name="enc"), _Switch(name=""))


def draft(layout: Layout, first: int, last: int) -> Draft:
    """A draft that puts some statements of TEXT under a header."""
    made = Draft(layout)
    statements = layout.top.statements
    made.wrap(statements[first], statements[last], "with torch.no_grad():")
    return made


@pytest.fixture
def layout() -> Layout:
    source = decode(TEXT.encode(), None, "loop.py")
    info = ModuleInfo(source.place_of_imports, source.display, source)
    info.code = parsed(source.text)
    return Layout(info)


def text_with(drafts: Draft) -> str:
    edits = drafts.edits()
    assert {edit.content for edit in edits if edit.content.strip()} == {"with torch.no_grad():\n    "}
    return apply_edits(TEXT, edits)


def test_what_stands_under_the_same_header_is_put_there_once(layout: Layout) -> None:
    both = draft(layout, 0, 1)
    for first, last in ((0, 1), (1, 1)):
        both.add(draft(layout, first, last))
    assert text_with(both) == "with torch.no_grad():\n    first()\n    second()\nthird()\n"


def test_headers_beside_each_other(layout: Layout) -> None:
    both = draft(layout, 0, 0)
    both.add(draft(layout, 2, 2))
    assert text_with(both) == "with torch.no_grad():\n    first()\nsecond()\nwith torch.no_grad():\n    third()\n"


def test_headers_over_some_of_the_same_code(layout: Layout) -> None:
    both = draft(layout, 0, 1)
    with pytest.raises(Infeasible, match="overlap"):
        both.add(draft(layout, 1, 2))
