"""What two branches put into a list is one object there, beside what was put in before."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def train(model, data, adaptive):
            optimizers = [BEFORE]
            first = torch.optim.AdamW(model.body.parameters(), lr=1e-3)
            optimizers.append(first)
            if adaptive:
                ADAPTIVE
            else:
                PLAIN
            for x, y in data:
                for optimizer in optimizers:
                    optimizer.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                for optimizer in optimizers:
                    optimizer.step()
        """
ADAM, SGD = "torch.optim.Adam(model.head.parameters())", "torch.optim.SGD(model.head.parameters(), lr=0.1)"
FORMS = {
    "appended by name": ("", f"head = {ADAM}; optimizers.append(head)", f"head = {SGD}; optimizers.append(head)"),
    "appended": ("", f"optimizers.append({ADAM})", f"optimizers.append({SGD})"),
    "after another": ("torch.optim.SGD(model.tail.parameters(), lr=0.1)", f"optimizers.append({ADAM})", f"optimizers.append({SGD})"),
    "added": ("", f"optimizers += [{ADAM}]", f"optimizers += [{SGD}]"),
}


@pytest.mark.parametrize(("before", "adaptive", "plain"), FORMS.values(), ids=FORMS)
def test_each_of_the_list_steps(before: str, adaptive: str, plain: str) -> None:
    assert_marked(PROGRAM.replace("BEFORE", before).replace("ADAPTIVE", adaptive).replace("PLAIN", plain))
