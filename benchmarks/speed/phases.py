"""Where the time of one command goes: by whole processes that each do a little more, by imports, and by module."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

from benchmarks.speed.process import compare

_IMPORT = re.compile(r"import time:\s*(\d+) \|\s*(\d+) \| ( *)(\S+)")
# Runs the command line in this process under the profiler and prints seconds of own time per package or module of the project.
_PROFILE = """
import cProfile, json, os, pstats, sys
sys.argv = ["looplint", *sys.argv[1:]]
profile = cProfile.Profile()
out = sys.stdout
sys.stdout = open(os.devnull, "w")
profile.enable()
try:
    from looplint.commands.cli import main
    main()
except SystemExit:
    pass
profile.disable()
totals = {}
for (file, _, _), (_, _, own, _, _) in pstats.Stats(profile).stats.items():
    parts = file.replace(os.sep, "/").split("/")
    if "site-packages" in parts:
        inside = parts[parts.index("site-packages") + 1:]
        name = "/".join(inside) if inside[0] == "looplint" else inside[0]
    else:
        name = "built-in functions" if file == "~" else "Python's library"
    totals[name] = totals.get(name, 0.0) + own
json.dump(totals, out)
"""


def steps(bin_folder: Path, script: Path, rounds: int) -> dict[str, float]:
    """Processor seconds of processes that do a little more each: an empty Python, `import libcst`, the command's start, the command on a script.

    The last is run once before it is measured, so that its results are in the cache. Wall time would be that of the machine's other work, too.
    """
    python = str(bin_folder / "python")
    commands = {
        "python -c pass": [python, "-c", "pass"],
        "python -c 'import libcst'": [python, "-c", "import libcst"],
        "looplint --version": [str(bin_folder / "looplint"), "--version"],
        "looplint, one script": [str(bin_folder / "looplint"), "--no-cache", str(script)],
        "looplint, one script that it has seen": [str(bin_folder / "looplint"), str(script)],
    }
    return {name: found.cpu for name, found in compare(commands, rounds).items()}


def imports(bin_folder: Path, script: Path, most: int = 12) -> dict[str, int]:
    """Microseconds of the slowest imports when one script is linted, by outermost package, each with all that it pulls in."""
    command = [str(bin_folder / "python"), "-X", "importtime", str(bin_folder / "looplint"), "--no-cache", str(script)]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    own: dict[str, int] = {}
    for line in text.splitlines():
        match = _IMPORT.match(line)
        if match:
            package = match[4].split(".")[0]
            own[package] = own.get(package, 0) + int(match[1])
    return dict(sorted(own.items(), key=lambda item: -item[1])[:most])


def modules(bin_folder: Path, target: Path, most: int = 12) -> dict[str, float]:
    """Share of own time per module of the project and per package, under the profiler (which slows small functions most), on one core."""
    command = [str(bin_folder / "python"), "-I", "-c", _PROFILE, "--no-cache", "--jobs", "1", str(target)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0 or not found.stdout.strip():
        raise SystemExit(f"profiling failed:\n{found.stderr}")
    totals: dict[str, float] = json.loads(found.stdout)
    whole = sum(totals.values())
    return {name: own / whole for name, own in sorted(totals.items(), key=lambda item: -item[1])[:most]}
