"""What conditions that hold say of others."""

from __future__ import annotations

import libcst as cst
import pytest

from looplint.syntax import ir
from looplint.syntax.implication import Implications
from looplint.syntax.lowering import lower


def _test(text: str) -> ir.Expr:
    stmt = lower(cst.parse_module(f"if {text}:\n    pass\n")).top.body[0]
    assert isinstance(stmt, ir.If)
    return stmt.test


@pytest.mark.parametrize(
    ("known", "held", "asked", "outcome"),
    [
        ("mode == 'train'", True, "mode == 'test'", False),
        ("mode == 'train'", True, "mode != 'test'", True),
        ("mode == 'train'", True, "mode in ('train', 'finetune')", True),
        ("mode == 'train'", True, "mode not in ['test', 'dev']", True),
        ("mode == 'train'", True, "mode == 'test' or mode == 'dev'", False),
        ("mode == 'train'", True, "mode == 'train' and fast", None),
        ("mode == 'train'", True, "mode == 'test' and fast", False),
        ("mode == 'train'", False, "mode == 'test'", None),
        ("mode != 'train'", False, "mode == 'train'", True),
        ("mode != 'train'", True, "mode == 'train'", False),
        ("mode == 'train' and fast", True, "not fast", False),
        ("mode == 'train' and fast", False, "fast", None),
        ("mode == 'train' or fast", False, "fast", False),
        ("not fast", True, "fast", False),
        ("kept is None", False, "kept is not None", True),
        ("stage == 1", True, "stage == 2", False),
        ("stage > 1", True, "stage == 1", None),
        ("mode == other", True, "mode == 'test'", None),
        ("mode in ('train', 'tune')", True, "mode == 'test'", False),
        ("mode in ('train', 'tune')", True, "mode == 'train'", None),
        ("mode in ('train', 'tune')", True, "mode in ['tune', 'train', 'test']", True),
        ("mode in ('train', 'tune')", True, "mode in ('test', 'dev')", False),
        ("mode in ('train', 'tune') and mode != 'tune'", True, "mode == 'train'", True),
        ("mode in ('train', 'tune')", False, "mode == 'tune'", False),
        ("mode in ('train', 'tune')", False, "mode == 'test'", None),
        ("mode in ('train', other)", True, "mode == 'test'", None),
        ("mode == 'train' or mode == 'tune'", False, "mode in ('train', 'tune')", False),
        ("mode == 'train' or mode == 'tune'", True, "mode == 'test'", False),
        ("mode == 'train' or mode == 'tune'", True, "mode == 'train'", None),
        ("mode == 'train' or mode == 'tune' or mode == 'dev'", True, "mode in ('tune', 'dev') or mode == 'train'", True),
        ("mode == 'train' or mode == 'tune'", True, "mode != 'test' and mode != 'dev'", True),
        ("mode != 'train' and mode != 'tune'", False, "mode == 'test'", False),
        ("mode == 'train' or other == 'tune'", True, "mode == 'test'", None),
        ("mode == 'train' or fast", True, "mode == 'test'", None),
        ("mode == 'train'", True, "mode in modes", None),
        ("mode == 'train'", True, "mode in ('test', other)", None),
    ],
)
def test_a_condition_decides_another(known: str, held: bool, asked: str, outcome: bool | None) -> None:
    assert Implications([(_test(known), held)]).outcome(_test(asked)) is outcome
