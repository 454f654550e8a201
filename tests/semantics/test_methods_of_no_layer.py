"""What a part of a module is asked that no layer has shows that it is no layer: a text, a dict or a logger goes by that name."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.linting.analysis import build_program
from looplint.rule import Forward
from looplint.sources.reading import decode

PROGRAM = """
from torch import nn
from lib import Described


class Template(Described, nn.Module):
    def wrap(self, example):
        text = self.standard
        return ASKED


def main(examples):
    model = Template()
    return [model.wrap(example) for example in examples]
"""


def applied(asked: str) -> list[str]:
    """What the program applies that asks a part of its model something."""
    program, _ = build_program(decode(dedent(PROGRAM.replace("ASKED", asked)).encode(), None, "template.py"))
    return sorted(obj.name for event in program.of(Forward) for obj in event.subjects)


@pytest.mark.parametrize("asked", ["text.copy(example)", "text.format(example)", "text.get(example)", "text.info(example)"])
def test_a_text_or_a_dict_is_not_applied(asked: str) -> None:
    assert applied(asked) == []


def test_a_layer_is() -> None:
    assert applied("text.embed(example)") == ["model.standard.embed"]
