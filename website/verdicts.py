"""The page on verdicts: for each rule, what a run has to show to confirm a finding, and what it has to reach before it can refute one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from looplint.linting.catalogue import Rule
from looplint.runtime.evidence.claim import Claim
from looplint.runtime.evidence.claims import CLAIMS
from website import rules

_HEAD = """# What a run confirms and refutes

[`looplint run`](runtime.md) gives each finding a verdict. This table has the conditions for all rules, rendered from the code that decides. A finding is
*confirmed* by the observation in the second column, at its place. It is *refuted* only where the run came to what the third column names, at that place,
after so many optimizer steps, and the observation was not made; otherwise it is "not reached", or "not measured" where only a GPU shows it or where a
hook failed. The last column says what makes "does harm" out of "happens": the observation is the damage itself, or a comparison with the repaired script
(`--compare`) measures it.

| rule | what confirms it | what has to be reached to refute it | steps | on a CPU | harm |
|---|---|---|---|---|---|
"""


def page(catalogue: Iterable[Rule]) -> str:
    """The table, and the rules of which a single run shows nothing."""
    known = {rule.code: rule for rule in catalogue}
    left = [known[code] for code, claim in sorted(CLAIMS.items()) if claim.observed is None and code in known]
    table = _HEAD + "".join(f"{row}\n" for row in _rows(known))
    return f"{table}\nA single run shows nothing of {', '.join(map(_linked, left))}; a comparison with the repaired script may.\n"


def _rows(known: dict[str, Rule]) -> Iterator[str]:
    for code, claim in sorted(CLAIMS.items()):
        if (observed := claim.observed) is not None and code in known:
            cells = [_linked(known[code]), observed.confirms, observed.needs, str(observed.turns or ""), _on_cpu(claim), _harm(claim)]
            yield f"| {' | '.join(cells)} |"


def _on_cpu(claim: Claim) -> str:
    if claim.accelerator:
        return "not measured"
    return "not refuted where it is not reached" if claim.observed is not None and claim.observed.cuda else "yes"


def _harm(claim: Claim) -> str:
    assert claim.observed is not None
    return "the observation" if claim.observed.harm else "`--compare`" if claim.observed.compared else ""


def _linked(rule: Rule) -> str:
    return f"[{rule.code}]({rules.address(rule)})"
