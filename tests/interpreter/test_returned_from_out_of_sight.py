"""What a function gets from out of sight on each of its ways is one object to its caller, as what it builds on them is."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a model from one of two returns": """
        from acme import build_model

        def load(path):
            if path is None:
                model = build_model()
                model.eval()
                return model
            model = build_model()
            model.net.load_state_dict(torch.load(path, map_location="cpu"))
            model.eval()
            return model

        def evaluate(path, loader: DataLoader):
            model = load(path)
            for batch in loader:
                model.set_input(batch)
                model.forward()  # expect: LL303
                print(torch.sigmoid(model.output).cpu().numpy())
        """,
    "a model from one of three, with what it was trained on": """
        from acme import build, restore, wrap

        def load(name, path):
            if name == "new":
                model = build(name)
                return model.to("cuda"), name
            if name == "old":
                model = restore(path)
                return model.to("cuda"), path
            model = wrap(restore(path))
            return model.to("cuda"), None

        def fit(name, path, loader: DataLoader, valid: DataLoader):
            model, origin = load(name, path)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(3):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
                model.eval()
                for x, y in valid:
                    print(nn.functional.mse_loss(model(x), y).item())  # expect: LL303
        """,
    "an optimizer from one of two returns": """
        from acme import make_optimizer, restore_optimizer

        def choose(path, model):
            if path is None:
                optimizer = make_optimizer(model.parameters())
                optimizer.zero_grad()
                return optimizer
            optimizer = restore_optimizer(path, model.parameters())
            optimizer.zero_grad()
            return optimizer

        def fit(path, loader):
            model = nn.Linear(3, 3)
            optimizer = choose(path, model)
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
        """,
    "one of the ways switches gradients off": """
        from acme import build_model

        def load(path):
            if path is None:
                model = build_model()
                model.eval()
                return model
            model = build_model()
            model.eval()
            return model

        def evaluate(path, loader: DataLoader):
            model = load(path)
            with torch.no_grad():
                for batch in loader:
                    model.set_input(batch)
                    model.forward()
                    print(torch.sigmoid(model.output).cpu().numpy())
        """,
    "one of the ways has frozen its model": """
        from acme import build_model

        def load(path):
            if path is None:
                model = build_model()
                model.eval()
                model.requires_grad_(False)
                return model
            model = build_model()
            model.requires_grad_(False)
            model.eval()
            return model

        def evaluate(path, loader: DataLoader):
            model = load(path)
            for x, y in loader:
                print(nn.functional.mse_loss(model(x), y).item())
        """,
    "models that a function hands on are those of its caller": """
        def choose(first, path, student, teacher):
            student.train()
            teacher.eval()
            if first:
                return student
            return teacher

        def fit(student, teacher, loader):
            optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
            teacher.eval()
            for first in (True, False):
                model = choose(first, None, student, teacher)
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_comes_from_out_of_sight_on_several_ways_is_one_object(name: str) -> None:
    assert_marked(PROGRAMS[name])
