"""A constant that stands for a tensor until a condition gives it has no graph; what takes its place has, and is kept with it."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

LOOP = """
        def main(args, loader):
            model = nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            kept = []
            total = 0.0
            for x, y in loader:
                out = model(x)
                {extra}
                optimizer.zero_grad()
                (nn.functional.mse_loss(out, y) + extra).backward()
                optimizer.step()
                {kept}
            print(kept, total)
"""
# What gives `extra`, what keeps it, with what is reported there.
LOUD = {
    "zeros before an option": (
        "extra = torch.zeros(1)\nif args.extra:\n    extra = (out - y).abs().sum()",
        "kept.append(extra)  # expect: LL401",
    ),
    "a number in a tensor, or else": (
        "if args.extra:\n    extra = (out - y).abs().sum()\nelse:\n    extra = torch.tensor(0.0)",
        "kept.append(extra)  # expect: LL401",
    ),
    "in an expression": (
        "extra = (out - y).abs().sum() if args.extra else torch.tensor(0.0, device=x.device)",
        "kept.append(extra)  # expect: LL401",
    ),
    "one of two, or none": (
        "extra = torch.tensor(0.0)\nif args.one:\n    extra = out.abs().sum()\nelif args.other:\n    extra = out.pow(2).sum()",
        "kept.append(extra)  # expect: LL401",
    ),
    "added up": ("extra = torch.tensor(0.0)\nif args.extra:\n    extra = (out - y).abs().sum()", "total += extra  # expect: LL402"),
}
QUIET = {
    "detached where it is given": (
        "extra = torch.zeros(1)\nif args.extra:\n    extra = (out - y).abs().sum()",
        "kept.append(extra.detach())",
    ),
    "a number": ("extra = torch.zeros(1)\nif args.extra:\n    extra = (out - y).abs().sum()", "kept.append(extra.item())"),
    "of no forward": ("extra = torch.zeros(1)\nif args.extra:\n    extra = (x - y).abs().sum()", "kept.append(extra)"),
    "without gradients": (
        "extra = torch.zeros(1)\nif args.extra:\n    with torch.no_grad():\n        extra = (out - y).abs().sum()",
        "kept.append(extra)",
    ),
    "detached in one branch": (
        "if args.extra:\n    extra = (out - y).abs().sum()\nelse:\n    extra = (out - y).abs().sum().detach()",
        "kept.append(extra)",
    ),
    "made by code out of sight": ("extra = torch.zeros(1)\nif args.extra:\n    extra = args.measure(out, y)", "kept.append(extra)"),
    "handed on to code out of sight": (
        "extra = torch.zeros(1)\nif args.extra:\n    extra = (out - y).abs().sum()\nseen = args.reduce(extra)",
        "kept.append(seen)",
    ),
}


def _program(extra: str, kept: str) -> str:
    return dedent(LOOP).format(extra=extra.replace("\n", "\n" + " " * 8), kept=kept)


@pytest.mark.parametrize(("extra", "kept"), [pytest.param(*given, id=name) for name, given in (LOUD | QUIET).items()])
def test_what_is_kept_has_its_graph_where_no_constant_has_its_place(extra: str, kept: str) -> None:
    assert_marked(_program(extra, kept))
