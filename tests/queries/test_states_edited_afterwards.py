"""A state into which others' entries are put is a mixture, from there on: what was saved or restored before was the state."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def halved(state):
            for name in state:
                state[name] = state[name].half()
            return state


        def main(data, rival):
            net = nn.Linear(8, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            best, lowest = None, 1e9
            for epoch in range(9):
                total = 0.0
                for x, y in data:
                    opt.zero_grad()
                    loss = nn.functional.mse_loss(net(x), y)
                    loss.backward()
                    opt.step()
                    total += loss.item()
                if total < lowest:
                    lowest = total
                    best = net.state_dict()MARK
                    TAKEN
                EACH
            BEFORE
            torch.save(best, "best.pt")
            AFTER
        """
AFTERWARDS = {
    "an entry": 'best["weight"] = rival',
    "entries of another": "best.update(rival)",
    "by a function": 'torch.save(halved(best), "half.pt")',
    "all of them, by a loop": "for name in best: best[name] = best[name].cpu()",
}
BEFORE = {
    "when it is taken": ("TAKEN", 'best["weight"] = rival'),
    "as copies": ("TAKEN", "for name in best: best[name] = best[name].clone()"),
    "in each turn": ("EACH", "best.update(rival)"),
    "before it is saved": ("BEFORE", 'best["weight"] = rival'),
    "by a function": ("BEFORE", "best = halved(best)"),
}


def _program(changes: dict[str, str]) -> str:
    text = PROGRAM
    for name in ("MARK", "TAKEN", "EACH", "BEFORE", "AFTER"):
        text = text.replace(name, changes.get(name, "" if name == "MARK" else "pass"))
    return text


@pytest.mark.parametrize("edit", AFTERWARDS.values(), ids=AFTERWARDS)
def test_what_is_put_in_afterwards(edit: str) -> None:
    assert_marked(_program({"MARK": "  # expect: LL801", "AFTER": edit}))


@pytest.mark.parametrize(("place", "edit"), BEFORE.values(), ids=BEFORE)
def test_what_is_put_in_before(place: str, edit: str) -> None:
    assert_marked(_program({place: edit}))
