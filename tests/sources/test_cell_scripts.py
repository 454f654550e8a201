"""Scripts that hold cells as comments are Python as they are: rows are the file's rows, and comments stay comments."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from command_line import looplint_text

PERCENT = """\
# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # Training
# `loss.backward()` is called before `opt.step()`

# %%
# %matplotlib inline
# !pip install torch
import torch
from torch import nn, optim

# %% Model {"tags": ["setup"]}
net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)

# %%
for x, y in loader:
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
"""
DATABRICKS = """\
# Databricks notebook source
# MAGIC %md
# MAGIC # Training, with `loss.backward()`

# COMMAND ----------

# MAGIC %pip install torch

# COMMAND ----------

import torch
from torch import nn, optim

dbutils.widgets.text("lr", "0.1")
net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=float(dbutils.widgets.get("lr")))

# COMMAND ----------

for x, y in loader:
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    opt.step()
display(net)
"""


def looplint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return looplint_text(*arguments, cwd=folder)


@pytest.mark.parametrize(("text", "row"), [(PERCENT, 24), (DATABRICKS, 22)], ids=["percent", "Databricks"])
def test_a_script_of_cells_is_linted_by_its_own_rows_and_repaired(text: str, row: int, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(text)
    done = looplint(tmp_path, "train.py", "--output-format", "concise")
    assert (
        done.stdout.startswith(f"train.py:{row}:5: error: LL102 [missing-zero-grad]") and done.stdout.count("\n") == 1 and not done.stderr
    )
    looplint(tmp_path, "train.py", "--fix")
    assert path.read_text() == text.replace("    loss = ", "    opt.zero_grad()\n    loss = ")
    assert looplint(tmp_path, "train.py").returncode == 0
