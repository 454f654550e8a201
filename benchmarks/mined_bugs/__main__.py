"""`python -m benchmarks.mined_bugs`: lint the minimal programs of the bugs that threads describe, and compare with what is stored.

The command fails where another rule finds a program than before, or none does. `--store` keeps what is found, for `docs/mined-bugs.md`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.mined_bugs.tables import forms, found_in, store


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mined_bugs", description=__doc__)
    parser.add_argument("--store", action="store_true", help="keep what is found")
    options = parser.parse_args(arguments)
    if options.store:
        store()
    changed = 0
    for form in forms():
        now = found_in(form)
        changed += now != form.found
        stored = "" if now == form.found else f" (stored: {' '.join(form.found) or 'none'})"
        print(f"{form.program or '-'}: {' '.join(now) or 'none'}{stored}")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
