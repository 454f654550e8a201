"""`python -m benchmarks.silent_errors`: lint and run the programs that show the errors of two collections, and compare with what is stored.

With `--posts DIR`, a checkout of PySIAssist's replication package, the code of the posts themselves is linted as well, with the imports that posts leave
out. `--text` leaves the runs out. `--store` keeps what is measured, for the page.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.silent_errors.samples import parses, samples
from benchmarks.silent_errors.tables import Shown, errors, programs, write_errors, write_programs
from looplint.linting.files import lint_paths
from looplint.linting.selection import Selection
from looplint.runtime.evidence.joining import CONFIRMED
from looplint.runtime.harness.running import inspect
from looplint.runtime.streams.record import Options
from looplint.settings.configuration import Configurations


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.silent_errors", description=__doc__)
    parser.add_argument("--text", action="store_true", help="lint the programs, and run none")
    parser.add_argument("--posts", type=Path, help="a checkout of PySIAssist's replication package")
    parser.add_argument("--only", action="append", default=[], metavar="PROGRAM", help="only this program (repeatable)")
    parser.add_argument("--store", action="store_true", help="keep what is measured")
    options = parser.parse_args(arguments)
    stored, changed = programs(), 0
    for name, before in stored.items():
        if options.only and name not in options.only:
            continue
        now = replace(before, text=in_text(before))
        if not options.text:
            now = replace(now, run=in_run(before))
        same = (now.text, now.run) == (before.text, before.run)
        changed += not same
        print(
            f"{name}: text {' '.join(now.text) or 'none'}, run {' '.join(now.run) or 'none'}{'' if same else ' (stored otherwise)'}",
            flush=True,
        )
        stored[name] = now
        if options.store:
            write_programs(stored)  # at once: a run of all takes minutes
    if options.posts is not None:
        changed += ask_of_posts(options.posts, stored, keep=options.store)
    return 1 if changed and not options.store else 0


def in_text(program: Shown) -> tuple[str, ...]:
    """The rules for the error that report something in the text."""
    return codes_in(program.path, program.codes)


def codes_in(path: Path, codes: Sequence[str]) -> tuple[str, ...]:
    found = {f.code for f in lint_paths([str(path)], Selection(select=("ALL",)), jobs=1).findings}
    return tuple(sorted(found & set(codes)))


def in_run(program: Shown) -> tuple[str, ...]:
    """The rules for the error that a run confirms, or that it alone reports."""
    configurations = Configurations(isolated=True, overrides={"extend-select": [*program.codes, "LL001"]})
    inspection = inspect(str(program.path), Options(steps=20, short=True), configurations)
    shown = {j.code for j in inspection.joined if j.verdict in {*CONFIRMED, "found at run time only"}}
    return tuple(sorted(shown & set(program.codes)))


def ask_of_posts(package: Path, shown: dict[str, Shown], *, keep: bool) -> int:
    """Lint the code of the posts; how many differ from what is stored."""
    tables, code, changed = errors(), samples(package), 0
    for entry in tables["pysiassist"]:
        if "program" not in entry:
            continue
        before = entry.get("post", [])
        now = _on_a_post(code[entry["row"]], shown[entry["program"]].codes)
        if now != before:
            changed += 1
            print(f"row {entry['row']}: {now}, stored {before}")
        entry["post"] = now
    if keep:
        write_errors(tables)
    return changed


def _on_a_post(code: str, codes: Sequence[str]) -> list[str] | None:
    """The rules for the error that report something in a post's code; None where that is no Python."""
    if not parses(code):
        return None
    with tempfile.TemporaryDirectory(prefix="looplint-") as folder:
        path = Path(folder, "post.py")
        path.write_text(code, encoding="utf-8")
        return list(codes_in(path, codes))


if __name__ == "__main__":
    sys.exit(main())
