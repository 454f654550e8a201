"""What `torch.load` gives goes to the CPU on every machine: where it was saved from a GPU, the load itself fails on machines without one."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import argparse
        from pathlib import Path


        def main(cuda):
            parser = argparse.ArgumentParser()
            parser.add_argument("file")
            args = parser.parse_args()
            model = torch.load(args.fileARGUMENT)MARK
            USE
            torch.jit.script(model).save("scripted.pt")
        """
MOVED = {
    "to": 'model = model.double().to("cpu")',
    "to a device": 'model = model.to(torch.device("cpu"))',
    "cpu": "model.cpu()",
    "an entry": 'model = model["ema"].cpu()',
    "each entry": "model = {name: value.cpu() for name, value in model.items()}",
}
OTHERS = {
    "told where to": ('model.to("cpu")', ', map_location="cpu"'),
    "not moved": ("print(model)", ""),
    "to what it is told": ("model.to(args.device)", ""),
    "where it is asked for": ("if not cuda: model.cpu()", ""),
    "a program that needs a GPU": ("model.cpu(); print(torch.ones(3).cuda())", ""),
}


@pytest.mark.parametrize("use", MOVED.values(), ids=MOVED)
def test_what_is_loaded_goes_to_the_cpu(use: str) -> None:
    program = PROGRAM.replace("USE", use).replace("ARGUMENT", "").replace("MARK", "  # expect: LL803")
    assert_marked(program, advice=True)


@pytest.mark.parametrize(("use", "argument"), OTHERS.values(), ids=OTHERS)
def test_where_that_does_not_tell(use: str, argument: str) -> None:
    assert_marked(PROGRAM.replace("USE", use).replace("ARGUMENT", argument).replace("MARK", ""), advice=True)
