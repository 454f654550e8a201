"""The command line as a user meets it: exit codes, formats, bad input, silenced lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import looplint, process
from programs import BROKEN, CLEAN


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text(CLEAN)
    return tmp_path


def test_exit_codes(folder: Path) -> None:
    assert process("clean.py", cwd=folder).returncode == 0
    assert process("broken.py", cwd=folder).returncode == 1
    assert looplint("check", "broken.py", cwd=folder).returncode == 1
    assert looplint("broken.py", "--exit-zero", cwd=folder).returncode == 0
    assert process("missing.py", cwd=folder).returncode == 2
    assert looplint("--select", "LL999", "broken.py", cwd=folder).returncode == 2


def test_text_shows_the_source_and_the_related_place(folder: Path) -> None:
    out = looplint("broken.py", cwd=folder).stdout.decode()
    assert "broken.py:8:5: error: LL102 missing-zero-grad" in out
    assert "9 |     opt.step()" in out
    assert "Found 1 error in 1 file (1 file checked)." in out
    assert "\x1b" not in out


def test_concise_is_one_line_per_finding(folder: Path) -> None:
    out = looplint("--output-format", "concise", ".", cwd=folder).stdout.decode().splitlines()
    assert len(out) == 1 and out[0].startswith("broken.py:8:5: error: LL102 [missing-zero-grad] ")


def test_json_has_ruffs_shape(folder: Path) -> None:
    (finding,) = json.loads(looplint("--output-format", "json", "broken.py", cwd=folder).stdout)
    assert {
        "code",
        "name",
        "message",
        "filename",
        "location",
        "end_location",
        "fix",
        "url",
        "noqa_row",
        "related",
        "certainty",
    } <= finding.keys()
    assert finding["location"] == {"row": 8, "column": 5}
    assert finding["related"][0]["location"]["row"] == 9


def test_standard_input(folder: Path) -> None:
    done = looplint("-", "--output-format", "concise", cwd=folder, stdin=BROKEN.encode())
    assert done.returncode == 1 and done.stdout.startswith(b"<stdin>:8:5: error: LL102")


@pytest.mark.parametrize(
    "comment",
    ["# noqa", "# noqa: LL102", "# NOQA:LL1", "# looplint: ignore[missing-zero-grad]", "# looplint: ignore[LL102]", "# looplint: ignore"],
)
def test_a_comment_silences_its_line(folder: Path, comment: str) -> None:
    (folder / "broken.py").write_text(BROKEN.replace("loss.backward()", f"loss.backward()  {comment}"))
    assert looplint("broken.py", cwd=folder).returncode == 0


def test_a_comment_silences_the_whole_file(folder: Path) -> None:
    (folder / "broken.py").write_text("# looplint: ignore-file[LL102]\n" + BROKEN)
    assert looplint("broken.py", cwd=folder).returncode == 0


@pytest.mark.parametrize("text", ["# noqa: LL101", "# looplint: ignore[clip-after-step]"])
def test_a_comment_for_another_rule_silences_nothing(folder: Path, text: str) -> None:
    (folder / "broken.py").write_text(BROKEN.replace("loss.backward()", f"loss.backward()  {text}"))
    assert looplint("broken.py", cwd=folder).returncode == 1


BAD_INPUT = {
    "syntax error": (b"for x in y:\n    loss.backward(\n", b"syntax error"),
    "undecodable": (b"x = '\xff'\nloss.backward()\n", b"cannot be decoded"),
    "unknown encoding": (b"# -*- coding: nonsense -*-\nloss.backward()\n", b"cannot be decoded"),
    "null byte": (b"loss.backward()\n\x00\n", b"null byte"),
    "deep nesting": (b"loss.backward()\nx = " + b"(" * 1000 + b")" * 1000 + b"\n", b"brackets within each other"),
    "long operator chain": (b"loss.backward()\nx = " + b" + ".join([b"1"] * 2200) + b"\n", b"in a chain"),
}


@pytest.mark.parametrize("name", BAD_INPUT)
def test_bad_input_is_one_clear_line_and_the_rest_is_linted(folder: Path, name: str) -> None:
    raw, said = BAD_INPUT[name]
    (folder / "bad.py").write_bytes(raw)
    done = looplint(".", "--output-format", "concise", cwd=folder)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and b"bad.py" in lines[0] and said in lines[0]
    assert b"broken.py:8:5" in done.stdout


def test_symlink_loops_end(folder: Path) -> None:
    (folder / "loop").symlink_to(folder)
    assert looplint(".", "--output-format", "concise", cwd=folder).stdout.count(b"LL102") == 1


def test_a_link_beside_what_it_leads_to_changes_no_name(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "train.py").write_text(BROKEN)
    (tmp_path / "alias").symlink_to("kit")
    said = looplint(".", "--output-format", "concise", cwd=tmp_path).stdout
    assert said.startswith(b"kit/train.py:") and b"alias" not in said


def test_a_module_behind_a_linked_folder_is_called_as_the_file_that_imports_it(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "main.py").write_text(
        "from engine import train\nfrom torch import nn, optim\nnet = nn.Linear(1, 1)\ntrain(net, optim.SGD(net.parameters(), lr=1), [])\n"
    )
    (real / "engine.py").write_text("def train(net, opt, data):\n    for x in data:\n        net(x).sum().backward()\n        opt.step()\n")
    (tmp_path / "link").symlink_to(real)
    said = looplint("link", "--output-format", "concise", cwd=tmp_path).stdout
    assert said.count(b"LL102") == 1 and b"link/engine.py:3:9" in said


def test_gitignore_is_respected_for_folders_and_not_for_named_files(folder: Path) -> None:
    (folder / ".gitignore").write_text("broken.py\n")
    assert looplint(".", cwd=folder).returncode == 0
    assert looplint("broken.py", cwd=folder).returncode == 1


def test_selection_by_code_prefix_and_name(folder: Path) -> None:
    assert looplint("--select", "LL2", "broken.py", cwd=folder).returncode == 0
    assert looplint("--select", "LL1", "broken.py", cwd=folder).returncode == 1
    assert looplint("--select", "missing-zero-grad", "broken.py", cwd=folder).returncode == 1
    assert looplint("--ignore", "LL102", "broken.py", cwd=folder).returncode == 0
    assert b"did you mean missing-zero-grad" in looplint("--select", "missing-zero-gard", "broken.py", cwd=folder).stderr


def test_processes_give_what_one_gives(folder: Path) -> None:
    for number in range(6):
        (folder / f"copy{number}.py").write_text(BROKEN)
    one = looplint(".", "--jobs", "1", "--output-format", "concise", cwd=folder)
    two = looplint(".", "--jobs", "2", "--output-format", "concise", cwd=folder)
    assert one.stdout == two.stdout and one.stdout.count(b"LL102") == 7


def test_a_finding_in_an_imported_file_is_reported_there(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        "def fit(net, loader, opt):\n    for x, y in loader:\n        net(x).sum().backward()\n        opt.step()\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom engine import fit\nnet = torch.nn.Linear(1, 1)\nfit(net, loader, torch.optim.SGD(net.parameters(), lr=0.1))\n"
    )
    out = looplint("train.py", "--output-format", "concise", cwd=tmp_path).stdout
    assert out.startswith(b"engine.py:3:9: error: LL102")


def test_what_a_caller_knows_wins_over_the_function_alone(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        "def fit(net, loader, opt, clear):\n    for x, y in loader:\n        clear()\n        net(x).sum().backward()\n        opt.step()\n"
    )
    (tmp_path / "train.py").write_text(
        "import torch\nfrom engine import fit\nnet = torch.nn.Linear(1, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nfit(net, loader, opt, opt.zero_grad)\n"
    )
    assert looplint(".", cwd=tmp_path).returncode == 0


def test_pages_and_list(folder: Path) -> None:
    assert b"LL103" in looplint("rule", "clip-before-backward", cwd=folder).stdout
    assert looplint("rule", "--all", cwd=folder).stdout.count(b"\n") >= 22
    assert looplint("rule", "nonsense", cwd=folder).returncode == 2


def test_debug_prints_roles_graph_and_states(folder: Path) -> None:
    out = looplint("debug", "broken.py", cwd=folder).stdout.decode()
    assert all(f"{part}\n" in out for part in ("roles", "graph", "states")) and "backward(net)" in out
