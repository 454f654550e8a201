"""The models in a container that comes from out of sight: loops over it tell what they are."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "each is called in a loop of its own": """
        def evaluate(models, loader, device):
            for model in models:
                model.eval()
            hits = 0
            for x, y in loader:
                total = 0
                for model in models:
                    total = total + model(x.to(device))  # expect: LL303
                hits += (total.argmax(1) == y.to(device)).sum().item()
            return hits
        """,
    "under two names, beside files and weights": """
        import torch
        def evaluate(nets, files, weights, loader):
            for file, net in zip(files, nets):
                net.load_state_dict(torch.load(file, map_location="cpu"))
                net.eval()
            hits = 0
            for x, y in loader:
                total = 0
                for number, (member, weight) in enumerate(zip(nets, weights)):
                    total = total + weight * member(x)  # expect: LL303
                hits += (total.argmax(1) == y).sum().item()
            return hits
        """,
    "a function switches each of them": """
        import torch
        def restore(model, file, device):
            model.load_state_dict(torch.load(file, map_location="cpu"))
            model.eval()
            model.cuda(device)
        class Ensemble:
            def __init__(self, models):
                self.models = models
            def evaluate(self, files, loader, device):
                for file, model in zip(files, self.models):
                    restore(model, file, device)
                hits = 0
                for x, y in loader:
                    total = 0
                    for model in self.models:
                        total = total + model(x.to(device))  # expect: LL303
                    hits += (total.argmax(1) == y.to(device)).sum().item()
                return hits
        """,
    "without gradients": """
        import torch
        @torch.no_grad()
        def evaluate(models, loader):
            for model in models:
                model.eval()
            return [(model(x).argmax(1) == y).sum().item() for x, y in loader for model in models]
        """,
    "one of them is switched": """
        def evaluate(models, loader):
            models[0].eval()
            hits = 0
            for x, y in loader:
                for model in models:
                    model.requires_grad_(False)
                    hits += (model(x).argmax(1) == y).sum().item()
            return hits
        """,
    "functions and other things": """
        def describe(callbacks, metrics, loader):
            for callback in callbacks:
                callback.train()
            for x, y in loader:
                for metric in metrics:
                    print(metric(x, y).item())
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_models_in_a_container_out_of_sight(name: str) -> None:
    assert_marked(PROGRAMS[name])
