"""An analysis that is done holds nothing: a run over many files needs no more memory than its largest."""

from __future__ import annotations

import gc
from pathlib import Path

from looplint.domain.objects import Obj
from looplint.flow.graph import Node
from looplint.interpreter.frames import Frame
from looplint.linting.analysis import analyse_file
from looplint.linting.catalogue import load_all
from looplint.sources.reading import read_source

GOLDENS = Path(__file__).parents[1] / "goldens"


def test_what_an_analysis_was_made_of_is_freed_without_a_search_for_garbage() -> None:
    rules, sources = load_all(), [read_source(str(path)) for path in sorted(GOLDENS.glob("*.py"))]
    analyse_file(sources[0], rules)  # what is read once stays
    gc.collect()
    gc.disable()
    try:
        before = len([thing for thing in gc.get_objects() if isinstance(thing, Frame | Obj | Node)])
        assert len([analyse_file(source, rules) for source in sources]) > 3
        after = len([thing for thing in gc.get_objects() if isinstance(thing, Frame | Obj | Node)])
    finally:
        gc.enable()
    assert after == before
