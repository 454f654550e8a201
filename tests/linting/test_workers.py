"""A process that dies while it analyses a file costs that file, and no other."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import looplint_text
from programs import BROKEN, RULE

DEADLY = RULE.replace(
    "    for event in program.of(Step):\n",
    "    import os\n    import signal\n\n    for event in program.of(Step):\n"
    "        if os.path.exists('kill-' + event.site.module.filename):\n            os.kill(os.getpid(), signal.SIGKILL)\n",
)


def test_a_process_that_dies_costs_its_file(tmp_path: Path) -> None:
    (tmp_path / "lint").mkdir()
    (tmp_path / "lint" / "no_steps.py").write_text(DEADLY)
    (tmp_path / "looplint.toml").write_text('rules = ["lint"]\n')
    for number in range(16):
        (tmp_path / f"train{number:02}.py").write_text(BROKEN)
    for number in (3, 11):
        (tmp_path / f"kill-train{number:02}.py").write_text("")
    arguments = ("--allow-rules", "--select", "LL102,ACME1", "--no-cache", "--jobs", "2", "--output-format", "json")
    done = looplint_text(*arguments, "--exclude", "kill-*", "--exclude", "lint", ".", cwd=tmp_path)
    assert done.returncode == 2
    died = "the process that analysed it died; exclude the file, and please report it"
    assert done.stderr == f"error: train03.py: {died}\nerror: train11.py: {died}\n"
    assert len({finding["filename"] for finding in json.loads(done.stdout)}) == 14
