"""Parts of a model out of sight that go by the name of a layer without parameters build no graph of their own (LL303)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from detector import build
        def main(images):
            model = build()
            model.eval()
            part = model.{part}
            for image in torch.utils.data.DataLoader(images):
                out = part(image){marked}
                print(out.sum().item())
            model.to("cuda")
            part.to("cuda")
"""


@pytest.mark.parametrize("part", ["roi_heads.box_roi_pool", "avgpool", "global_max_pool", "dropout", "rpn.anchor_generator", "relu1"])
def test_a_part_that_learns_nothing(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked=""))


@pytest.mark.parametrize(
    "part", ["normalise", "denormalize_target", "unnormalize", "preprocess", "post_process_masks", "to_device", "move_to_gpu"]
)
def test_a_method_that_changes_data(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked=""))


@pytest.mark.parametrize("part", ["normalized_head", "process", "transform", "preprocessor.net", "device_head"])
def test_a_method_that_may_use_parameters(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked="  # expect: LL303"))


@pytest.mark.parametrize("part", ["roi_heads.box_head", "pooler", "attention_pool", "relu_block"])
def test_a_part_that_may_learn(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked="  # expect: LL303"))


PREPARED = """
        class Trainer:
            def __init__(self, model):
                self.model = model
            def train(self, loader):
                opt = torch.optim.Adam(self.model.parameters())
                for batch in loader:
                    opt.zero_grad()
                    nn.functional.cross_entropy(self.model(self.model.process(batch)), batch["y"]).backward()
                    opt.step()
            def evaluate(self, loader):
                self.model.eval()
                total = 0.0
                for batch in loader:
                    inputs = self.model.{method}(batch){marked}
                    {around}:
                        scores = self.model({given})
                    total += (scores.argmax(-1) == batch["y"]).sum().item()
                return total
"""


@pytest.mark.parametrize("given", ["inputs", "inputs[0]"])
@pytest.mark.parametrize("method", ["process", "to_device", "collate.pack"])
def test_a_method_that_makes_what_the_model_gets_under_no_grad(method: str, given: str) -> None:
    assert_marked(PREPARED.format(method=method, given=given, around="with torch.no_grad()", marked=""))


def test_a_method_whose_result_is_used_under_no_grad_otherwise() -> None:
    text = PREPARED.format(method="features", given="batch", around="with torch.no_grad()", marked="  # expect: LL303")
    assert_marked(text.replace("total += (scores", "total += (scores * inputs"))
