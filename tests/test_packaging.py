"""What is published: the metadata of the package index, and the forms for issues."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from places import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

yaml: Any = pytest.importorskip("yaml")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_index_is_told_what_there_is() -> None:
    project = PROJECT["project"]
    assert {"Homepage", "Documentation", "Source", "Issues", "Changelog"} <= project["urls"].keys()
    assert all(url.startswith("https://") for url in project["urls"].values())
    assert project["keywords"] == sorted(project["keywords"]) and project["authors"]
    versions = [c.rpartition(" ")[2] for c in project["classifiers"] if "Python :: 3." in c]
    assert versions[0] == project["requires-python"].removeprefix(">=") and len(versions) >= 4


def test_what_only_a_checkout_needs_is_not_installed() -> None:
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["looplint", "rules", "docs/evidence"]


@pytest.mark.parametrize("name", ["false-alarm.yml", "missed-bug.yml"])
def test_forms_ask_for_the_drawing(name: str) -> None:
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / name).read_text(encoding="utf-8"))
    fields = {part["id"]: part for part in form["body"]}
    assert {"name", "description", "body"} <= form.keys() and {"code", "loop", "version"} <= fields.keys()
    assert "looplint loop" in fields["loop"]["attributes"]["description"]
