"""The classes of abstract objects: the tables can name each, and each field says what it holds."""

from __future__ import annotations

import ast
import inspect

from looplint.domain import objects


def test_the_tables_can_name_every_kind() -> None:
    classes = [c for c in vars(objects).values() if inspect.isclass(c) and issubclass(c, objects.Obj) and "kind" in vars(c)]
    assert {c.kind: c for c in classes if c is not objects.Obj} == objects.KINDS


def test_every_field_says_what_it_holds() -> None:
    text = inspect.getsource(objects)
    lines = text.splitlines()
    fields = [s for c in ast.walk(ast.parse(text)) if isinstance(c, ast.ClassDef) for s in c.body if isinstance(s, ast.AnnAssign)]
    assert fields
    assert [ast.unparse(s.target) for s in fields if not lines[s.lineno - 2].strip().startswith("#")] == []
