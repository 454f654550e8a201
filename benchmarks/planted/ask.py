"""Run as a script: lints each file named on standard input as a user would lint it together with those that import it, and counts findings by rule.

Standard input has a JSON object a line: the `files` to lint together, and in `replace` the one that is written before, with its text. Each answer is a
JSON object: the number of findings of each rule, or an `error`.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import looplint


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        path, text = Path(request["replace"][0]), request["replace"][1]
        before = path.read_bytes()
        path.write_text(text, encoding="utf-8")
        start = time.process_time()
        try:
            found = Counter(f.code for f in looplint.lint(request["files"], isolated=True))
            answer: dict[str, object] = {"found": found}
        except looplint.UnreadError as unread:
            answer = {"found": Counter(f.code for f in unread.findings)}
        except Exception as error:  # noqa: BLE001 - a bug of looplint's own is a miss with a reason
            answer = {"error": f"{type(error).__name__}: {error}"}
        finally:
            path.write_bytes(before)
        print(json.dumps({**answer, "seconds": time.process_time() - start}), flush=True)


if __name__ == "__main__":
    main()
