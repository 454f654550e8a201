"""Small repositories that surveys are tested on, and what the linter itself says of them."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import git, looplint_text
from looplint.escaping import json_text
from looplint.survey.judging import Job, identify
from looplint.survey.limits import Limits
from looplint.survey.linter_options import LinterOptions, version
from looplint.survey.repositories import Repository
from programs import BROKEN, CLEAN

LIMITS = Limits(60, 2 << 30)
# A model that one file builds and another trains: what is said of the second depends on the first.
STEPS = """\
def train(net, opt, loader, criterion):
    for x, y in loader:
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()
"""
CALLS = """\
import torch
from steps import train

net = torch.nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    train(net, opt, loader, torch.nn.MSELoss())
net.to("cuda")
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """A folder with some files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def several(folder: Path) -> Path:
    """A repository with programs that depend on each other, one that is clean, and one that is no Python."""
    notebook = {
        "cells": [{"cell_type": "code", "source": BROKEN, "metadata": {}, "outputs": []}],
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
    }
    files = {"steps.py": STEPS, "main.py": CALLS, "more/broken.py": BROKEN, "more/clean.py": CLEAN, "wrong.py": f"{BROKEN}\nfor (\n"}
    return write(folder, {**files, "demo.ipynb": json.dumps(notebook), "README.md": "# Demo\n"})


def bare(folder: Path, work: Path) -> Path:
    """A bare git repository with the files of a folder in one commit."""
    git(work, "init", "--quiet", "--initial-branch=main")
    git(work, "add", "--all")
    git(work, "commit", "--quiet", "--message", "all", "--date", "2021-03-04T05:06:07")
    git(work, "clone", "--quiet", "--bare", ".", str(folder))
    return folder


def job(repository: Repository, *, cut: int = 1 << 20, linter: LinterOptions | None = None, limits: Limits = LIMITS) -> Job:
    linter = linter or LinterOptions(isolated=True)
    return Job(repository, identify(repository, linter), linter, limits, version(), cut)


def checked(folder: Path, *options: str) -> str:
    """What `looplint check` prints of a folder, as JSON."""
    return looplint_text("check", "--no-cache", "--isolated", "-j", "1", "--output-format", "json", *options, ".", cwd=folder).stdout


def printed(records: list[str]) -> str:
    """The same from records of a dataset."""
    return json_text([json.loads(record) for record in records], indent=2) + "\n"
