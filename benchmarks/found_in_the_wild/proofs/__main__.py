"""`python -m benchmarks.found_in_the_wild.proofs NAME CHECKOUT RESULT`: one proof, whose measurements are written to a file."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import torch

if __name__ == "__main__":
    name, checkout, result = sys.argv[1:]
    torch.set_num_threads(1)
    measured = importlib.import_module(f"benchmarks.found_in_the_wild.proofs.{name}").measure(Path(checkout))
    Path(result).write_text(json.dumps(measured), encoding="utf-8")
