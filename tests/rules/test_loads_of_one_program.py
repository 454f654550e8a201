"""Several loads without `map_location` in one function are one mistake, with one repair (LL803)."""

from __future__ import annotations

from textwrap import dedent

import looplint

PROGRAM = """
    import torch
    from torch import nn

    def resume(path, latest, teacher_path):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net, teacher = nn.Linear(2, 2).to(device), nn.Linear(2, 2).to(device)
        teacher.load_state_dict(torch.load(teacher_path))
        if latest:
            state = torch.load(latest)
        else:
            state = torch.load(path)
        net.load_state_dict(state)
        torch.save(net.state_dict(), path)
        torch.save(teacher.state_dict(), teacher_path)

    resume(*paths())
"""


def test_they_are_one_finding() -> None:
    (finding,) = (f for f in looplint.lint(dedent(PROGRAM), isolated=True) if f.code == "LL803")
    assert finding.location.row == 8
    assert [(place.location.row, place.message) for place in finding.related if place.message.startswith("so is")] == [
        (10, "so is the state of net here"),
        (12, "so is the state of net here"),
    ]
    assert finding.severity == "warning"
