"""What Lightning restores from a checkpoint is made by its class, which tells whether it records graphs: where results become arrays, it is not taken for frozen."""

from __future__ import annotations

import pytest

from programs import assert_marked

MODEL = """
        from pytorch_lightning import LightningModule
        class Net(LightningModule):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 2)
                self.head = nn.Linear(2, 2)
            def forward(self, x):
                return self.head(self.layer(x))
            def training_step(self, batch, number):
                return self(batch[0]).mean()
            def configure_optimizers(self):
                return torch.optim.Adam([p for p in self.parameters() if p.requires_grad])
"""
PREDICT = """
        def predict(model, loader):
            model.eval()
            found = []
            for batch in loader:
                out = model(batch[0]){marked}
                found.append(out)
            return torch.cat(found).cpu().numpy()
"""
RESTORED = {
    "by its class": "best = Net.load_from_checkpoint(path)",
    "by a name for its class": "kind = Net\nbest = kind.load_from_checkpoint(path, strict=False)",
    "moved": "best = Net.load_from_checkpoint(path).to('cuda')",
    "in eval mode": "best = Net.load_from_checkpoint(path).cuda().eval()",
}
SILENT = {
    "frozen": ("best = Net.load_from_checkpoint(path)\nbest.freeze()", MODEL),
    "frozen parameter by parameter": (
        "best = Net.load_from_checkpoint(path)\nfor p in best.parameters():\n    p.requires_grad = False",
        MODEL,
    ),
    "frozen by its class": (
        "best = Net.load_from_checkpoint(path)",
        MODEL.replace("self.layer =", "self.requires_grad_(False); self.layer ="),
    ),
    "frozen by a function": (
        "best = Net.load_from_checkpoint(path)",
        MODEL.replace("self.head =", "freeze_model(self.layer); self.head ="),
    ),
    "frozen by an attribute": (
        "best = Net.load_from_checkpoint(path)",
        MODEL.replace("self.head =", "self.layer.weight.requires_grad = False; self.head ="),
    ),
    "without a graph": (
        "best = Net.load_from_checkpoint(path)",
        MODEL.replace("    def forward", "    @torch.no_grad()\n            def forward"),
    ),
    "out of sight": ("best = Other.load_from_checkpoint(path)", MODEL + "        from elsewhere import Other\n"),
    "of a class that no framework trains": (
        "best = Own.load_from_checkpoint(path)",
        MODEL + "        class Own(Frozen):\n            size = 3\n",
    ),
}


def _program(model: str, restored: str, marked: str) -> str:
    lines = "".join(f"            {line}\n" for line in restored.splitlines())
    main = f"        def main(path, data):\n{lines}            print(predict(best, torch.utils.data.DataLoader(data)))\n        main('a', [])\n"
    return f"{model}{PREDICT.format(marked=marked)}{main}"


@pytest.mark.parametrize("way", RESTORED)
def test_what_is_restored_records_a_graph(way: str) -> None:
    assert_marked(_program(MODEL, RESTORED[way], "  # expect: LL303"))


@pytest.mark.parametrize("way", SILENT)
def test_what_may_be_frozen_is_not_reported(way: str) -> None:
    restored, model = SILENT[way]
    assert_marked(_program(model, restored, ""))
