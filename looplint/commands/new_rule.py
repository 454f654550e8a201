"""`looplint new-rule`: a file that works as it stands, to be changed into what is wanted."""

from __future__ import annotations

import keyword
from pathlib import Path

import click

from looplint.errors import UserError
from looplint.linting.catalogue import folder as project_rules
from looplint.linting.catalogue import index
from looplint.regex import regex

HELP = (50, "Set up", "new-rule NAME", "Create a rule of your own.")

_NAME = regex(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_CODE = regex(r"[A-Z]{1,8}[0-9]{3,4}")
_LOOP = """\
import torch
from torch import nn, optim


def train(net: nn.Module, loader):
    opt = optim.SGD(net.parameters(), lr=0.1)
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
"""
_TEMPLATE = '''\
"""An optimizer steps with gradients that nothing has clipped.

## What it does

Reports an optimizer's step in a loop that on every path uses gradients which nothing has clipped since backward() computed them.

## Why it matters

State what goes wrong, and how one would notice.

## Bad

```python
{loop}        opt.step()
```

## Good

```python
{loop}        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
```

## Stays quiet

- State what looks alike and is correct, an item for each condition of the check.

## Repair

None.

## Evidence

State what a run of the bad script shows and a run of the good one does not.
"""

from looplint.rule import Automaton, Backward, Program, Report, Reports, name_of, note

CODE = "{code}"

# The state an object starts in, and for (state, event) the state that follows. "*" is every state without an arrow of its own.
AUTOMATON = Automaton(
    start="empty",
    arrows={{
        ("*", "clear"): "empty",
        ("*", "backward"): "filled",
        ("filled", "clip"): "clipped",
        ("*", "step"): "applied",
    }},
)


def check(program: Program) -> Reports:
    for optimizer in program.optimizers:
        for visit in program.run(AUTOMATON, optimizer):
            if visit.event.kind == "step" and visit.event.loops and visit.always("filled"):
                backward = visit.sometimes("filled")[0].last(Backward)
                message = f"{{name_of(optimizer)}} steps with gradients that nothing has clipped: one large batch may undo many; clip before it"
                yield Report(visit.event, message, note(backward, "they are computed here"))
'''

_SCRIPT = """\
import torch
from torch import nn, optim

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(16, 4)
    opt.zero_grad()
    nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
"""


@click.command("new-rule")
@click.argument("name")
@click.option("--code", required=True, metavar="CODE", help="Letters and three or four digits, such as ACME101.")
@click.option("--folder", default="rules", metavar="FOLDER", show_default=True, help="The folder for the file.")
def command(name: str, code: str, folder: str) -> None:
    """Create a rule of your own: a working file to start from.

    NAME states the fault (unclipped-step), so that "ignore unclipped-step" reads naturally.
    """
    name = name.lower().replace("_", "-")
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UserError(f"{name!r} is not a valid name: lowercase words joined by dashes, such as unclipped-step")
    if not _CODE.fullmatch(code):
        raise UserError(f"{code!r} is not a valid code: capital letters and three or four digits, such as ACME101")
    path = Path(folder) / f"{name.replace('-', '_')}.py"
    if path.exists():
        raise UserError(f"{path}: already exists")
    own = [folder] if Path(folder).is_dir() and Path(folder).resolve() != project_rules().resolve() else []
    taken = next((entry for entry in index(own) if code == entry.code or name == entry.name), None)
    if taken is not None:
        raise UserError(f"{taken.code} {taken.name} already exists: {taken.path}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEMPLATE.format(loop=_LOOP, code=code), encoding="utf-8")
        scripts = _scripts(path, code)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror or error}") from error
    click.echo("".join(f"Wrote {written}.\n" for written in (path, *scripts)), nl=False)
    if path.parent.resolve() != project_rules().resolve():
        click.echo(f'Enable it with `rules = ["{folder}"]` in the configuration, and run it with --allow-rules.')


def _scripts(rule: Path, code: str) -> list[Path]:
    """Start the scripts on which a rule is tested, where there is a folder `fixtures` beside that of the rules: one broken, and as an expert repairs it."""
    fixtures = rule.parent.parent / "fixtures"
    if not fixtures.is_dir():
        return []
    folder = fixtures / rule.stem
    folder.mkdir(exist_ok=True)
    step, clip = "    opt.step()", "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n"
    texts = {"plain.py": f"{_SCRIPT}{step}  # expect: {code}\n", "plain.expert.py": f"{_SCRIPT}{clip}{step}\n"}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
