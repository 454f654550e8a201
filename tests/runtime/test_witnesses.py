"""What `looplint run` says of the fixtures: each finding in a broken one is confirmed by its run, as far as a CPU can show it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from looplint.linting import catalogue
from looplint.runtime.evidence.claims import CLAIMS
from looplint.runtime.evidence.joining import OBSERVED
from looplint.runtime.harness.running import inspect
from looplint.runtime.harness.verify import Case, cases, entry
from looplint.runtime.streams.record import Options
from looplint.runtime.streams.warm import Warm
from looplint.settings.configuration import Configurations

pytestmark = pytest.mark.slow
# Findings at lines that call nothing the recorder hooks: an assignment, an insertion into a container, a bound forward under another name.
UNHOOKED = {
    "params_replaced_after_optimizer/block_inserted_in_training",
    "forward_called_directly/forward_under_another_name",
    "best_state_not_copied/best_model_is_another_name",
}


def broken() -> Iterator[Case]:
    for rule in catalogue.load():
        folder = catalogue.folder("fixtures") / rule.name.replace("-", "_")
        if rule.code in OBSERVED and folder.is_dir():
            yield from cases(folder, rule.code)


@pytest.mark.parametrize("case", list(broken()), ids=lambda c: f"{c.rule}/{c.name}")
def test_what_a_rule_reports_is_confirmed(case: Case, warm: Warm, monkeypatch: pytest.MonkeyPatch) -> None:
    script = entry(case.broken)
    monkeypatch.chdir(script.parent)
    configurations = Configurations(isolated=True, overrides={"select": (case.code,)})
    options = Options(cwd=script.parent)
    inspection = inspect(str(script), options, configurations, warm.launch)
    verdicts = {j.verdict for j in inspection.joined if j.verdict != "found at run time only"}
    wanted = {"not measured"} if CLAIMS[case.code].accelerator else {"does harm", "happens"}
    if f"{case.rule}/{case.name}" in UNHOOKED:
        wanted = {"not reached"}
    if case.code == "LL503":  # a tensor that is dropped on its way to the device is the same one where the device is the CPU
        wanted |= {"not measured"}
    assert verdicts <= wanted, [(j.line, j.verdict, j.text) for j in inspection.joined]
