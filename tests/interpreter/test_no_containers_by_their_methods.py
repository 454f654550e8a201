"""What is asked for a method that no list, dict or text has is none of these, whatever a builder may give back."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import importlib


        BUILD


        def train(model, optimizer, loader):
            for x, y in loader:
                loss = F.cross_entropy(model(x), y)FOUND
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


        def main(config, loader, val_loader):
            model = build(config.model)
            MOVE
            model = nn.parallel.DistributedDataParallel(model)
            optimizer = torch.optim.Adam(model.parameters())
            for epoch in range(config.epochs):
                TRAIN
                train(model, optimizer, loader)
                model.eval()
                correct = 0
                with torch.no_grad():
                    for x, y in val_loader:
                        correct += (model(x).argmax(1) == y).sum().item()
                print(correct)
        """
BUILDERS = {
    "of a configuration": """def build(config):
            if not isinstance(config, (list, dict)):
                return config
            if isinstance(config, list):
                for i in range(len(config)):
                    config[i] = build(config[i])
                return config
            if "obj" not in config:
                for key in config:
                    config[key] = build(config[key])
                return config
            module, name = config["obj"].rsplit(".", 1)
            return getattr(importlib.import_module(module), name)(**build(config["args"]))""",
    "a list or a network": """class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.drop = nn.Dropout(0.5)
                self.fc = nn.Linear(width, 2)

            def forward(self, x):
                return self.fc(self.drop(x))


        def build(config):
            if isinstance(config.width, list):
                return [Net(width) for width in config.width]
            return Net(config.width)""",
    "a dict or a network": """def build(config):
            nets = {}
            for name in config.names:
                nets[name] = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))
            return nets if config.all else nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))""",
    "a text or a network": """def build(config):
            if config.remote:
                return "remote"
            return nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 2))""",
}
MOVES = ["model.cuda()", "model = model.cuda()", "model.to(config.device)"]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
def test_what_is_moved_is_a_model(build: str, move: str) -> None:
    program = PROGRAM.replace("BUILD", build).replace("MOVE", move)
    assert_marked(program.replace("TRAIN", "pass").replace("FOUND", "  # expect: LL301"))
    assert_marked(program.replace("TRAIN", "model.train()").replace("FOUND", ""))


def test_what_a_container_has_tells_nothing() -> None:
    assert_marked("""
        def train(config, model, optimizers, loader):
            optimizer = torch.optim.Adam(model.parameters())
            if config.many:
                optimizer = {"main": optimizer, **optimizers}
            for x, y in loader:
                F.cross_entropy(model(x), y).backward()
                for each in optimizer.values():
                    each.step()
                    each.zero_grad()
        """)
