"""The constructor of a class that a framework trains may refuse its own defaults: whoever builds it gives it something else."""

from __future__ import annotations

import pytest

from programs import assert_marked

KEEPING = """
        from collections import defaultdict
        import lightning.pytorch as pl
        from transformers import Trainer
        class Mine(Trainer):
            def __init__(self, model=None, args=None, beta=0.1, **rest):
                {constructor}
                self.beta = beta
                self.kept = defaultdict(lambda: defaultdict(list))
                super().__init__(model=model, args=args, **rest)
            def compute_loss(self, model, inputs, return_outputs=False):
                out = model(inputs["x"])
                nll = nn.functional.cross_entropy(out.logits, inputs["y"])
                metrics = {{}}
                metrics["scores"] = out.logits.detach().mean()
                metrics["nll"] = nll.cpu(){detached}
                self.keep(metrics, "train")
                return nll
            def keep(self, metrics, phase):
                for name, value in metrics.items():
                    self.kept[phase][name].append(value){expected}
"""
PROGRAMS = {
    "refuses none": KEEPING.format(
        constructor="if args is None:\n                    raise ValueError(args)", detached="", expected="  # expect: LL401"
    ),
    "refuses what it gets by other names": KEEPING.format(
        constructor="if model is None and not rest:\n                    raise ValueError(model)\n                self.size = args.size",
        detached="",
        expected="  # expect: LL401",
    ),
    "takes its defaults": KEEPING.format(constructor="self.seed = 0", detached="", expected="  # expect: LL401"),
    "refuses none, and keeps numbers": KEEPING.format(
        constructor="if args is None:\n                    raise ValueError(args)", detached=".item()", expected=""
    ),
    "a module that refuses its defaults": """
        import lightning.pytorch as pl
        class Mine(pl.LightningModule):
            def __init__(self, net=None):
                super().__init__()
                if net is None:
                    raise ValueError(net)
                self.net, self.losses = net, []
            def training_step(self, batch, batch_idx):
                loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
                self.losses.append(loss)  # expect: LL401
                return loss
            def configure_optimizers(self):
                return torch.optim.Adam(self.parameters())
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_constructors(program: str) -> None:
    assert_marked(program)
