"""The modes of a DeepSpeed engine differ where those of the model that it is given do; a mode of that model is one of the engine's layers."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINER = """
    import deepspeed
    import torch.nn.functional as F


    def evaluate(engine, valid):
        {off}
        total = 0.0
        with torch.no_grad():
            for x, y in valid:
                total += F.mse_loss(engine(x), y).item(){unswitched}
        return total


    def train({given}loader, valid, epochs):
        {build}
        for epoch in range(epochs):
            engine.train()
            for step, (x, y) in enumerate(loader):
                {on}
                loss = F.mse_loss(engine(x), y){mark}
                engine.backward(loss)
                engine.step()
                if step % 100 == 99:
                    print(evaluate(engine, valid))
"""
DROPPING = "nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))"
BUILDS = {
    "a model that is handed in": ("net, ", "engine, _, _, _ = deepspeed.initialize(model=net)"),
    "a model that drops": ("", f"engine, opt, _, sched = deepspeed.initialize(model={DROPPING})"),
    "by position": ("args, ", f"engine, *_ = deepspeed.initialize(args, {DROPPING})"),
    "the first of the tuple": ("net, config, ", "engine = deepspeed.initialize(model=net, config=config)[0]"),
}
PLAIN = "engine, _, _, _ = deepspeed.initialize(model=nn.Sequential(nn.Linear(4, 4), nn.ReLU()))"
EXPECTED = "  # expect: LL304"


@pytest.mark.parametrize(("given", "build"), BUILDS.values(), ids=BUILDS)
def test_eval_mode_that_a_validation_leaves(given: str, build: str) -> None:
    assert_marked(TRAINER.format(given=given, build=build, off="engine.eval()", on="x = x.cuda()", mark=EXPECTED, unswitched=""))


@pytest.mark.parametrize("on", ["engine.train()", "engine.module.train()"])
def test_train_mode_in_each_turn(on: str) -> None:
    for given, build in BUILDS.values():
        assert_marked(TRAINER.format(given=given, build=build, off="engine.eval()", on=on, mark="", unswitched=""))


def test_a_model_without_modes() -> None:
    assert_marked(TRAINER.format(given="", build=PLAIN, off="engine.eval()", on="x = x.cuda()", mark="", unswitched=""))


def test_a_validation_in_train_mode() -> None:
    given, build = BUILDS["a model that drops"]
    assert_marked(TRAINER.format(given=given, build=build, off="print()", on="x = x.cuda()", mark="", unswitched="  # expect: LL302"))


def test_the_mode_of_the_model_itself() -> None:
    build = "engine, _, _, _ = deepspeed.initialize(model=net)"
    assert_marked(TRAINER.format(given="net, ", build=build, off="engine.eval()", on="net.train()", mark="", unswitched=""))
    known = f"net = {DROPPING}; {build}"
    assert_marked(TRAINER.format(given="", build=known, off="engine.eval()", on="net.train()", mark="", unswitched=""))
    assert_marked(TRAINER.format(given="", build=known, off="engine.module.eval()", on="net.train()", mark="", unswitched=""))


def test_a_validation_for_which_the_model_itself_is_switched() -> None:
    assert_marked(f"""
        import deepspeed
        import torch.nn.functional as F


        def train(loader, valid, epochs):
            net = {DROPPING}
            engine, _, _, _ = deepspeed.initialize(model=net)
            for epoch in range(epochs):
                net.train()
                for x, y in loader:
                    loss = F.mse_loss(engine(x), y)
                    engine.backward(loss)
                    engine.step()
                net.eval()
                total = 0.0
                with torch.no_grad():
                    for x, y in valid:
                        total += F.mse_loss(engine(x), y).item()
                print(total)
    """)
