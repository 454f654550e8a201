"""Whoever gives an option that asks for cuDNN's benchmark mode wants that mode, whatever the rest of the program sets."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Net(nn.Module):
            def __init__(self, seed=0):
                super().__init__()
                torch.manual_seed(seed)
                torch.backends.cudnn.deterministic = True
                self.body = nn.Conv2d(3, 3, 3)

            def forward(self, x):
                return self.body(x)

        def main(args, data):
            model = Net()
            if CONDITION:
                torch.backends.cudnn.benchmark = TrueMARK
            opt = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                opt.step()
        """


@pytest.mark.parametrize("condition", ["args.cudnn_benchmark", "args.benchmark and args.gpu", "args.gpu and args.use_cudnn_benchmark"])
def test_an_option_for_it(condition: str) -> None:
    assert_marked(PROGRAM.replace("CONDITION", condition).replace("MARK", ""), advice=True)


def test_an_option_for_something_else() -> None:
    assert_marked(PROGRAM.replace("CONDITION", "args.gpu").replace("MARK", "  # expect: LL902"), advice=True)
