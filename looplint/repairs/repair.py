"""A repair as a rule requests it: what it needs, and how it is planned."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from looplint.domain.record import Record
from looplint.finding import Applicability

if TYPE_CHECKING:
    from looplint.repairs.draft import Draft
    from looplint.repairs.planner import Planner


class Plan:
    """A repair before it becomes text edits.

    Attributes:
        message: what is done, as a sentence.
        applicability: how far it can be trusted, where the finding holds on every path and no other file is changed.
        drafts: the changes, file by file.
        name: what the sentence names that it is done to.
    """

    def __init__(self, message: str, applicability: Applicability, drafts: list[Draft], name: str = "") -> None:
        self.message, self.applicability, self.drafts, self.name = message, applicability, drafts, name


class Repair(Record):
    """What a report requests: a class for each repair, whose fields are the events and objects it is planned from."""

    @abstractmethod
    def plan(self, p: Planner) -> Plan:
        """What would be changed.

        Raises:
            Infeasible: the repair cannot be made here.
        """
