"""Documents that teach loops: each Python block is a program, at the rows of the document."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from command_line import looplint_text
from looplint.sources.markdown import blocks, is_python

SETUP = "import torch\nfrom torch import nn, optim\nnet = nn.Linear(2, 1)\nopt = optim.SGD(net.parameters(), lr=0.1)\n"
LOOP = "for x, y in loader:\n    loss = nn.functional.mse_loss(net(x), y)\n    loss.backward()\n    opt.step()\n"
DOCUMENT = f"""\
# Training

Call `loss.backward()`:

```python
{SETUP}{LOOP}```

1. The same in a list:

   ```py title="train.py"
{"".join(f"   {line}" for line in (SETUP + LOOP).splitlines(True))}   ```

```python
opt.step(  # ...
```
"""


def looplint(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return looplint_text(*arguments, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "guide.md").write_text(DOCUMENT)
    return tmp_path


def test_blocks_are_linted_at_the_rows_and_columns_of_the_document(folder: Path) -> None:
    done = looplint(folder, "guide.md", "--output-format", "concise")
    assert [line.partition(" [")[0] for line in done.stdout.splitlines()] == ["guide.md:12:5: error: LL102", "guide.md:25:8: error: LL102"]
    assert done.returncode == 1 and not done.stderr


def test_text_shows_the_documents_lines_and_offers_no_repair(folder: Path) -> None:
    out = looplint(folder, "guide.md").stdout
    assert "12 |     loss.backward()" in out and "25 |        loss.backward()" in out
    assert "repair" not in out and "(1 file checked)" in out
    looplint(folder, "guide.md", "--fix", "--unsafe-fixes")
    assert (folder / "guide.md").read_text() == DOCUMENT


def test_a_comment_silences_in_its_own_block(folder: Path) -> None:
    first, second = DOCUMENT.split("1. The same")
    (folder / "guide.md").write_text(first.replace("backward()\n    opt", "backward()  # noqa: LL102\n    opt") + "1. The same" + second)
    assert looplint(folder, "guide.md", "--output-format", "concise").stdout.startswith("guide.md:25:8: error: LL102")


def test_documents_in_folders_are_linted_when_they_are_asked_for(folder: Path) -> None:
    (folder / "loop.txt").write_text(SETUP + LOOP)
    assert looplint(folder, ".").returncode == 0
    assert looplint(folder, ".", "--extension", "md:markdown", "--output-format", "concise").stdout.count("guide.md") == 2
    assert looplint(folder, ".", "--extension", ".txt:python", "--output-format", "concise").stdout.startswith("loop.txt:7:5: error: LL102")
    (folder / "looplint.toml").write_text('[extension]\nmd = "markdown"\n')
    assert looplint(folder, ".", "--output-format", "concise").stdout.count("guide.md") == 2


def test_a_language_that_is_none_is_said(folder: Path) -> None:
    done = looplint(folder, ".", "--extension", "md:rst")
    assert done.returncode == 2 and "one of python, ipynb, markdown" in done.stderr
    (folder / "looplint.toml").write_text('[extension]\nmd = "markdwon"\n')
    done = looplint(folder, ".")
    assert done.returncode == 2 and "looplint.toml:2" in done.stderr and "did you mean `markdown`?" in done.stderr


BLOCKS = {
    "plain": ("```python\nx = 1\n```\n", [2]),
    "tildes, and more than three": ("~~~~py\nx = 1\n~~~\n~~~~\ny\n", []),
    "closed by as many": ("~~~~py\nx = 1\n~~~~\n", [2]),
    "another language": ("```bash\nls\n```\n```\nx = 1\n```\n", []),
    "a fence inside a longer fence": ("````markdown\n```python\nx = 1\n```\n````\n", []),
    "a session": ("```python\n>>> x = 1\n```\n", []),
    "a part with holes": ("```python\nfor x in <data>:\n```\n", []),
    "only a comment": ("```python\n# nothing yet\n```\n", []),
    "ellipses are Python": ("```python\nx = ...\n```\n", [2]),
    "magics": ("```python\n%matplotlib inline\nx = 1\n```\n", [2]),
    "not closed": ("text\n\n```python\nx = 1\n", [4]),
    "inline code": ("```python x = 1```\n\nx\n", []),
    "two": ("```python\nx = 1\n```\n\n```python\ny = 2\n```\n", [2, 6]),
    "line ends of Windows": ("a\r\n```python\r\nx = 1\r\n```\r\n", [3]),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_which_blocks_are_programs(name: str) -> None:
    document, firsts = BLOCKS[name]
    found = list(blocks(document))
    assert [block.first for block in found] == firsts
    for block in found:
        assert compile(block.text, "<block>", "exec") and block.text.splitlines()[block.first - 1].strip()


@pytest.mark.parametrize(
    "info",
    ["python", " Python", "py", "python3 hl_lines='2'", "{.python}", "{.python .numberLines}", "{code-block} python", "python,ignore"],
)
def test_what_says_that_a_block_is_python(info: str) -> None:
    assert is_python(info)


@pytest.mark.parametrize("info", ["", "pycon", "python-repl", "text", "{note} python", "ipython", "cpp python"])
def test_what_does_not(info: str) -> None:
    assert not is_python(info)
