"""A deep copy of a module has the modes of its original: that of its own layers and of its parts."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import copy


        def clones(module, count):
            return nn.ModuleList([copy.deepcopy(module) for _ in range(count)])


        class Layer(nn.Module):
            def __init__(self, drop):
                super().__init__()
                self.fc = nn.Linear(8, 8)
                self.drop = drop

            def forward(self, x):
                return self.drop(self.fc(x))


        class Stack(nn.Module):
            def __init__(self, layer):
                super().__init__()
                self.layers = clones(layer, 4)

            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x


        def main(data, test):
            model = MODEL
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(3):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    for x, y in test:
                        print(nn.functional.mse_loss(model(x), y).item())MARK
        """
DIFFER = {
    "several of them": "Stack(Layer(nn.Dropout(0.1)))",
    "copies in copies": "Stack(Stack(Layer(nn.BatchNorm1d(8))))",
    "among others": "nn.Sequential(nn.Linear(8, 8), copy.deepcopy(Layer(nn.Dropout(0.1))))",
}
ALIKE = {"a copy": "copy.deepcopy(Layer(nn.ReLU()))", "several of them": "Stack(Layer(nn.ReLU()))"}


@pytest.mark.parametrize("model", DIFFER.values(), ids=DIFFER)
def test_copies_of_what_has_modes(model: str) -> None:
    assert_marked(PROGRAM.replace("MODEL", model).replace("MARK", "  # expect: LL302"))


@pytest.mark.parametrize("model", ALIKE.values(), ids=ALIKE)
def test_copies_of_what_has_none(model: str) -> None:
    assert_marked(PROGRAM.replace("MODEL", model).replace("MARK", ""))


def test_a_part_that_the_copy_gets_of_its_own() -> None:
    program = PROGRAM.replace("MODEL", "copy.deepcopy(Layer(nn.Dropout(0.1))); model.drop = nn.Identity()")
    assert_marked(program.replace("MARK", ""))
