"""What IPython accepts and Python does not, row by row."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from looplint.sources.magics import rows_of, to_python

CASES = {
    "a line magic": ("%matplotlib inline\nx = 1\n", "pass\nx = 1\n"),
    "a shell line in a block keeps its indentation": ("if x:\n    !pip install y\n", "if x:\n    pass\n"),
    "a shell line that goes on": ("!pip install a \\\n    b\nx = 1", "pass\n#\nx = 1"),
    "help before and after": ("?torch\ntorch.optim??\n", "pass\npass\n"),
    "help on a magic": ("%timeit?", "pass"),
    "an assigned magic": ("files = !ls *.py\na, b = %sql 1\n", "files = get_ipython()\na, b = get_ipython()\n"),
    "a timed statement is run, and keeps its columns": ("%time train(net)\n", "None; train(net)\n"),
    "a timed statement with wider spacing": ("  %time   x = f()\n", "  None  ; x = f()\n"),
    "a timed loop is not looked into": ("%time for x in y: f(x)\n", "pass\n"),
    "a cell that is timed": ("%%time\nloss.backward()\n", "#\nloss.backward()\n"),
    "cell magics on cell magics": ("\n%%time\n%%capture out\nx = 1\n", "\n#\n#\nx = 1\n"),
    "a cell that is a file": ("%%writefile train.py\nx = 1\n\ny = 2\n", "#\n#\n\n#\n"),
    "a cell in another language": ("%%bash\nls | wc\n", "#\n#\n"),
    "a whole cell of prose, as Databricks writes it": ("%md\nSome *prose*\n", "#\n#\n"),
    "a remainder in brackets": ("x = (a\n% b)\n", "x = (a\n% b)\n"),
    "a remainder after a continued row": ("x = a \\\n% b\n", "x = a \\\n% b\n"),
    "text that looks like a magic": ('x = """\n%time\n!ls\n"""\n%time\n', 'x = """\n%time\n!ls\n"""\npass\n'),
    "a quote in a comment opens nothing": ("# don't\n!ls\n", "# don't\npass\n"),
    "a bracket in a string opens nothing": ("x = '('\n!ls\n", "x = '('\npass\n"),
    "formatting with a remainder sign": ('print("loss = %f" % x)\nd["a = %d"] = 1\n', 'print("loss = %f" % x)\nd["a = %d"] = 1\n'),
    "a comment that asks": ("x = 1  # why?\n", "x = 1  # why?\n"),
    "a magic without its sign": ("pip install torch==2.4\ncd data\nls -l ..\nx = 1\n", "pass\npass\npass\nx = 1\n"),
    "what only looks like one": ("ls -l\npip = 1\ncd\ntime = time()\nrun (x)\n", "ls -l\npip = 1\ncd\ntime = time()\nrun (x)\n"),
    "line ends of Windows": ("!ls\r\nx = 1\r\n", "pass\r\nx = 1\r\n"),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_that_are_no_python_are_replaced(name: str) -> None:
    cell, expected = CASES[name]
    assert "".join(to_python(cell)) == expected


@given(st.text(alphabet="%!?x=()'\"\\ \n\r#\t:", max_size=60))
def test_rows_never_move(text: str) -> None:
    assert "".join(rows_of(text)) == text
    assert [bool(r.strip()) for r in to_python(text)] == [bool(r.strip()) for r in rows_of(text)]


@given(
    st.lists(
        st.sampled_from(
            ["x = 1", "y = (", "a % b", ")", "if x:", "    z = '''", "    '''", "for a in b:", "    f(a)", "# c'", "", "s = 'a\\", "b'"]
        ),
        max_size=9,
    )
)
def test_what_is_python_stays_as_it_is(lines: list[str]) -> None:
    text = "\n".join(lines)
    try:
        ast.parse(text)
    except SyntaxError:
        return
    assert "".join(to_python(text)) == text
