"""What goes by the name of a tensor is one where it is moved: `src_tensor.to(device)` gives a moved copy."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def encode(pipe, frames, device):
            {made}
            {moved}
            return pipe.encode({name})
"""


@pytest.mark.parametrize(
    ("name", "moved"),
    [("src_tensor", "to(device=device)"), ("tensor", "cuda()"), ("input_tensor", "half()"), ("FRAME_TENSOR", "to(device)")],
)
def test_a_moved_copy_is_thrown_away(name: str, moved: str) -> None:
    assert_marked(PROGRAM.format(name=name, made=f"{name} = pipe.preprocess(frames)", moved=f"{name}.{moved}  # expect: LL503"))


@pytest.mark.parametrize("name", ["tensors", "tensor_batch", "tensor_parallel", "tensor_model", "pipeline"])
def test_names_that_say_less(name: str) -> None:
    assert_marked(PROGRAM.format(name=name, made=f"{name} = pipe.preprocess(frames)", moved=f"{name}.to(device)"))


@pytest.mark.parametrize("name", ["src_tensor", "tensor"])
def test_a_copy_that_takes_its_place(name: str) -> None:
    assert_marked(PROGRAM.format(name=name, made=f"{name} = pipe.preprocess(frames)", moved=f"{name} = {name}.to(device)"))
