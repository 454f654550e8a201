"""A state dict that gets entries from elsewhere is put together to be loaded, and no state of a model that was kept."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINING = """
        def train(model, data, path):
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            state = model.state_dict()  MARK
            for x, y in data:
                opt.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                opt.step()
            WRITTEN
            model.load_state_dict(state)
        """

WRITTEN = {
    "an entry": 'state["head.weight"] = torch.zeros(3)',
    "entries of a file": "state.update(torch.load(path, map_location='cpu'))",
    "entries in a loop": "[state.__setitem__(k, v) for k, v in ()]; state['a'] = state['b']",
    "clones": "for k, v in list(state.items()): state[k] = v.clone()",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_state_with_other_entries_is_no_kept_one(written: str) -> None:
    assert_marked(TRAINING.replace("MARK", "").replace("WRITTEN", written))


def test_a_state_that_is_only_read_is() -> None:
    assert_marked(TRAINING.replace("MARK", "# expect: LL801").replace("WRITTEN", "print(len(state), state['head.weight'].mean())"))
