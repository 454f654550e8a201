"""What configuration files do to a run, as a user meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import looplint
from programs import BROKEN, CLEAN, RULE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("own_rules_allowed")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text(CLEAN)
    return tmp_path


def found(folder: Path, *arguments: str) -> list[str]:
    """`file CODE` of each finding."""
    done = looplint(*(arguments or (".",)), "--output-format", "concise", cwd=folder)
    assert done.returncode in (0, 1), done.stderr.decode()
    return [f"{line.split(':')[0]} {line.split()[2]}" for line in done.stdout.decode().splitlines()]


def test_a_file_selects_and_ignores_and_the_command_line_wins(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.looplint]\nignore = ["LL1"]\n')
    assert found(folder) == []
    assert found(folder, ".", "--isolated") == ["broken.py LL102"]
    assert found(folder, ".", "--select", "LL102") == ["broken.py LL102"]
    (folder / "other.toml").write_text('select = ["missing-zero-grad"]\n')
    assert found(folder, ".", "--config", "other.toml") == ["broken.py LL102"]


def test_the_longer_word_wins(folder: Path) -> None:
    (folder / "looplint.toml").write_text('select = ["missing-zero-grad"]\nignore = ["LL1"]\n')
    assert found(folder) == ["broken.py LL102"]
    (folder / "looplint.toml").write_text('select = ["LL1"]\nignore = ["missing-zero-grad"]\n')
    assert found(folder) == []


def test_each_file_has_the_settings_nearest_to_it(folder: Path) -> None:
    for name, text in {"a": 'ignore = ["LL102"]\n', "b": ""}.items():
        (folder / name).mkdir()
        (folder / name / "looplint.toml").write_text(text)
        (folder / name / "train.py").write_text(BROKEN)
    assert found(folder) == ["b/train.py LL102", "broken.py LL102"]
    assert found(folder, "--jobs", "2") == ["b/train.py LL102", "broken.py LL102"]


def test_per_file_ignores_hold_where_a_finding_stands(folder: Path) -> None:
    (folder / "engine.py").write_text(
        "def fit(net, loader, opt):\n    for x, y in loader:\n        net(x).sum().backward()\n        opt.step()\n"
    )
    (folder / "train.py").write_text(
        "import torch\nfrom engine import fit\nnet = torch.nn.Linear(1, 1)\nfit(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))\n"
    )
    assert found(folder, "train.py") == ["engine.py LL102"]
    (folder / "looplint.toml").write_text('[per-file-ignores]\n"eng*.py" = ["LL1"]\n')
    assert found(folder, "train.py") == []
    (folder / "looplint.toml").write_text('[per-file-ignores]\n"train.py" = ["LL1"]\n')
    assert found(folder, "train.py") == ["engine.py LL102"]
    (folder / "looplint.toml").write_text('extend-exclude = ["engine.py"]\n')
    assert found(folder, "train.py") == [], "what is excluded is followed, and not reported"


def test_excluded_files(folder: Path) -> None:
    (folder / "dist").mkdir()
    (folder / "dist" / "train.py").write_text(BROKEN)
    assert found(folder) == ["broken.py LL102"]
    (folder / "looplint.toml").write_text('exclude = ["bro*"]\n')
    assert found(folder) == ["dist/train.py LL102"]
    assert found(folder, "broken.py") == ["broken.py LL102"]
    assert found(folder, "broken.py", "--force-exclude") == []
    assert found(folder, ".", "--exclude", "dist/") == []


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_a_virtual_environment_is_told_by_what_is_in_it(folder: Path, mark: str) -> None:
    (folder / "env").mkdir()
    (folder / "env" / "train.py").write_text(BROKEN)
    assert found(folder) == ["broken.py LL102", "env/train.py LL102"], "the environments of an agent may lie there"
    (folder / "env" / mark).parent.mkdir(exist_ok=True)
    (folder / "env" / mark).touch()
    assert found(folder) == ["broken.py LL102"]


def test_what_is_excluded_by_default_is_excluded_when_it_is_named_too(folder: Path) -> None:
    inner = folder / "build" / "generated"
    inner.mkdir(parents=True)
    (inner / "train.py").write_text(BROKEN)
    assert found(folder, "build/generated/train.py") == ["build/generated/train.py LL102"]
    for named in ("build/generated/train.py", "./build/generated/train.py", str(inner / "train.py"), "build", "build/generated", "."):
        assert found(folder, named, "broken.py", "--force-exclude") == ["broken.py LL102"]
    # What the folder in which one stands lies in leaves nothing out.
    assert found(inner, "train.py", "--force-exclude") == found(inner, ".", "--force-exclude") == ["train.py LL102"]


def test_rules_of_ones_own(folder: Path) -> None:
    (folder / "lint").mkdir()
    (folder / "lint" / "no_steps.py").write_text(RULE)
    (folder / "looplint.toml").write_text('rules = ["lint"]\n')
    assert found(folder) == ["broken.py LL102", "broken.py ACME1", "clean.py ACME1"]
    assert found(folder, ".", "--select", "no-steps", "--jobs", "2") == ["broken.py ACME1", "clean.py ACME1"]
    (folder / "lint" / "second.py").write_text(RULE)
    done = looplint(".", cwd=folder)
    assert done.returncode == 2 and b"ACME1 is already the rule of" in done.stderr


def test_a_rule_knows_the_version_that_is_aimed_at(folder: Path) -> None:
    (folder / "lint").mkdir()
    old_only = RULE.replace("    for event", "    if program.target_torch >= (2, 4):\n        return\n    for event")
    (folder / "lint" / "no_steps.py").write_text(old_only)
    (folder / "looplint.toml").write_text('rules = ["lint"]\nselect = ["ACME1"]\n')
    assert found(folder) == []
    assert found(folder, ".", "--target-torch", "2.3") == ["broken.py ACME1", "clean.py ACME1"]
    assert found(folder, ".", "--target-torch", "2.4.1") == []


def test_knowledge_holds_for_the_files_below_it_alone(folder: Path) -> None:
    text = BROKEN.replace("optim.SGD(net.parameters()", "acme.make(net").replace("import torch\n", "import torch, acme\n")
    assert "acme.make(net," in text
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "train.py").write_text(text)
    (folder / "b" / "looplint.toml").write_text('[knowledge]\noptimizers = ["acme.make"]\n')
    assert found(folder) == ["b/train.py LL102", "broken.py LL102"]
    assert found(folder, "--jobs", "2") == ["b/train.py LL102", "broken.py LL102"]


@pytest.mark.parametrize("line", ['ignore = ["LL1", "LL999"]', 'fixable = ["LL999"]', 'per-file-ignores = { "a.py" = ["LL999"] }'])
def test_a_word_that_names_no_rule(folder: Path, line: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.looplint]\n# rules\n{line}\n")
    done = looplint("clean.py", cwd=folder)
    option = line.split(" ")[0]
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"error: pyproject.toml:3: `{option}`: no rule has the code, prefix or name 'LL999'")


def test_the_output_format_of_the_current_folder(folder: Path) -> None:
    (folder / "looplint.toml").write_text('output-format = "concise"\n')
    assert looplint(".", cwd=folder).stdout.startswith(b"broken.py:8:5: error: LL102 [")
    assert looplint(".", "--output-format", "json", cwd=folder).stdout.startswith(b"[")


def test_a_wrong_target(folder: Path) -> None:
    done = looplint(".", "--target-torch", "new", cwd=folder)
    assert done.returncode == 2 and b'--target-torch must be a version such as "2.4", not new' in done.stderr


def test_which_repairs_are_trusted(folder: Path) -> None:
    configuration = folder / "looplint.toml"
    repaired = {
        "": True,
        'unfixable = ["LL102"]': False,
        'fixable = ["LL2"]': False,
        'fixable = ["LL102"]\nunfixable = ["LL1"]': True,
        'extend-unsafe-fixes = ["missing-zero-grad"]': False,
        'extend-unsafe-fixes = ["LL1"]\nextend-safe-fixes = ["LL102"]': True,
    }
    for text, changed in repaired.items():
        configuration.write_text(text)
        assert (b"opt.zero_grad()" in looplint("broken.py", "--diff", cwd=folder).stdout) == changed, text
    configuration.write_text('extend-unsafe-fixes = ["missing-zero-grad"]')
    assert b"opt.zero_grad()" in looplint("broken.py", "--diff", "--unsafe-fixes", cwd=folder).stdout
