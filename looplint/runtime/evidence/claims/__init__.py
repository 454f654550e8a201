"""What runs show of each rule: one file per subject, each with its `CLAIMS`.

In: streams. Out: signals and witnesses. Every file of this folder is loaded, a new one too.
Imports: the other modules of `evidence`, and `streams`; no file imports another of this folder.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from looplint.runtime.evidence.claim import Claim
from looplint.runtime.evidence.signals import Signal
from looplint.runtime.streams.stream import Stream


def _loaded() -> dict[str, Claim]:
    """The claims of all files by their rule's code, in the order of the codes."""
    found = [claim for module in iter_modules(__path__) for claim in import_module(f"{__name__}.{module.name}").CLAIMS]
    return {claim.code: claim for claim in sorted(found, key=lambda claim: claim.code)}


CLAIMS = _loaded()


def measure(code: str, run: Stream, right: Stream) -> Signal | None:
    """A rule's signal on a run, or None where the rule claims nothing that a run could show."""
    claim = CLAIMS.get(code)
    return claim.measure(run, right) if claim is not None else None
