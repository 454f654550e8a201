"""The code that PySIAssist's authors took from posts, in a worksheet of their replication package."""

from __future__ import annotations

import ast
import re
import textwrap
import zipfile
from pathlib import Path
from xml.etree import ElementTree

_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# What posts leave out: the imports of the names that they use.
IMPORTS = """import copy, os, random, shutil, sys, time
import numpy as np
import torch
import torch as pt
import torch as th
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable
from torch.cuda.amp import autocast, GradScaler
from torch.optim import Adam
from torch.nn import Module, Parameter, CrossEntropyLoss
from torch.utils import data
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torchvision import datasets, models, transforms
from tqdm import tqdm
"""


def samples(package: Path) -> dict[int, str]:
    """The code of the positive samples by their rows in the worksheet, with the imports that posts leave out.

    Args:
        package: a checkout of the replication package.
    """
    with zipfile.ZipFile(package / "dataset" / "testing_codes_set.xlsx") as book:
        shared = ["".join(t.text or "" for t in item.iter(f"{_SHEET}t")) for item in _root(book, "xl/sharedStrings.xml")]
        rows = _root(book, "xl/worksheets/sheet1.xml").iter(f"{_SHEET}row")
        return {int(row.attrib["r"]): IMPORTS + _code(row, shared) for row in rows if int(row.attrib["r"]) > 1 and _code(row, shared)}


def parses(code: str) -> bool:
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def _root(book: zipfile.ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(book.read(name))


def _code(row: ElementTree.Element, shared: list[str]) -> str:
    """The text in a row's third column."""
    for cell in row.iter(f"{_SHEET}c"):
        value = cell.find(f"{_SHEET}v")
        if re.sub(r"\d", "", cell.attrib["r"]) == "C" and cell.attrib.get("t") == "s" and value is not None and value.text:
            return textwrap.dedent(shared[int(value.text)].replace("\r\n", "\n")).strip("\n") + "\n"
    return ""
