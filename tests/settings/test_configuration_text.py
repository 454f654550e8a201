"""`looplint config`, the JSON schema and the reference: all of one table, and fresh."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from test_configuration import MISTAKES

from command_line import looplint
from looplint.settings import text
from looplint.settings.options import OPTIONS
from places import ROOT
from programs import BROKEN

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STORED = ROOT / "docs" / "looplint.schema.json"
# What no schema can see: files that do not exist, and circles.
BEYOND_A_SCHEMA = {"a file that is extended and missing", "a circle", "no TOML", "no table"}


def test_the_stored_schema_is_fresh(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--bless"):
        STORED.write_text(text.schema_text())
    assert STORED.read_text() == text.schema_text(), "render it anew: looplint config --schema > docs/looplint.schema.json"


def validator() -> Any:
    jsonschema.Draft7Validator.check_schema(text.schema())
    return jsonschema.Draft7Validator(text.schema())


@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: o.name)
def test_the_schema_accepts_what_the_reader_accepts(option: Any) -> None:
    validator().validate(tomllib.loads(f"{option.name} = {option.example}"))


@pytest.mark.parametrize("case", sorted(MISTAKES.keys() - BEYOND_A_SCHEMA))
def test_the_schema_rejects_what_the_reader_rejects(case: str) -> None:
    section = tomllib.loads(MISTAKES[case][0])["tool"]["looplint"]
    assert not validator().is_valid(section)


def test_config_prints_toml_that_means_the_same(tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    text = (
        "\n".join(f"{o.name} = {o.example}" for o in OPTIONS if o.name not in ("extend", "rules", "baseline", "cache-dir"))
        + '\nrules = ["rules"]\n'
    )
    (tmp_path / "looplint.toml").write_text(text)
    first = looplint("config", cwd=tmp_path)
    assert first.returncode == 0, first.stderr.decode()
    printed = tomllib.loads(first.stdout.decode())
    given = tomllib.loads(text)
    assert {name: printed[name] for name in given} == given
    assert b"# cache-dir is not set" in first.stdout
    assert f"select              = {OPTIONS[1].example}" in first.stdout.decode() and b"# looplint.toml:1\n" in first.stdout


def test_config_says_which_rules_are_asked_and_where_the_settings_come_from(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "train.py").write_text(BROKEN)
    (tmp_path / "pyproject.toml").write_text('[tool.looplint]\nselect = ["LL1"]\nignore = ["LL10"]\n')
    out = looplint("config", "deep/train.py", cwd=tmp_path).stdout.decode().splitlines()
    assert out[:2] == ["# deep/train.py: pyproject.toml", "# 4 rules: LL110 LL111 LL112 LL113"]
    out = looplint("config", "deep/train.py", "--isolated", cwd=tmp_path).stdout.decode().splitlines()
    assert out[0] == "# deep/train.py: no configuration file" and "LL101" in out[1] and "LL205" in out[1]


def test_config_finds_mistakes(tmp_path: Path) -> None:
    (tmp_path / "looplint.toml").write_text('ignore = ["LL999"]\n')
    done = looplint("config", cwd=tmp_path)
    assert done.returncode == 2 and b"looplint.toml:1: `ignore`: no rule" in done.stderr
    assert looplint("config", "missing.py", cwd=tmp_path).returncode == 2


def test_schema_and_reference_are_printed(tmp_path: Path) -> None:
    assert json.loads(looplint("config", "--schema", cwd=tmp_path).stdout) == text.schema()
    reference = looplint("config", "--reference", cwd=tmp_path).stdout.decode()
    assert all(f"### `{option.name}`\n" in reference and option.help in reference for option in OPTIONS)
