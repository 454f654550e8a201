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


@pytest.mark.parametrize("part", ["normalise", "denormalize_target", "unnormalize", "preprocess", "post_process_masks"])
def test_a_method_that_changes_data(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked=""))


@pytest.mark.parametrize("part", ["normalized_head", "process", "transform", "preprocessor.net"])
def test_a_method_that_may_use_parameters(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked="  # expect: LL303"))


@pytest.mark.parametrize("part", ["roi_heads.box_head", "pooler", "attention_pool", "relu_block"])
def test_a_part_that_may_learn(part: str) -> None:
    assert_marked(PROGRAM.format(part=part, marked="  # expect: LL303"))
