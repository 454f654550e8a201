"""Each command line in the README and the documentation names commands, options and choices that there are; none is executed here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from looplint.commands.cli import cli
from looplint.commands.group import is_command
from places import ROOT

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "editors").glob("*/*.md")),
]
FENCE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
# In a block: where a command begins, also behind a prompt, behind another one and in a workflow.
IN_BLOCK = re.compile(r"^(?:.*?(?:\$|&&|\||;|run:) )?\s*(?:uvx |python -m )?looplint (?P<words>[^\n]*)$", re.MULTILINE)
IN_TEXT = re.compile(r"`(?:uvx |python -m )?looplint (?P<words>[^`]+)`")
OPERATORS = {"|", "||", "&&", ";", ">", ">>", "<", "2>", "&"}
# The pages for users: an option that stands alone in their text is looplint's, but for those of programs that are named beside it.
FOR_USERS = [
    *(ROOT / name for name in ("README.md", "SECURITY.md")),
    *(
        ROOT / f"docs/{name}.md"
        for name in ("index", "running", "notebooks", "output-formats", "loops", "editors", "ci", "survey", "runtime", "writing-a-rule")
    ),
]
OF_OTHERS = {("runtime.md", "--out")}


def commands(text: str) -> Iterator[str]:
    """What follows `looplint` in the command lines of a page."""
    for block in FENCE.findall(text):
        # What a command prints is not a command: in a block with prompts only lines with one are.
        shown = (
            "\n".join(line for line in block.splitlines() if line.lstrip().startswith("$ ")) if re.search(r"^ *\$ ", block, re.M) else block
        )
        yield from (found["words"] for found in IN_BLOCK.finditer(shown))
    yield from (" ".join(found["words"].split()) for found in IN_TEXT.finditer(FENCE.sub("", text)))


def wrong(line: str) -> str | None:
    """What click says of a command line that it cannot read; paths need not be there."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if word in OPERATORS:
            break
        words.append(word)
    if not words or words[0] in ("--version", "-V", "--help", "-h") or words[0].isupper():
        return None
    if re.fullmatch("[a-z-]+", words[0]) and not words[0].startswith("-") and not is_command(words[0]):
        return f"there is no command {words[0]}"
    name, *rest = words if is_command(words[0]) else ["check", *words]
    context = click.Context(cli, info_name="looplint")
    command = cli.get_command(context, name)
    assert command is not None
    if isinstance(command, click.Group) and rest and command.get_command(context, rest[0]) is not None:
        command, rest = command.get_command(context, rest[0]), rest[1:]
        assert command is not None
    context = click.Context(command, parent=context, info_name=name)
    try:
        given, left, _ = command.make_parser(context).parse_args(list(rest))
        if left and not command.allow_extra_args and not isinstance(command, click.Group):
            return f"{left[0]} is one argument too many"
        for parameter in command.get_params(context):
            if isinstance(parameter.type, click.Choice) and (value := given.get(parameter.name)) is not None:
                for each in value if isinstance(value, (list, tuple)) else [value]:
                    if not each.isupper():
                        parameter.type.convert(each, parameter, context)
    except click.UsageError as error:
        return error.format_message()
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_command_lines_name_what_there_is(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert {line: said for line in commands(text) if (said := wrong(line))} == {}


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """The options of a command and of those below it."""
    for parameter in command.get_params(context):
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below, context)


@pytest.mark.parametrize("page", FOR_USERS, ids=lambda page: page.name)
def test_options_that_stand_alone_are_there(page: Path) -> None:
    alone = re.findall(r"`(--[^`]+)`", FENCE.sub("", page.read_text(encoding="utf-8")))
    named = {option for each in alone for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", each)}
    known = set(options(cli, click.Context(cli)))
    assert {option for option in named - known if (page.name, option) not in OF_OTHERS} == set()


def test_there_are_command_lines() -> None:
    found = [line for page in PAGES for line in commands(page.read_text(encoding="utf-8"))]
    assert len(found) > 100 and "examples/train.py" in found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chek train.py", "there is no command chek"),
        ("--fixx train.py", "--fixx"),
        ("loop --width", "Option '--width' requires an argument."),
        (". --output-format gitlob", "'gitlob' is not one of"),
        ("rule LL101 LL102 LL103 --nothing", "--nothing"),
        ("debug train.py other.py", "other.py is one argument too many"),
    ],
)
def test_what_there_is_not_is_seen(line: str, said: str) -> None:
    assert said in str(wrong(line))


@pytest.mark.parametrize("line", ["run --steps 3 train.py -- --lr 0.1", ". > found.txt", "--diff . | patch -p0", "COMMAND --help"])
def test_what_there_is_passes(line: str) -> None:
    assert wrong(line) is None
