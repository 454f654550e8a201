"""The references: what can be configured, what the command line takes, and what Python sees, each from the code that reads it."""

from __future__ import annotations

import dataclasses
import inspect
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click

from looplint import rule
from looplint.commands.cli import cli
from looplint.flow import kinds
from looplint.settings.text import reference as options
from website.runs import ROOT, fence, printed

_CONFIGURATION = """\
# Configuration

`[tool.looplint]` in `pyproject.toml`, or a `looplint.toml` (or `.looplint.toml`) with the same keys at top level, configures the files in its folder and below. Only
the nearest file up the tree is used; `extend` names another file to inherit from. The command line overrides both. An unknown key or a value of the wrong
type is an error, which names its line and the nearest valid key.

```toml
[tool.looplint]
extend-select = ["LL402"]
extend-exclude = ["third_party/"]

[tool.looplint.per-file-ignores]
"tests/**" = ["LL3"]

[tool.looplint.knowledge]
optimizers = ["acme.optim.Lion"]
```

`--config FILE` uses one file for everything, and `--config 'KEY = VALUE'` sets one option above all files: `--config 'fixable = ["LL1"]'`.

`looplint config` prints the effective settings for a file or folder, and where each is set. `looplint config --schema` prints the
[JSON schema](looplint.schema.json), with which editors complete keys and check values.

## Options

"""

_COMMANDS = """\
# Command line

`looplint PATH...` is short for `looplint check PATH...`. This page is the output of `--help`.
"""


def configuration() -> str:
    """The page of all options, rendered from their table."""
    return _CONFIGURATION + options()


def command_line() -> str:
    """The page of all commands, with their help."""
    names = sorted(cli.list_commands(click.Context(cli)), key=lambda name: (name != "check", name))
    parts = [_COMMANDS, fence(printed(["--help"]))]
    parts += [f"\n## `looplint {name}`\n\n{fence(printed([name, '--help']))}" for name in names if not _hidden(name)]
    return "".join(parts)


def _hidden(name: str) -> bool:
    command = cli.get_command(click.Context(cli), name)
    return command is None or command.hidden


def loop(kind: str) -> str:
    """The loop of the shipped script, drawn as an image or as a page."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / f"loop.{kind}"
        printed(["loop", "--isolated", f"--{kind}", str(target), "examples/train.py"], ROOT)
        return target.read_text(encoding="utf-8")


def completed(text: str) -> str:
    """A page with what it names: `<!-- events -->`, `<!-- objects -->` and `<!-- repairs -->` for the tables of these."""
    return text.replace("<!-- events -->", _events()).replace("<!-- objects -->", _objects()).replace("<!-- repairs -->", _repairs())


def _events() -> str:
    """The kinds of events, each with its class, the fields of that and the first line of its docstring."""
    classes = [value for name in rule.__all__ if inspect.isclass(value := getattr(rule, name)) and issubclass(value, rule.Event)]
    found = sorted(
        (cls for cls in classes if "kind" in dir(cls)), key=lambda cls: (issubclass(cls, rule.Remark), kinds.EVENT_KINDS.index(cls.kind))
    )
    rows = [f"| `{cls.kind}` | `{cls.__name__}({', '.join(cls.__annotations__)})` | {_summary(cls)} |" for cls in found]
    return "\n".join(["| kind | class and fields | what happens |", "|---|---|---|", *rows])


def _objects() -> str:
    """The kinds of objects, each with its class, the fields of that and the first line of its docstring."""
    found = [value for name in rule.__all__ if inspect.isclass(value := getattr(rule, name)) and issubclass(value, rule.Obj)]
    rows = [f"| `{cls.__name__}({', '.join(_fields(cls))})` | {_summary(cls)} |" for cls in found if cls is not rule.Obj]
    return "\n".join(["| class and fields | what it is |", "|---|---|", *rows])


def _fields(cls: type[rule.Obj]) -> list[str]:
    """What is known of a kind of object besides what is known of every one."""
    return [name for each in cls.__mro__[: cls.__mro__.index(rule.Obj)] for name in each.__annotations__]


def _repairs() -> str:
    """The repairs, each with its fields and the first line of its docstring."""
    found = [value for name in rule.__all__ if inspect.isclass(value := getattr(rule, name)) and issubclass(value, rule.Repair)]
    rows = [f"| `{cls.__name__}({', '.join(cls.__annotations__)})` | {_summary(cls)} |" for cls in found if cls is not rule.Repair]
    return "\n".join(["| repair | what it does |", "|---|---|", *rows])


def _summary(cls: type) -> str:
    return (inspect.getdoc(cls) or "").split("\n", 1)[0].replace("|", "\\|")


def api(package: ModuleType) -> str:
    """The page of what can be imported, from its docstrings; the introduction is the file beside this one."""
    introduction = (Path(__file__).parent / "api.md").read_text(encoding="utf-8")
    parts = [introduction]
    for name in sorted(package.__all__, key=lambda n: (not callable(getattr(package, n)), n[0].isupper(), n)):
        value = getattr(package, name)
        if callable(value):
            parts.append(f"\n## `{name}`\n\n{_described(name, value)}")
    return "".join(parts)


def _described(name: str, value: object) -> str:
    assert callable(value)
    signature = _signature(name, value)
    parts = [fence(signature, "python") if signature else "", "\n", _markdown(inspect.getdoc(value) or "")]
    if inspect.isclass(value):
        parts += [
            f"\n### `{name}.{own}`\n\n{_member(value, own)}" for own in vars(value) if not own.startswith("_") and _is_member(value, own)
        ]
    return "".join(parts)


def _is_member(kind: type, name: str) -> bool:
    member = vars(kind)[name]
    return isinstance(member, property) or (inspect.isfunction(member) and bool(member.__doc__))


def _member(kind: type, name: str) -> str:
    member = vars(kind)[name]
    if isinstance(member, property):
        return _markdown(inspect.getdoc(member) or "")
    return fence(_signature(name, member), "python") + "\n" + _markdown(inspect.getdoc(member) or "")


def _signature(name: str, value: object) -> str:
    """A call as one would write its declaration: of a dataclass its fields, of a function its parameters, one in a row where they are many."""
    assert callable(value)
    if dataclasses.is_dataclass(value):
        fields = [f for f in dataclasses.fields(value) if not f.name.startswith("_")]
        return "\n".join([f"class {name}:", *(f"    {f.name}: {f.type}" for f in fields)])
    if inspect.isclass(value):
        return ""
    signature = inspect.signature(value)
    parameters = [str(p).replace("'", "") for p in signature.parameters.values() if p.name != "self"]
    back = f" -> {signature.return_annotation}" if signature.return_annotation is not inspect.Signature.empty else ""
    star = next((n for n, p in enumerate(signature.parameters.values()) if p.kind is inspect.Parameter.KEYWORD_ONLY), None)
    if star is not None:
        parameters.insert(star, "*")
    if len(", ".join(parameters)) < 80:
        return f"{name}({', '.join(parameters)}){back}"
    return "\n".join([f"{name}(", *(f"    {p}," for p in parameters), f"){back}"])


def _markdown(doc: str) -> str:
    """A docstring as Markdown: its sections become lists."""
    return "\n".join(_lines(doc)) + "\n"


def _lines(doc: str) -> Iterator[str]:
    section = False
    for line in doc.split("\n"):
        if re.fullmatch(r"(Args|Returns|Raises):", line):
            section = True
            yield f"**{line[:-1]}**\n"
            continue
        if line and not line.startswith(" "):
            section = False
        item = re.match(r"    (\w+): (.*)", line) if section else None
        yield (
            f"- `{item[1]}`: {item[2]}"
            if item
            else line[4:]
            if section and line.startswith("    ") and not line.startswith("     ")
            else line
        )
