"""A tree walk that gives each layer its part of a state loads the model, as `load_state_dict()` does."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Net(nn.Module):
    @classmethod
    def restored(cls, state, *args):
        model = cls(*args)
        {load}
        return model

    def __init__(self, width):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, width), nn.Dropout())

    def forward(self, x):
        return self.body(x)

@torch.no_grad()
def predict(model, loader):
    {switch}
    return [model(batch["x"]).argmax(1).tolist() for batch in loader]{mark}

print(predict(Net.restored(torch.load("net.pt", map_location="cpu"), 3), torch.utils.data.DataLoader(held_out)))
"""
WALKS = {
    "recursive": """
        def load(module, prefix=""):
            module._load_from_state_dict(state, prefix, {}, True, [], [], [])
            for name, child in module._modules.items():
                if child is not None:
                    load(child, prefix + name + ".")

        load(model)""",
    "of the whole": 'model._load_from_state_dict(state, "", {}, True, [], [], [])',
    "at once": "model.load_state_dict(state)",
}


def _program(load: str, switch: str = "pass", mark: str = "") -> str:
    return PROGRAM.replace("{load}", load).replace("{switch}", switch).replace("{mark}", mark)


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_it_predicts_in_train_mode(walk: str) -> None:
    assert_marked(_program(walk, mark="  # expect: LL302"))


@pytest.mark.parametrize("walk", WALKS.values(), ids=WALKS)
def test_it_predicts_in_eval_mode(walk: str) -> None:
    assert_marked(_program(walk, "model.eval()"))


def test_a_model_that_nothing_was_loaded_into_predicts_nothing() -> None:
    assert_marked(_program("pass"))
