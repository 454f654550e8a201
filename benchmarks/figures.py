"""The figures that the README states, as the benchmarks last stored them; the tests compare the two."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_name("figures.json")


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--store", action="store_true", help=f"keep the figures in benchmarks/{STORED.name}, for the README")


def read() -> dict[str, Any]:
    """Facts by the name of what was measured."""
    return dict(json.loads(STORED.read_text(encoding="utf-8"))) if STORED.exists() else {}


def store(name: str, facts: Mapping[str, Any]) -> None:
    stored = {**read(), name: facts}
    STORED.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", encoding="utf-8")
