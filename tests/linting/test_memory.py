"""An analysis that is done holds nothing: a run over many files needs no more memory than its largest."""

from __future__ import annotations

import gc
from pathlib import Path

from looplint.domain.objects import Obj
from looplint.flow.graph import Node
from looplint.interpreter.frames import Frame
from looplint.linting.analysis import analyse_file
from looplint.linting.catalogue import load_all
from looplint.sources.reading import from_text, read_source
from looplint.syntax.lowering_expressions import ExpressionLowering

GOLDENS = Path(__file__).parents[1] / "goldens"


def _living() -> int:
    """How many things there are that an analysis is made of."""
    return len([thing for thing in gc.get_objects() if isinstance(thing, Frame | Obj | Node | ExpressionLowering)])


def test_what_an_analysis_was_made_of_is_freed_without_a_search_for_garbage() -> None:
    rules, sources = load_all(), [read_source(str(path)) for path in sorted(GOLDENS.glob("*.py"))]
    analyse_file(sources[0], rules)  # what is read once stays
    gc.collect()
    gc.disable()
    try:
        before = _living()
        assert len([analyse_file(source, rules) for source in sources]) > 3
        after = _living()
    finally:
        gc.enable()
    assert after == before


DEFINED_INSIDE = """
import torch


def make(net, rate):
    class Kept:
        net = net

    def step(x):
        return step(net(x)) if rate else (lambda: step)

    return step, Kept


step, kept = make(torch.nn.Linear(4, 1), {rate})
for x in range(10):
    step(x)
"""


def test_what_is_defined_in_functions_and_what_reads_the_text_are_freed_as_well() -> None:
    rules, sources = load_all(), [from_text(DEFINED_INSIDE.replace("{rate}", str(n)), None, f"{n}.py") for n in range(4)]
    analyse_file(sources[0], rules)
    gc.collect()
    gc.disable()
    try:
        before = _living()
        for source in sources[1:]:
            analyse_file(source, rules)
        after = _living()
    finally:
        gc.enable()
    assert after == before
