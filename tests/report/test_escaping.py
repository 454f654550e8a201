"""Names of files and lines of source are text of others: in no output do they act on a terminal, a page, a runner or a parser."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import pytest

from command_line import looplint
from looplint.escaping import escaped, shown_place, visible
from looplint.report import FORMATS
from programs import BROKEN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")

NAMES = [
    b"a\x1b[8mb.py",
    b"b\x1b]0;title\x07.py",
    b"new\nline.py",
    b"return\r.py",
    "turn\u202eed.py".encode(),
    b"no-utf8-\xff\xfe.py",
    b"::error::c.py",
    b"new\n::error::d.py",
    b"in the middle ##[error]e.py",
    b"return\r\n ::error::f.py",
    b"<b>&\"'.py",
    b"a #?%41,b:c.py",
    "\u2028separated.py".encode(),
]
LINE = "loss.backward()  # \x1b[31m \u202e <script>alert(1)</script> ##[add-mask]net\n"
SOURCE = BROKEN.replace("loss.backward()\n", LINE)
# What acts on a terminal, apart from line ends.
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / os.fsdecode(name)).write_text(SOURCE)
    (tmp_path / os.fsdecode(b"torn-\xff\x1b\n::error::##[error]g.py")).write_text("import torch\nloss.backward(\n")
    return tmp_path


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_format_hands_on_what_acts(name: str, folder: Path) -> None:
    # Colours are asked for, as on a terminal, where nothing strips what acts.
    done = looplint(
        ".", "--no-cache", "--output-format", name, cwd=folder, environment={"FORCE_COLOR": "1", "GITHUB_WORKSPACE": str(folder)}
    )
    assert done.returncode == 2 and b"internal error" not in done.stderr
    out = re.sub("\x1b\\[[0-9;]*m", "", done.stdout.decode("utf-8", "surrogateescape"))
    if name not in ("text", "concise", "github"):
        assert "\x1b" not in done.stdout.decode("utf-8", "replace")
    if name == "github":
        # The property has to be the name itself; the service reads it, and nothing shows it.
        out = re.sub(r"file=[^\n]*?,line=", "file=,line=", out)
    assert not ACTING.search(out)
    commands = [line for line in re.split(r"[\r\n]", out) if line.lstrip().startswith("::") or "##[" in line]
    assert not commands if name != "github" else all(re.match("::(error|notice) title=looplint", line) for line in commands)
    assert done.stderr.decode().count("\n") == 1 and not ACTING.search(done.stderr.decode())
    assert b"##[" not in done.stderr


@pytest.mark.parametrize("name", ["json", "json-lines", "sarif", "gitlab"])
def test_names_come_back_from_json(name: str, folder: Path) -> None:
    raw = looplint(".", "--no-cache", "--output-format", name, cwd=folder).stdout.decode("utf-8")
    found = [json.loads(line) for line in raw.splitlines()] if name == "json-lines" else json.loads(raw)
    if name == "sarif":
        places = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in found["runs"][0]["results"]]
        assert all(re.fullmatch(r"[A-Za-z0-9_.~/%-]+", uri) for uri in places)
        names = {unquote_to_bytes(uri) for uri in places}
    elif name == "gitlab":
        names = {os.fsencode(entry["location"]["path"]) for entry in found if entry["check_name"] == "LL102"}
    else:
        names = {os.fsencode(entry["filename"]) for entry in found}
    assert names == set(NAMES)


def test_junit_is_xml(folder: Path) -> None:
    done = looplint(".", "--no-cache", "--output-format", "junit", cwd=folder)
    assert len(list(ET.fromstring(done.stdout).iter("failure"))) == len(NAMES)


def test_a_baseline_knows_such_names(folder: Path) -> None:
    assert looplint(".", "--write-baseline", "known.json", cwd=folder).returncode == 2
    json.loads((folder / "known.json").read_text(encoding="utf-8"))
    assert b'"filename"' not in looplint(".", "--baseline", "known.json", "--output-format", "json", cwd=folder).stdout


@pytest.mark.parametrize(
    "arguments", [("--fix",), ("--add-noqa",), ("--diff",), ("--fix", "--show-fixes"), ("--statistics",), ("--show-files",)]
)
def test_such_files_are_repaired_and_silenced(arguments: tuple[str, ...], folder: Path) -> None:
    done = looplint(".", "--no-cache", *arguments, cwd=folder)
    assert b"internal error" not in done.stderr and not ACTING.search(done.stderr.decode())


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_every_encoding_of_the_output_takes_them(encoding: str, folder: Path) -> None:
    done = looplint(".", "--no-cache", cwd=folder, environment={"PYTHONIOENCODING": encoding})
    assert done.returncode == 2 and f"Found {len(NAMES)} errors".encode() in done.stdout, done.stderr


@pytest.mark.parametrize("option", ["--html", "--svg", None])
def test_pictures_hold_no_markup_of_others(option: str | None, tmp_path: Path) -> None:
    name = "x<img src=a>\x1b\u202e.py"
    (tmp_path / name).write_text(SOURCE.replace("loss =", "loss = a['\u202e<script>', '''\x1b'''] +"))
    done = looplint("loop", name, *((option, "out") if option else ()), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    out = (tmp_path / "out").read_text(encoding="utf-8") if option else done.stdout.decode()
    assert not ACTING.search(out)
    if option:
        assert "<img" not in out and "<script" not in out
    if option == "--svg":
        ET.fromstring(out)


def test_what_is_shown_has_as_many_characters() -> None:
    text = "".join(map(chr, (*range(0x300), *range(0x2000, 0x2100), *range(0xD800, 0xD810), 0xFEFF)))
    assert len(visible(text)) == len(text) and not ACTING.search(visible(text)) and "\n" not in visible(text)
    assert visible("é 漢字 x") == "é 漢字 x"
    assert visible("x[1]  ##[error]") == "x[1]  ##\u2772error]"
    assert escaped("<\x1b>") == "&lt;\u241b&gt;"
    assert shown_place("::error::a.py:1:1") == "./::error::a.py:1:1" and shown_place("a.py:1:1") == "a.py:1:1"
