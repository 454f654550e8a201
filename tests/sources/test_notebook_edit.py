"""Edits written back into notebooks: nothing changes but the edited lines, whatever the notebook's style."""

from __future__ import annotations

import copy
import json
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from looplint.finding import Location
from looplint.sources.magics import rows_of
from looplint.sources.notebook_edit import place_in_json, rewrite
from looplint.sources.notebook_json import NotebookError
from looplint.sources.notebooks import combine

CELL: dict[str, Any] = {
    "cell_type": "code",
    "execution_count": 3,
    "metadata": {"tags": ["é"]},
    "outputs": [{"name": "stdout", "output_type": "stream", "text": ["π"]}],
}


def notebook(*sources: Any, **style: Any) -> bytes:
    cells = [{**CELL, "id": f"a{n}", "source": s} for n, s in enumerate(sources)]
    document = {
        "nbformat_minor": 5,
        "cells": cells,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "nbformat": 4,
    }
    return json.dumps(document, **style).encode()


STYLES: dict[str, dict[str, Any]] = {
    "as Jupyter writes it": {"indent": 1, "ensure_ascii": False},
    "wide, and ASCII only": {"indent": 4},
    "on one line": {"separators": (",", ":"), "ensure_ascii": False},
    "with tabs": {"indent": "\t"},
}


@pytest.mark.parametrize("style", STYLES)
def test_a_changed_row_is_all_that_changes(style: str) -> None:
    raw = notebook(["é = 1\n", "x = 2\n", "y = 3"], "a = 'ü'\nb = 2\n", **STYLES[style])
    text = combine(raw).text
    changed = rewrite(raw, text.replace("x = 2", "x = 22").replace("b = 2\n", "b = 2\nc = '<é>'\n"))
    made = "c = '<é>'" if not STYLES[style].get("ensure_ascii", True) else "c = '<\\u00e9>'"
    assert changed == raw.replace(b"x = 2", b"x = 22").replace(b"b = 2\\n", b"b = 2\\n" + made.encode() + b"\\n")


def test_rows_come_and_go_with_the_white_space_of_the_list() -> None:
    raw = notebook(["a = 1\n", "b = 2"], ["only = 1"], indent=2)
    text = combine(raw).text
    changed = rewrite(raw, text.replace("b = 2\n", "").replace("only = 1\n", "first = 0\nonly = 1\nlast = 2\n"))
    assert changed == notebook(["a = 1"], ["first = 0\n", "only = 1\n", "last = 2"], indent=2)


def test_unusual_escapes_of_a_row_that_stays_stay() -> None:
    raw = notebook(["x = 'A<B'\n", "y = 1"]).replace(b"A<B", b"\\u0041\\u003cB\\/\\ud83d\\ude00")
    text = combine(raw).text
    assert rewrite(raw, text.replace("y = 1\n", "y = '<'\n")) == raw.replace(b'"y = 1"', b"\"y = '\\u003c'\"")
    assert rewrite(raw, text.replace("y = 1\n", "")) == raw.replace(b'\\n", "y = 1"', b'"')


def test_line_ends_of_windows_and_a_byte_order_mark_stay() -> None:
    raw = b"\xef\xbb\xbf" + notebook(["x = 1\r\n", "y = 2"], indent=1).replace(b"\n", b"\r\n")
    changed = rewrite(raw, combine(raw).text.replace("y = 2\n", "y = 3\nz = 4\n"))
    assert changed == raw.replace(b'"y = 2"', b'"y = 3\\r\\n",\r\n    "z = 4"')


def test_magics_stay_and_edits_around_them_are_written() -> None:
    raw = notebook(["%%time\n", "!ls\n", "%time f()\n", "x = 1"], indent=1)
    text = combine(raw).text
    assert rewrite(raw, text.replace("x = 1", "x = 2")) == raw.replace(b"x = 1", b"x = 2")
    with pytest.raises(NotebookError, match="no Python"):
        rewrite(raw, text.replace("None; f()", "None; g()"))


def test_what_is_put_at_the_top_of_the_program_goes_into_the_first_cell() -> None:
    raw = notebook(["x = 1"], ["y = 1"])
    assert rewrite(raw, "import torch\n" + combine(raw).text) == notebook(["import torch\n", "x = 1"], ["y = 1"])


def test_an_edit_over_a_border_is_refused() -> None:
    raw = notebook(["x = 1"], ["y = 1"])
    text = combine(raw).text
    for edited in (text.replace("# %% cell 2\n", ""), "".join(reversed(rows_of(text))), ""):
        with pytest.raises(NotebookError, match="border"):
            rewrite(raw, edited)


LINES = st.sampled_from(
    ["x = 1", "y = 'é'", "z = '😀'", "    pass", "", "# %% cell 1", 's = "\\n\\t"', "loss.backward()", "#", "u = '\\u00e9'"]
)
SOURCES = st.builds(
    lambda lines, end, closed: end.join(lines) + (end if closed else ""),
    st.lists(LINES, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)


def in_program(text: str) -> list[str]:
    return [row.rstrip("\r\n") for row in rows_of(text) if "# %% cell" not in row]


def as_list(text: str) -> list[str]:
    return rows_of(text)


@st.composite
def chunked(draw: st.DrawFn) -> list[str]:
    """A list whose strings are no rows, as some converters leave them."""
    text = draw(SOURCES)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=3)))
    return [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]


@given(
    st.lists(st.one_of(SOURCES, SOURCES.map(as_list), chunked()), min_size=1, max_size=4),
    st.sampled_from(sorted(STYLES)),
    st.data(),
)
def test_any_edit_of_rows_reads_back_and_leaves_the_rest(sources: list[Any], style: str, data: st.DataObject) -> None:
    raw = notebook(*sources, **STYLES[style])
    program = combine(raw)
    assert rewrite(raw, program.text) == raw
    rows = rows_of(program.text)
    touchable = [n for c in program.cells for n in range(c.first - 1, c.first - 1 + c.count)]
    for _ in range(data.draw(st.integers(0, 3)) if touchable else 0):
        at = data.draw(st.sampled_from(touchable))
        rows[at] = data.draw(st.sampled_from(["v = 'ñ'\n", rows[at] + "w = 1\n", "w = 1\n" + rows[at]]))
    if program.broken:
        return  # a row of a cell that was left out cannot be edited
    changed = rewrite(raw, "".join(rows))
    before, after = json.loads(raw), json.loads(changed)
    if not combine(changed).broken:
        assert in_program("".join(rows)) == in_program(combine(changed).text)
    nbformat.validate(nbformat.reads(changed.decode(), as_version=4))
    for cell, edited in zip(before["cells"], after["cells"]):
        assert type(cell["source"]) is type(edited["source"])
        edited["source"] = copy.copy(cell["source"])
    assert before == after and list(before) == list(after)


@pytest.mark.parametrize(
    "source",
    [["é = 1\n", "loss.backward()\n"], "é = 1\nloss.backward()\n", ["é = 1\nloss.", "backward()\n"]],
    ids=["rows", "a string", "chunks"],
)
@pytest.mark.parametrize("style", STYLES)
def test_a_place_of_a_cell_is_found_in_the_json_text(source: Any, style: str) -> None:
    raw = notebook("x = 1", source, **STYLES[style])
    place = place_in_json(raw, 2, Location(2, 1))
    assert place is not None
    line = raw.decode().split("\n")[place.row - 1]
    assert line[place.column - 1 :].startswith("loss.")
    assert place_in_json(raw, 9, Location(1, 1)) is None and place_in_json(b"{", 1, Location(1, 1)) is None
