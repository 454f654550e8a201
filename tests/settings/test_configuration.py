"""Configuration files: which one counts, how they come together, and what a mistake in one says."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from looplint.errors import UserError
from looplint.settings.configuration import Configurations
from looplint.settings.options import BY_NAME, OPTIONS
from looplint.settings.toml_places import line_of
from looplint.settings.values import Settings
from looplint.sources.patterns import matches


def settings(folder: Path, **overrides: Any) -> Settings:
    return Configurations(overrides=overrides).of_folder(folder)


def test_options_and_settings_are_one_table() -> None:
    fields = {f.name: f for f in dataclasses.fields(Settings)}
    assert {o.attribute for o in OPTIONS} - {"extend"} == fields.keys() - {"file", "origins", "unexecuted", "refusal"}
    for option in OPTIONS:
        if option.name not in ("extend", "exclude"):
            assert fields[option.attribute].default == option.default, option.name
    assert [name for _, name in Settings().exclude] == list(BY_NAME["exclude"].default)  # type: ignore[call-overload]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda o: o.name)
def test_the_example_of_an_option_is_valid(tmp_path: Path, option: Any) -> None:
    (tmp_path / "looplint.toml").write_text("")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "looplint.toml").write_text(f"{option.name} = {option.example}\n")
    found = settings(tmp_path / "below")
    if option.name != "extend":
        assert str(found.origin(option.name)[0]).endswith("looplint.toml:1")
        assert getattr(found, option.attribute) != option.default


def test_the_nearest_file_up_the_tree_counts_and_others_of_a_folder_in_order(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.looplint]\nselect = ["LL1"]\n')
    assert settings(deep).select == ("LL1",)
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.other]\nselect = ["looplint"]\n')
    assert settings(deep).select == ("LL1",), "a pyproject.toml without a section is none"
    (tmp_path / "a" / "looplint.toml").write_text('select = ["LL2"]\n')
    assert settings(deep).select == ("LL2",)
    (tmp_path / "a" / ".looplint.toml").write_text('select = ["LL3"]\n')
    found = settings(deep)
    assert found.select == ("LL3",) and found.file == tmp_path / "a" / ".looplint.toml"


def test_extend_replaces_values_adds_lists_and_merges_tables(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "looplint.toml").write_text(
        'select = ["LL1"]\nignore = ["LL101"]\nextend-select = ["LL403"]\nrules = ["own"]\nextend-exclude = ["old/"]\n[knowledge]\noptimizers = ["a.A"]\nlosses = ["a.L"]\n'
    )
    (tmp_path / "pyproject.toml").write_text(
        '[tool.looplint]\nextend = "base/looplint.toml"\nignore = ["LL2"]\nextend-select = ["LL503"]\nrules = ["mine"]\n[tool.looplint.knowledge]\noptimizers = ["b.B"]\n'
    )
    found = settings(tmp_path)
    assert (found.select, found.ignore, found.extend_select) == (("LL1",), ("LL2",), ("LL403", "LL503"))
    assert found.rules == (str(tmp_path / "base" / "own"), str(tmp_path / "mine"))
    assert dict(found.knowledge) == {"optimizers": ("b.B",), "losses": ("a.L",)}
    assert found.extend_exclude == ((str(tmp_path / "base"), "old/"),)
    assert [Path(o.place).parent.name for o in found.origin("extend-select")] == ["base", tmp_path.name]


def test_the_command_line_wins(tmp_path: Path) -> None:
    (tmp_path / "looplint.toml").write_text(
        'select = ["LL1"]\nextend-select = ["LL403"]\nignore = ["LL102", "LL103"]\noutput-format = "concise"\n'
    )
    found = settings(tmp_path, **{"select": ("LL102",), "ignore": ("LL2",), "output-format": "json"})
    assert (found.select, found.extend_select, found.output_format) == (("LL102",), (), "json")
    assert found.ignore == ("LL103", "LL2"), "what is asked for by name is not left out"
    assert [str(o) for o in found.origin("select")] == ["the command line"]
    assert settings(tmp_path, **{"extend-select": ("LL5",)}).extend_select == ("LL403", "LL5")


def test_a_relative_path_is_that_of_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    patterns = ((str(tmp_path / "second"), "train.py"),)
    excluded = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        excluded.append(matches(patterns, Path("train.py")))
    assert excluded == [False, True]


def test_isolated_and_a_named_file(tmp_path: Path) -> None:
    (tmp_path / "looplint.toml").write_text('select = ["LL1"]\n')
    (tmp_path / "other.toml").write_text('select = ["LL2"]\n')
    assert Configurations(isolated=True).of_folder(tmp_path) == Settings()
    assert Configurations(file=tmp_path / "other.toml").of_folder(tmp_path).select == ("LL2",)
    with pytest.raises(UserError, match="missing.toml: cannot be read"):
        Configurations(file=tmp_path / "missing.toml")


MISTAKES = {
    "an unknown key, and the nearest known one": (
        '[tool.looplint]\nselect = []\nignored = ["LL1"]\n',
        3,
        "unknown option `ignored`; did you mean `ignore`?",
    ),
    "underscores": ('[tool.looplint]\nextend_select = ["LL1"]\n', 2, "unknown option `extend_select`; did you mean `extend-select`?"),
    "an unknown key like none": ("[tool.looplint]\nxyzzy = 1\n", 2, "unknown option `xyzzy`; known are extend, select,"),
    "an unknown table": ('[tool.looplint.knowlege]\noptimizers = ["a"]\n', 1, "unknown option `knowlege`; did you mean `knowledge`?"),
    "a string for a list": (
        '[tool.looplint]\n\nselect = "LL1"\n',
        3,
        '`select` has to be a list of strings with codes or names of rules, not the string "LL1"',
    ),
    "a number in a list": ("[tool.looplint]\nselect = [1]\n", 2, "not a list with the number 1 in it; for example select = "),
    "a word that is no choice": ('[tool.looplint]\noutput-format = "concize"\n', 2, 'not the string "concize"; did you mean `concise`?'),
    "a string for a flag": ('[tool.looplint]\nforce-exclude = "yes"\n', 2, "`force-exclude` has to be true or false"),
    "no version": ('[tool.looplint]\ntarget-torch = "latest"\n', 2, '`target-torch` has to be a version such as "2.4"'),
    "a number for a version": ("[tool.looplint]\ntarget-torch = 2.4\n", 2, "not the number 2.4"),
    "a wrong value in a table": (
        '[tool.looplint.per-file-ignores]\n"a.py" = ["LL1"]\n"b.py" = "LL1"\n',
        3,
        "`per-file-ignores.b.py` has to be a list of strings",
    ),
    "an unknown kind": (
        '[tool.looplint]\nknowledge.optimisers = ["a"]\n',
        2,
        "unknown table `optimisers` in `knowledge`; did you mean `optimizers`?",
    ),
    "a file that is extended and missing": ('[tool.looplint]\nextend = "no.toml"\n', 2, "`extend` names no file"),
    "a circle": ('[tool.looplint]\nextend = "pyproject.toml"\n', 2, "forms a cycle"),
    "no TOML": ("[tool.looplint]\nselect = [\n", 3, "is not valid TOML"),
    "no table": ("tool.looplint = 3\n", 1, "tool.looplint has to be a table, not the number 3"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_names_file_line_and_remedy(tmp_path: Path, case: str) -> None:
    text, line, said = MISTAKES[case]
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UserError) as error:
        settings(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'pyproject.toml'}:{line}: ") and said in str(error.value)


def test_a_section_header_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "looplint.toml").write_text("[tool.looplint]\nselect = []\n")
    with pytest.raises(UserError, match="in looplint.toml the options stand at the top"):
        settings(tmp_path)


def test_places_in_toml() -> None:
    text = 'a = 1\n[b]\nc = [\n  "x",\n  "y",\n]\n[b."d.e"]\nf.g = 2\n# c = 3\n'
    assert line_of(text, ["a"]) == 1
    assert line_of(text, ["b", "c"]) == 3 and line_of(text, ["b", "c"], "y") == 5
    assert line_of(text, ["b", "d.e", "f", "g"]) == 8
    assert line_of(text, ["b", "c", "no such"]) == 3


def test_patterns(tmp_path: Path) -> None:
    (tmp_path / "looplint.toml").write_text(
        'extend-exclude = ["gen_*.py", "old/"]\n[per-file-ignores]\n"tests/**" = ["LL3"]\n"*.py" = ["LL2"]\n'
    )
    found = settings(tmp_path)
    assert (
        found.excludes(tmp_path / "x" / "gen_a.py")
        and found.excludes(tmp_path / "old" / "x.py")
        and found.excludes(tmp_path / "old", folder=True)
    )
    assert found.excludes(tmp_path / "build" / "deep" / "x.py") and not found.excludes(tmp_path / "train.py")
    assert found.ignored_in(tmp_path / "tests" / "a" / "x.py") == ("LL3", "LL2") and found.ignored_in(tmp_path / "train.py") == ("LL2",)


def test_no_toml_parser_without_a_configuration_file(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    code = "import sys\nfrom pathlib import Path\nfrom looplint.settings.configuration import Configurations\nConfigurations().of_folder(Path('.'))\n"
    code += "assert set(sys.modules).isdisjoint({'tomllib', 'tomli', 'difflib', 'pathspec'}), sorted(sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
