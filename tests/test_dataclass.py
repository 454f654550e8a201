"""The dataclasses that are cheap to declare do what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from types import ModuleType

import pytest

from looplint import dataclass as cheap
from looplint.finding import Finding, Location

DECLARED = """
@dataclass(frozen=True, slots=True, order=True)
class Place:
    row: int
    column: int = 1

@dataclass(frozen=True, slots=True)
class One:
    value: object

@dataclass(frozen=True, slots=True)
class Nothing:
    pass

@dataclass(frozen=True, slots=True)
class Cell(Place):
    name: str = ""
    column: int = 7

    def said(self):
        return f"{self.name}:{self.row}"

@dataclass(slots=True)
class Bag:
    things: list = field(default_factory=list)
    hidden: int = field(default=3, repr=False)
    late: int = field(init=False, default=0)

    def __post_init__(self):
        self.late = len(self.things)

@dataclass(eq=False)
class Same:
    key: int = 0

@dataclass(frozen=True)
class Own:
    key: int

    def __hash__(self):
        return 5

    def __repr__(self):
        return "own"
"""


@pytest.fixture(params=[cheap, dataclasses], ids=["cheap", "standard"])
def declared(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("declared")
    vars(module).update(dataclass=request.param.dataclass, field=request.param.field, replace=request.param.replace)
    monkeypatch.setitem(sys.modules, "declared", module)
    exec(DECLARED, vars(module))
    return module


def test_instances_are_made_shown_compared_and_hashed(declared: ModuleType) -> None:
    d = declared
    assert repr(d.Place(1)) == "Place(row=1, column=1)" and repr(d.Cell(2, name="x")) == "Cell(row=2, column=7, name='x')"
    assert d.Place(1, 2) == d.Place(1, column=2) != d.Place(1, 3) and d.Place(1) != d.Own(1) and d.Place(1, 7) != d.Cell(1)
    assert d.Place(1, 9) < d.Place(2) <= d.Place(2) and d.Place(3) > d.Place(2, 8) >= d.Place(2)
    assert hash(d.Place(1, 2)) == hash((1, 2)) and hash(d.One("x")) == hash(("x",)) and hash(d.Nothing()) == hash(())
    assert d.Nothing() == d.Nothing() and d.One(1) == d.One(1) and repr(d.Nothing()) == "Nothing()"
    assert d.Same(1) != d.Same(1) and hash(d.Own(1)) == 5 and repr(d.Own(1)) == "own"
    assert d.Cell(4, name="x").said() == "x:4"
    with pytest.raises(TypeError, match="unhashable"):
        hash(d.Bag())
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'row'"):
        d.Place()
    with pytest.raises(TypeError):
        _ = d.Place(1) < d.Own(1)


def test_fields_have_defaults_and_slots(declared: ModuleType) -> None:
    d = declared
    one, other = d.Bag(), d.Bag([1, 2])
    one.things.append(5)
    assert d.Bag().things == [] and (one.late, other.late) == (0, 2) and repr(other) == "Bag(things=[1, 2], late=2)"
    assert d.replace(d.Cell(1), name="y") == d.Cell(1, 7, "y")
    assert not hasattr(d.Place(1), "__dict__") and not hasattr(d.Cell(1), "__dict__") and vars(d.Same(2)) == {"key": 2}
    match d.Cell(1, 2, "z"):
        case d.Place(row, column):
            assert (row, column) == (1, 2)
    assert list(inspect.signature(d.Place(1).__init__).parameters) == ["row", "column"]


def test_the_standard_functions_know_them(declared: ModuleType) -> None:
    d = declared
    assert [f.name for f in dataclasses.fields(d.Cell)] == ["row", "column", "name"] and dataclasses.is_dataclass(d.Place)
    assert dataclasses.asdict(d.Bag([1])) == {"things": [1], "hidden": 3, "late": 1}
    assert dataclasses.replace(d.Place(1), row=4) == d.Place(4)


def test_a_finding_crosses_processes() -> None:
    finding = Finding("LL1", "name", "said", "a.py", Location(1, 2), Location(1, 3))
    assert pickle.loads(pickle.dumps(finding)) == finding == copy.deepcopy(finding)
    assert cheap.names(finding)[:2] == ("code", "name")


def test_declaring_compiles_nothing() -> None:
    code = f"import sys\nfrom looplint.dataclass import *\nimport builtins\nbuiltins.exec = None\n{DECLARED}\nprint('dataclasses' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
