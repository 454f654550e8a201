"""What a linted tree cannot bring about by itself: executing its code, and reading or writing outside of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import looplint as package
from command_line import looplint, looplint_text
from looplint.errors import UserError
from looplint.settings import trust
from looplint.settings.configuration import Configurations
from programs import BROKEN, CLEAN, RULE

HOSTILE = RULE.replace(
    'CODE = "ACME1"', 'CODE = "ACME1"\nfrom pathlib import Path\n(Path(__file__).parent / "was-executed").write_text("")'
)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with rules of its own, of a user who trusts nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(trust.VARIABLE, raising=False)
    folder = tmp_path / "tree"
    (folder / "lint").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "lint" / "no_steps.py").write_text(HOSTILE)
    (folder / "looplint.toml").write_text('# ours\nrules = ["lint"]\n')
    (folder / "train.py").write_text(BROKEN)
    return folder


def codes(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> tuple[int, list[str], str]:
    """The exit code, the codes of the findings, and what was said besides."""
    done = looplint_text("check", "--output-format", "json", "--no-cache", *arguments, cwd=folder, environment=environment or {})
    return done.returncode, [finding["code"] for finding in json.loads(done.stdout or "[]")], done.stderr


def executed(folder: Path) -> bool:
    return (folder / "lint" / "was-executed").exists()


def test_rules_of_a_tree_are_not_run_by_themselves(tree: Path) -> None:
    status, found, said = codes(tree)
    assert (status, found, executed(tree)) == (2, ["LL102"], False)
    assert said.startswith(
        "error: looplint.toml:2:1: the rules in lint were not run: they are Python code, which would be executed. --allow-rules"
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["config"],
        ["rule", "ACME1"],
        ["rule", "--all"],
        ["loop", "train.py"],
        ["check", "--fix", "train.py"],
        ["check", "--add-noqa", "."],
        ["check", "--select", "ACME1", "."],
        ["check", "--extend-select", "LL001", "."],
        ["check", "--config", "looplint.toml", "."],
        ["check", "--jobs", "2", "."],
        ["new-rule", "other-rule", "--code", "ACME2"],
    ],
    ids=" ".join,
)
def test_no_command_executes_them(tree: Path, arguments: list[str]) -> None:
    (tree / "second.py").write_text(CLEAN)
    looplint(*arguments, cwd=tree)
    assert not executed(tree)


def test_the_page_of_such_a_rule_is_read(tree: Path) -> None:
    done = looplint_text("rule", "ACME1", cwd=tree)
    assert done.returncode == 0 and done.stdout.startswith("# no-steps (ACME1, error)\n\nNothing may step here.")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["--allow-rules"], {}), ([], {trust.VARIABLE: "1"}), (["--allow-rules", "--jobs", "2", "train.py", "train.py"], {})],
    ids=["the command line", "the environment", "in processes"],
)
def test_they_are_run_where_the_user_says_so(tree: Path, arguments: list[str], environment: dict[str, str]) -> None:
    status, found, said = codes(tree, *arguments, environment=environment)
    assert (status, sorted(found), said, executed(tree)) == (1, ["ACME1", "LL102"], "", True)


def test_they_are_left_out_where_the_user_says_so(tree: Path) -> None:
    (tree / "train.py").write_text(CLEAN.replace("    opt.step()", "    opt.step()  # looplint: ignore[no-steps]"))
    for environment in ({}, {trust.VARIABLE: "1"}):
        # A comment for a rule that was not run may still be needed.
        assert codes(tree, "--skip-rules", "--extend-select", "LL001", environment=environment) == (0, [], "")
    assert not executed(tree)


def test_a_value_of_the_variable_that_means_nothing(tree: Path) -> None:
    status, _, said = codes(tree, environment={trust.VARIABLE: "maybe"})
    assert status == 2 and said == "error: LOOPLINT_ALLOW_RULES has to be 1 or 0, not 'maybe'\n"


def test_a_folder_is_trusted_once(tree: Path) -> None:
    assert looplint_text("trust", cwd=tree).stdout == f"{tree} is trusted from now on.\n"
    assert looplint_text("trust", "lint/..", cwd=tree).stdout == f"{tree} is trusted already.\n"
    assert looplint_text("trust", "--list", cwd=tree.parent).stdout == f"{tree}\n"
    assert codes(tree)[:2] == (1, ["ACME1", "LL102"]) or codes(tree)[:2] == (1, ["LL102", "ACME1"])
    assert looplint_text("trust", "--remove", cwd=tree).stdout == f"{tree} is no longer trusted.\n"
    (tree / "lint" / "was-executed").unlink()
    assert codes(tree)[0] == 2 and not executed(tree)
    assert looplint_text("trust", "no-such", cwd=tree).returncode == 2


def test_the_python_interface(tree: Path) -> None:
    with pytest.raises(package.UnreadError, match="were not run") as error:
        package.lint(tree)
    assert [finding.code for finding in error.value.findings] == ["LL102"] and not executed(tree)
    assert [finding.code for finding in package.lint(tree, allow_rules=False)] == ["LL102"]
    assert sorted(finding.code for finding in package.lint(tree, allow_rules=True)) == ["ACME1", "LL102"]


def test_rules_that_were_not_run_are_said_of_changed_lines_too(tree: Path) -> None:
    from looplint.finding import Problem
    from looplint.sources.changes import Changes

    assert Changes().concerns(Problem("looplint.toml", "not run"))


@pytest.mark.parametrize("option", ["extend", "cache-dir", "rules"])
@pytest.mark.parametrize("link", [False, True], ids=["path", "link"])
def test_a_configuration_does_not_lead_out_of_its_project(tree: Path, option: str, link: bool) -> None:
    outside = tree.parent / "outside"
    outside.mkdir()
    (outside / "no_steps.py").write_text(HOSTILE)
    (outside / "looplint.toml").write_text('ignore = ["LL102"]\n')
    place = "outside" if link else "../outside"
    if link:
        (tree / "outside").symlink_to(outside)
    value = {"extend": f'"{place}/looplint.toml"', "cache-dir": f'"{place}/cache"', "rules": f'["{place}"]'}[option]
    (tree / "looplint.toml").write_text(f"{option} = {value}\n")
    done = looplint_text("check", "--allow-rules", "train.py", cwd=tree)
    assert done.returncode == 2 and done.stderr.startswith("error: looplint.toml:1:"), done.stderr
    assert "out of the project" in done.stderr or "outside of the project" in done.stderr
    assert not (outside / "was-executed").exists() and not (outside / "cache").exists()
    # The user's own command line may lead there, and what the user has trusted.
    assert looplint("check", "--allow-rules", "--config", "looplint.toml", "train.py", cwd=tree).returncode < 2
    looplint("trust", str(outside), cwd=tree)
    assert looplint("check", "train.py", cwd=tree).returncode < 2


def test_the_cache_is_not_written_where_a_link_of_the_tree_leads(tree: Path) -> None:
    (tree / ".looplint_cache").symlink_to(tree.parent)
    done = looplint_text("check", "--skip-rules", "train.py", cwd=tree)
    assert done.returncode == 2 and "is a link" in done.stderr
    assert looplint("check", "--skip-rules", "--no-cache", "train.py", cwd=tree).returncode == 1


def test_where_a_project_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    assert trust.project_of(deep) == deep
    (tmp_path / "a" / "b" / "pyproject.toml").write_text("")
    assert trust.project_of(deep) == tmp_path / "a" / "b"
    monkeypatch.chdir(tmp_path / "a")
    assert trust.project_of(deep) == tmp_path / "a"
    (deep / ".git").mkdir()
    assert trust.project_of(deep) == deep


def test_a_configuration_that_an_editor_names_is_confined(tree: Path) -> None:
    (tree.parent / "other.toml").write_text("")
    (tree / "looplint.toml").write_text('extend = "../other.toml"\n')
    with pytest.raises(UserError, match="leads out of the project"):
        Configurations(file=tree / "looplint.toml", reaching=False)
    assert Configurations(file=tree / "looplint.toml").of_folder(tree).file == tree / "looplint.toml"
