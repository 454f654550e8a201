"""What is put around an optimizer stands for it: horovod's, apex's; also around one that a model out of sight keeps."""

from __future__ import annotations

import pytest

from programs import assert_marked

FORMS = {
    "an attribute of the model": "optimizer = hvd.DistributedOptimizer(module.optimizer, named_parameters=module.named_parameters())",
    "by its keyword": "optimizer = hvd.DistributedOptimizer(optimizer=module.opt)",
    "under a name first": "inner = module.optimizer\n            optimizer = FP16_Optimizer(inner)",
    "built in sight": "optimizer = hvd.DistributedOptimizer(torch.optim.SGD(module.parameters(), 0.1))",
}
PROGRAM = """
        import horovod.torch as hvd
        from apex.fp16_utils import FP16_Optimizer
        def fit(module, loader):
            module.configure_optimizers()
            {wrapped}
            module.train()
            for i, batch in enumerate(loader):
                {first}
                {second}
                {third}
                optimizer.step()
        """
RIGHT = ("optimizer.zero_grad()", 'loss = module.training_step(batch, i)["loss"]', "loss.backward()")


@pytest.mark.parametrize("name", FORMS)
def test_the_wrapped_optimizer_is_known(name: str) -> None:
    clear, forward, back = RIGHT
    late = PROGRAM.format(wrapped=FORMS[name], first=forward, second=back, third=f"{clear}  # expect: LL101")
    assert_marked(late)


@pytest.mark.parametrize("name", FORMS)
def test_right_code_is_left_alone(name: str) -> None:
    assert_marked(PROGRAM.format(wrapped=FORMS[name], first=RIGHT[0], second=RIGHT[1], third=RIGHT[2]))


AVERAGED = """
        import torchcontrib
        import torch
        def fit(net, loader, every):
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            {wrapped}
            net.train()
            for epoch in range(10):
                for i, (x, y) in enumerate(loader):
                    optimizer.zero_grad()
                    loss = torch.nn.functional.cross_entropy(net(x), y)
                    loss.backward(){expected}
                    {step}
                    if i % every == 0:
                        optimizer.update_swa()
            optimizer.swap_swa_sgd()
            optimizer.bn_update(loader, net)
        """
WRAPPED = {
    "always": "optimizer = torchcontrib.optim.SWA(optimizer)",
    "with some schedules": "if every:\n                optimizer = torchcontrib.optim.SWA(optimizer)",
    "by its module": "optimizer = torchcontrib.optim.swa.SWA(optimizer)",
}


@pytest.mark.parametrize("wrapped", WRAPPED.values(), ids=WRAPPED)
def test_what_averages_weights_steps_when_it_is_told(wrapped: str) -> None:
    assert_marked(AVERAGED.format(wrapped=wrapped, expected="  # expect: LL106", step="pass"))
    assert_marked(AVERAGED.format(wrapped=wrapped, expected="", step="optimizer.step()"))
