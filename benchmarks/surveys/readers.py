"""`python -m benchmarks.surveys.readers OUT`: read the datasets of a survey with pandas, DuckDB and Spark, and compare what they read.

Each gives the rows of every dataset, and the findings of each rule. A reader that is not installed is said not to have been tried (Spark needs Java too).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from looplint.survey.datasets import SCHEMAS, Store


@dataclass(frozen=True)
class Read:
    """What a reader found: the number of rows and the columns of each dataset, and how many findings each rule has."""

    rows: dict[str, int]
    columns: dict[str, list[str]]
    findings: dict[str, int]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.surveys.readers", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder of a survey")
    out = parser.parse_args(arguments).out
    own = stored(out)
    print(f"stored: {own.rows}")
    is_same = True
    for name, read in READERS.items():
        if find_spec({"spark": "pyspark"}.get(name, name)) is None:
            print(f"{name}: not tried, it is not installed")
            continue
        same = read(out) == own
        is_same &= same
        print(f"{name}: {'reads the same' if same else 'reads something else'}")
    return 0 if is_same else 1


def stored(out: Path) -> Read:
    """What the survey wrote."""
    store = Store(out)
    rows = {kind: len(store.rows(kind)) for kind in SCHEMAS}
    return Read(rows, {kind: schema.names for kind, schema in SCHEMAS.items()}, Counter(row["code"] for row in store.rows("findings")))


def pandas(out: Path) -> Read:
    """What pandas reads: a dataset is a folder."""
    import pandas

    frames = {kind: pandas.read_parquet(out / kind) for kind in SCHEMAS}
    findings = frames["findings"].groupby("code").size()
    return Read(
        {kind: len(frame) for kind, frame in frames.items()},
        {kind: list(frame.columns) for kind, frame in frames.items()},
        {str(code): int(count) for code, count in findings.items()},
    )


def duckdb(out: Path) -> Read:
    """What DuckDB reads: a dataset is a pattern of file names."""
    import duckdb

    tables = {kind: duckdb.read_parquet(f"{out / kind}/*.parquet") for kind in SCHEMAS}
    findings = tables["findings"].aggregate("code, count(*)").fetchall()
    return Read(
        {kind: len(table) for kind, table in tables.items()}, {kind: table.columns for kind, table in tables.items()}, dict(findings)
    )


def spark(out: Path) -> Read:
    """What Spark reads, in a process of this machine: a dataset is a folder."""
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.bindAddress": "127.0.0.1"}
    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        frames = {kind: session.read.parquet(str(out / kind)) for kind in SCHEMAS}
        findings = frames["findings"].groupBy("code").count().collect()
        return Read(
            {kind: frame.count() for kind, frame in frames.items()},
            {kind: frame.columns for kind, frame in frames.items()},
            {row["code"]: row["count"] for row in findings},
        )
    finally:
        session.stop()


READERS: dict[str, Callable[[Path], Read]] = {"pandas": pandas, "duckdb": duckdb, "spark": spark}

if __name__ == "__main__":
    sys.exit(main())
