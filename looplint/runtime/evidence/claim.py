"""A claim: all that is known of one rule on the recorded side. `claims/` has those of all rules.

A finding is refuted only where the run came to the very thing and did not do what the finding says: not by a run that ended before, not by one
without the device that shows it, and not where the line never ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from looplint.runtime.evidence.signals import Measure
from looplint.runtime.evidence.witness import Judge
from looplint.runtime.recording.channels import Channel

GRADIENTS: tuple[Channel, ...] = ("optimizers", "steps", "clears", "backwards")


class Observation(NamedTuple):
    """What one run alone shows of a rule's findings, and what it has to reach before it can confirm or refute one.

    Attributes:
        judge: the places of a run in the light of the rule; rules may share one.
        tells: the observation that refutes a finding where it does not show it.
        shows: the observation that confirms a finding.
        channels: the hooks that make these observations; where one of them failed, there is no verdict.
        turns: the optimizer steps without which a run cannot refute a finding.
        cuda: whether a script for a GPU makes the observation only there: on a CPU scalers are off, and nothing moves.
        harm: whether the observation is itself the damage; else it states that the line did what the finding reports.
        compared: whether the rule's measure beside the repaired run is the damage: other gradients or rates, memory that is held.
        probed: whether only a probe at the lines of findings makes the observation.
        alike: the code of a rule that reports the same of one place, told apart by where in the iteration it is.
        cause: the code of a rule whose confirmed finding, at another line, names the cause already.
    """

    judge: Judge
    tells: str
    shows: str
    channels: tuple[Channel, ...]
    turns: int = 0
    cuda: bool = False
    harm: bool = False
    compared: bool = False
    probed: bool = False
    alike: str = ""
    cause: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """What recorded runs show of a rule.

    Attributes:
        code: the rule's code.
        measure: whether a run shows the damage, beside the run of the repaired program.
        observed: what one run alone shows; None where it shows nothing.
        accelerator: whether only an accelerator can show the claim: elsewhere there is no copy.
    """

    code: str
    measure: Measure
    observed: Observation | None = None
    accelerator: bool = False

    @property
    def costs(self) -> bool:
        """Whether it is measured by the hooks on costs, which other runs do without."""
        return self.observed is not None and "costs" in self.observed.channels
