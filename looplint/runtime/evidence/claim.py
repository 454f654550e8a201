"""A claim: what recorded runs show of one rule. `claims/` has those of all rules.

A finding is refuted only where the run reached what the rule is about and did not do what the finding reports: not by a run that ended before it,
not by one without the device that shows it, and not where the line never ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from looplint.runtime.evidence.signals import Measure
from looplint.runtime.evidence.witness import Judge
from looplint.runtime.recording.channels import Channel

GRADIENTS: tuple[Channel, ...] = ("optimizers", "steps", "clears", "backwards")


class Observation(NamedTuple):
    """What a single run shows of a rule's findings, and what it has to reach before it can confirm or refute one.

    Attributes:
        judge: finds the witnesses of a run; rules may share one.
        needs: what a run has to reach before it can refute a finding.
        confirms: the observation that confirms a finding.
        channels: the hooks that make these observations; where one of them failed, there is no verdict.
        turns: the optimizer steps without which a run cannot refute a finding.
        cuda: whether a script for a GPU makes the observation only there: on a CPU scalers are off, and nothing moves.
        harm: whether the observation is itself the damage; otherwise only that the line did what the finding reports.
        compared: whether the rule's measure beside the repaired run is the damage: other gradients or rates, memory that is held.
        probed: whether only a probe at the lines of findings makes the observation.
        alike: the code of a rule that reports the same at a place, which differs only in its position in the iteration.
        cause: the code of a rule whose confirmed finding, at another line, names the cause already.
    """

    judge: Judge
    needs: str
    confirms: str
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
        observed: what a single run shows; None where it shows nothing.
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
