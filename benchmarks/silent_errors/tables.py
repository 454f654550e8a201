"""What is stored: the errors of both tables, and the programs that show them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ERRORS, PROGRAMS = HERE / "errors.json", HERE / "programs.json"


@dataclass(frozen=True)
class Shown:
    """What looplint says of one program that shows an error.

    `codes` are the rules that report the error; `text` and `run` are those of them that did: with all rules in the text, and confirmed by a run or found
    by it alone. `why` says why what finds nothing does not.
    """

    name: str
    codes: tuple[str, ...]
    text: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    why: str = ""

    @property
    def path(self) -> Path:
        return HERE / "programs" / f"{self.name}.py"

    @property
    def found(self) -> bool:
        return bool(self.text or self.run)


def programs() -> dict[str, Shown]:
    stored = json.loads(PROGRAMS.read_text(encoding="utf-8"))
    return {
        name: Shown(name, tuple(p.get("codes", ())), tuple(p.get("text", ())), tuple(p.get("run", ())), p.get("why", ""))
        for name, p in stored.items()
    }


def errors() -> dict[str, list[dict[str, Any]]]:
    """The errors by the name of their table, each as a mapping.

    Of TrainCheck's: `name`, `source`, `where` (whose code), `what`, and `program` or `why`. Of PySIAssist's samples: `row` in the worksheet, `pattern`,
    `source`, and either `what` and `program`, with the codes that the text of the post itself is given (`post`), or `out`: why it is none of a training loop.
    """
    return dict(json.loads(ERRORS.read_text(encoding="utf-8")))


def write_programs(shown: Mapping[str, Shown]) -> None:
    facts = {
        name: {
            k: list(v) if isinstance(v, tuple) else v
            for k, v in (("codes", p.codes), ("text", p.text), ("run", p.run), ("why", p.why))
            if v
        }
        for name, p in sorted(shown.items())
    }
    PROGRAMS.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def write_errors(tables: Mapping[str, list[dict[str, Any]]]) -> None:
    ERRORS.write_text(json.dumps(tables, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
