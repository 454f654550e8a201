"""A constant that stands for a tensor until a condition gives it has no graph; what takes its place has, and is kept with it."""

from __future__ import annotations

from textwrap import dedent, indent

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


def _filled(program: str, **parts: str) -> str:
    """A program with parts in their places, each indented as its place is."""
    lines = dedent(program).split("\n")
    for name, part in parts.items():
        place = "{" + name + "}"
        lines = [indent(part, line.removesuffix(place)) if line.strip() == place else line for line in lines]
    return "\n".join(lines)


@pytest.mark.parametrize(("extra", "kept"), [pytest.param(*given, id=name) for name, given in (LOUD | QUIET).items()])
def test_what_is_kept_has_its_graph_where_no_constant_has_its_place(extra: str, kept: str) -> None:
    assert_marked(_filled(LOOP, extra=extra, kept=kept))


FIELDS = """
        class Net(nn.Module):
            def __init__(self, kind):
                super().__init__()
                self.body, self.kind = nn.Linear(2, 1), kind

            def field(self, x, extra=False):
                out = self.body(x)
                one, other = torch.zeros_like(x), torch.zeros(1)
                {field}
                return one + other

        def main(args, x, y, held_out, target):
            model, other = Net(args.kind), Net(args.kind)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            kept = []
            total = 0.0
            for step in range(args.steps):
                optimizer.zero_grad()
                (model.field(x) - y).pow(2).mean().backward()
                optimizer.step()
                {kept}
            print(kept, total)
"""
IN_EITHER = 'if self.kind != "b":\n    one = out * 2\nif self.kind != "a":\n    other = out.abs()'
DERIVED = """if self.kind != "b":
    one = torch.autograd.grad(out.sum(), x, create_graph=True)[0]
if self.kind != "a":
    other = torch.autograd.grad(out.sum(), x, create_graph=True)[0]"""
# What gives the parts of a sum, what another call of it is kept in.
ANOTHER_CALL = {
    "kept": (IN_EITHER, "kept.append((model.field(held_out) - target).abs().mean())  # expect: LL401"),
    "derivatives": (DERIVED, "kept.append((model.field(held_out) - target).abs().mean())  # expect: LL401"),
    "added up": (IN_EITHER, "total += (model.field(held_out) - target).abs().mean()  # expect: LL402"),
    "in an expression": (
        'one = out * 2 if self.kind != "b" else torch.zeros(1)',
        "kept.append((model.field(held_out) - target).abs().mean())  # expect: LL401",
    ),
    "now and then": (IN_EITHER, "if step % 9 == 0:\n    kept.append((model.field(held_out) - target).abs().mean())  # expect: LL401"),
}
ANOTHER_CALL_WITHOUT = {
    "a number": (IN_EITHER, "kept.append((model.field(held_out) - target).abs().mean().item())"),
    "without gradients": (IN_EITHER, "with torch.no_grad():\n    kept.append((model.field(held_out) - target).abs().mean())"),
    "in train mode alone": (
        "if self.training:\n    other = out.abs()",
        "model.eval()\nkept.append(model.field(held_out).abs().mean())\nmodel.train()",
    ),
    "where the call asks for it": (
        "if not extra:\n    other = out.abs()",
        "kept.append(model.field(held_out, extra=args.extra).abs().mean())",
    ),
    "of a model that is not trained": (IN_EITHER, "kept.append(other.field(held_out).abs().mean())"),
}


@pytest.mark.parametrize(("field", "kept"), [pytest.param(*ANOTHER_CALL[name], id=name) for name in ANOTHER_CALL])
def test_what_goes_backward_of_another_call_tells_that_no_constant_has_the_place(field: str, kept: str) -> None:
    assert_marked(_filled(FIELDS, field=field, kept=kept))


@pytest.mark.parametrize(("field", "kept"), [pytest.param(*ANOTHER_CALL_WITHOUT[name], id=name) for name in ANOTHER_CALL_WITHOUT])
def test_another_call_tells_nothing_of_what_may_be_a_constant_here(field: str, kept: str) -> None:
    assert_marked(_filled(FIELDS, field=field, kept=kept))
