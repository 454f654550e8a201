"""The bugs that are planted by syntax alone: what is changed must be a bug."""

from __future__ import annotations

from pathlib import Path

from benchmarks.planted.__main__ import importers
from benchmarks.planted.planting import plants

TRAIN = "def fit(net, data):\n    {train}\n    for x in data:\n        step(net, x)\n\n\ndef check(net, data):\n    net.eval()\n    return [net(x) for x in data]\n\n\n"


def _rows(text: str) -> list[int]:
    return [plant.row for plant in plants(text) if plant.category == "no train() after validation"]


def test_train_mode_is_taken_away_only_where_training_comes_again() -> None:
    once = TRAIN.format(train="net.train()")
    assert _rows(once + "fit(net, data)\ncheck(net, data)\n") == []
    assert _rows(once + "for epoch in range(3):\n    fit(net, data)\n    check(net, data)\n") == [2]
    inside = "for epoch in range(3):\n    net.train()\n    step(net)\n    net.eval()\n    check(net)\n"
    assert _rows(inside) == [2]


def test_only_what_is_no_module_is_moved_for_nothing() -> None:
    text = "for x, y in loader:\n    x = x.to(device)\n    head = head.to(device)\n    part = part.cuda()\n    loss = head(x) + norm(part.weight)\n"
    assert [plant.row for plant in plants(text) if plant.category == "result of to() thrown away"] == [2]


def test_what_has_fields_may_change_in_place() -> None:
    def rows(use: str) -> list[int]:
        text = f"for batch in loader:\n    batch = batch.to(device)\n    print({use})\n"
        return [plant.row for plant in plants(text) if plant.category == "result of to() thrown away"]

    assert rows("batch.mean(), batch.shape") == [2]
    assert rows("net(batch.x, batch.edge_index)") == []


VALIDATE = "@torch.no_grad()\ndef validate(net, data):\n    for x in data:\n        print({use}(x))\n\n\n"


def test_gradients_are_switched_on_only_where_nothing_else_switches_them_off() -> None:
    def rows(text: str) -> list[int]:
        return [plant.row for plant in plants(text) if plant.category == "validation without no_grad"]

    plain = VALIDATE.format(use="net")
    assert rows(plain) == [1]
    assert rows(plain + "def main(net, data):\n    validate(net, data)\n") == [1]
    assert rows(plain + "def main(net, data):\n    with torch.no_grad():\n        validate(net, data)\n") == []
    assert rows(plain + "@torch.inference_mode()\ndef main(net, data):\n    return validate(net, data)\n") == []
    assert rows(VALIDATE.format(use="infer") + "@torch.no_grad()\ndef infer(x):\n    return net(x)\n") == []
    assert rows(plain.replace("validate", "validation_step")) == []


DROPPING = """\
class Net(nn.Module):
    def forward(self, x):
        return self.head(F.dropout(x, {rate}, training=self.training))


net = Net()
net.{mode}()
"""


def test_a_dropout_loses_its_mode_only_where_it_drops_and_its_model_is_evaluated() -> None:
    def texts(text: str) -> list[str]:
        return [plant.text for plant in plants(text) if plant.category == "dropout that is not told the mode"]

    assert texts(DROPPING.format(rate=0.5, mode="eval")) == [DROPPING.format(rate=0.5, mode="eval").replace(", training=self.training", "")]
    assert texts(DROPPING.format(rate="rate", mode="eval")) == []
    assert texts(DROPPING.format(rate=0.5, mode="train")) == []
    assert texts(DROPPING.format(rate=0.5, mode="eval").replace("Net()", "build()")) == []


def test_sums_without_gradients_have_no_graph_to_keep() -> None:
    sums = "{context}\n            total += loss.item()\n"
    loop = "def train(net, data, opt):\n    total = 0\n    for x in data:\n        loss = net(x)\n        loss.backward()\n        "

    def rows(context: str) -> list[int]:
        return [p.row for p in plants(loop + sums.format(context=context)) if p.category == "sum of losses with their graphs"]

    assert rows("with torch.no_grad():") == []
    assert rows("if x.any():") == [7]


def test_who_imports_a_package_imports_its_folder(tmp_path: Path) -> None:
    texts = {
        "models/__init__.py": "def make(): ...\n",
        "models/small.py": "",
        "train.py": "from models import make\n",
        "prune.py": "from models.small import net\n",
        "data.py": "import json\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert importers(tmp_path, tmp_path / "models/__init__.py") == [str(tmp_path / "prune.py"), str(tmp_path / "train.py")]
    assert importers(tmp_path, tmp_path / "models/small.py") == [str(tmp_path / "prune.py")]


def test_what_a_package_hands_on_is_imported_from_there(tmp_path: Path) -> None:
    texts = {
        "one/run.py": "from data import evaluate\n",
        "one/data/__init__.py": "from .metrics import evaluate\n",
        "one/data/metrics.py": "def evaluate(): ...\n",
        "two/run.py": "from data import evaluate\n",
        "two/data/__init__.py": "from .metrics import evaluate\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    found = [Path(name).relative_to(tmp_path).as_posix() for name in importers(tmp_path, tmp_path / "one/data/metrics.py")]
    assert found == ["two/data/__init__.py", "one/run.py", "two/run.py", "one/data/__init__.py"]


def test_who_imports_the_module_itself_comes_before_who_imports_its_package(tmp_path: Path) -> None:
    imports = "from package.nn import other\n"
    texts = {
        "package/nn/__init__.py": "from .pieces import Piece\n",
        "package/nn/pieces.py": imports,
        "package/models/model.py": "from package.nn.pieces import Piece\n",
        **{f"package/nn/sibling_{number}.py": imports for number in range(6)},
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    found = [Path(name).relative_to(tmp_path).as_posix() for name in importers(tmp_path, tmp_path / "package/nn/pieces.py")]
    assert found[0] == "package/models/model.py" and "package/nn/pieces.py" not in found and len(found) == 4
