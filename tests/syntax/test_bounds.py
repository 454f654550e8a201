"""Texts that are nested too deeply for the parser are refused before it is called; those that people and generators write are not."""

from __future__ import annotations

import threading

import pytest

from benchmarks.robustness.families import CHAINS, FAMILIES, NESTED, RUNS
from looplint.flow.events import Backward
from looplint.linting.analysis import Unparsable, build_program
from looplint.sources.reading import decode
from looplint.syntax.bounds import MOST_LINKS, TooDeep, check

# Blocks are counted, and what is no tree at all.
FLAT = {"functions that call the next", "classes that extend the one before", "decorators", "contexts of one statement", "targets"}
REFUSED = {name: make for name, make in {**NESTED, **CHAINS}.items() if name not in FLAT}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_too_deep_is_refused(name: str) -> None:
    with pytest.raises(TooDeep) as error:
        check(REFUSED[name](MOST_LINKS + 1))
    assert 6 <= error.value.row <= 2100, "the row is one of the statement's"


@pytest.mark.parametrize("name", [*CHAINS, *(name for name in NESTED if name != "brackets that never close")])
def test_what_is_as_deep_as_any_real_code_is_not(name: str) -> None:
    check(FAMILIES[name](40))


@pytest.mark.parametrize("name", [name for name in RUNS if name != "quotes"])
def test_length_alone_is_no_depth(name: str) -> None:
    check(FAMILIES[name](3000))


@pytest.mark.parametrize(
    "hidden",
    [
        "x = " + "- \\\n" * 2100 + "1",
        "x = " + "(\n" * 300 + "1" + ")" * 300,
        "x = " + "(')' '''\nreturn\n''' " * 300 + "1" + ")" * 300,
        "x = " + "(  # )\n" * 300 + "1" + ")" * 300,
        "x = " + "(r'\\')' " * 300 + "1" + ")" * 300,
        'x = f"{' + "(" * 300 + "1" + ")" * 300 + '}"',
        "x = f'''\n{" + "[" * 300 + "1" + "]" * 300 + "}'''",
        "x = " + "lambda a, b=1: " * 1100 + "1",
        "x = " + "-(" * 190 + "-" * 1500 + "1" + ")" * 190,
        "x = " + "- " * 1100 + "1",
        "x = a" + "\\\n.a" * 2100,
        "x = (a" + "\n.a # .\n" * 2100 + ")",
        "x = (a" + " (\n)" * 1100 + ")",
        "x = " + "(defx\n" * 300 + ")" * 300,
        "\r\n" + "x = " + "(\r\n" * 300 + "1" + ")" * 300,
        "".join(" " * n + "if a:\n" for n in range(130)) + " " * 130 + "pass",
    ],
)
def test_depth_cannot_be_hidden(hidden: str) -> None:
    with pytest.raises(TooDeep):
        check("import torch\n" + hidden + "\nloss.backward()\n")


@pytest.mark.parametrize(
    "text",
    [
        "x = [" + "(1, 2, -3), " * 5000 + "]",
        "x = {" + "'a': lambda a, b: a + b,\n" * 2000 + "}",
        "x = '" + "(" * 5000 + "'",
        "# " + "(-" * 5000,
        "'''" + "(-\n" * 5000 + "'''",
        "x = f'''<style>" + "a {{ b: -c; }}\n" * 3000 + "</style>{a}'''",
        "x = 1\n" * 5000 + "y = (1 + 2) * -3\n" * 5000,
        "f'{x['a']}'\n" * 1000 + "def f(): pass\n" * 1000,
    ],
    ids=["a table", "functions in a table", "a string", "a comment", "a docstring", "a page", "statements", "quotes in quotes"],
)
def test_what_only_looks_deep(text: str) -> None:
    check(text)


# As long as CPython takes them; with calls half as long, which take the parser longer.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("elif", 1500),
        ("joined strings", 1500),
        ("or", 1500),
        ("comparisons", 1500),
        ("sums", 1500),
        ("attributes", 1500),
        ("calls", 399),
        ("methods", 399),
    ],
)
def test_long_chains_are_analysed_on_a_larger_stack(name: str, links: int) -> None:
    program, _ = build_program(decode(FAMILIES[name](links).encode(), None, "train.py"))
    assert program.complete and list(program.of(Backward))


def test_long_chains_need_no_large_stack_of_their_thread() -> None:
    """The parser would overflow a small one, and the process die."""
    source = decode(FAMILIES["sums"](1500).encode(), None, "train.py")
    judged: list[bool] = []
    usual = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=lambda: judged.append(build_program(source)[0].complete))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(usual)
    assert judged == [True]


def test_the_place_is_named() -> None:
    with pytest.raises(Unparsable) as error:
        build_program(decode(("import torch\n\nx = " + "-" * 1100 + "1\n").encode(), None, "train.py"))
    assert (
        str(error.value) == "train.py:3:1: has an expression of more than 1000 signs, powers, negations, conditions or lambdas in a chain"
    )
