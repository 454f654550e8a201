"""A file defines its helpers first: one is judged with what its callers in the file give it, also where nobody calls those."""

from __future__ import annotations

import pytest

from programs import assert_marked

FROZEN = """
    for parameter in model.parameters():
        parameter.requires_grad = False"""
HELPER = """
import torchvision


def activations(files, model):
    model.eval()
    found = []
    for batch in files:
        found.append(model(torch.from_numpy(batch)).data.cpu().numpy()){mark}
    return found

"""
FORMS = {
    "a helper": """
def distance(files):
    model = torchvision.models.resnet18(){frozen}
    return activations(files, model)
""",
    "a helper of a helper, and one that calls itself": """
def statistics(files, model):
    if isinstance(files, dict):
        return statistics(list(files.values()), model)
    return activations(files, model)


def distance(files):
    model = torchvision.models.resnet18(){frozen}
    return statistics(files, model)
""",
    "a helper of a class": """
class Distance:
    def __init__(self):
        model = torchvision.models.resnet18(){indented}
        self.model = model

    def measure(self, files):
        return activations(files, self.model)
""",
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("frozen", [True, False])
def test_a_helper_gets_what_its_callers_give_it(name: str, frozen: bool) -> None:
    written = FROZEN if frozen else ""
    mark = "" if frozen else "  # expect: LL303"
    assert_marked((HELPER + FORMS[name]).format(frozen=written, indented=written.replace("\n", "\n    "), mark=mark))
