"""What is found out about lowered code is asked once, and goes with the code."""

import gc
import weakref

from looplint.syntax import ir
from looplint.syntax.parsing import parsed


class Answer:
    pass


def test_a_fact_is_found_once_for_each_code() -> None:
    asked: list[ir.Function] = []

    @ir.kept_with_code
    def length(function: ir.Function) -> int:
        asked.append(function)
        return len(function.body)

    first, second = parsed("def f():\n    a = 1\n    b = 2\n\n\ndef g():\n    c = 3\n").functions[1:]
    assert [length(first), length(first), length(second), length(first)] == [2, 2, 1, 2]
    assert asked == [first, second]


def test_facts_of_one_code_do_not_mix() -> None:
    @ir.kept_with_code
    def name(function: ir.Function) -> str:
        return function.name

    @ir.kept_with_code
    def place(function: ir.Function) -> str:
        return function.qualname

    method = parsed("class C:\n    def f(self): ...\n").functions[-1]
    assert (name(method), place(method)) == ("f", "C.f")


def test_a_fact_does_not_outlive_its_code() -> None:
    @ir.kept_with_code
    def answer(code: ir.ModuleCode) -> Answer:
        return Answer()

    code = ir.ModuleCode(parsed("").tree, parsed("").top, [], [], [])
    found = weakref.ref(answer(code))
    assert found() is not None
    del code
    gc.collect()
    assert found() is None
