"""A schedule that ends, where no setting says otherwise, after as many steps as there are epochs is one of epochs."""

import pytest

from programs import assert_marked

_PROGRAM = """
import argparse
from transformers import get_cosine_schedule_with_warmup

{options}

def train(net: nn.Module, loader{parameters}):
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = get_cosine_schedule_with_warmup(optimizer, {steps})
    for e in {epochs}:
        net.train()
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
        scheduler.step(){mark}
"""
_OPTIONS = """
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=20)
parser.add_argument("--train-length", type=int, default=20)
args = parser.parse_args()
"""


@pytest.mark.parametrize(
    ("options", "parameters", "steps", "epochs"),
    [
        pytest.param(_OPTIONS, "", "0, 20", "range(args.epochs)", id="a literal and an option's default"),
        pytest.param("", "", "0, 20", "range(20)", id="two literals"),
        pytest.param("", "", "num_warmup_steps=1, num_training_steps=19", "range(1, 21)", id="a schedule that ends before the last epoch"),
        pytest.param("COUNT = 20", "", "0, COUNT", "range(1, COUNT + 1)", id="a constant of the module"),
        pytest.param("", ", epochs=20", "0, 20", "range(epochs)", id="a parameter's default"),
        pytest.param(_OPTIONS, "", "0, args.train_length", "range(args.epochs)", id="two options"),
        pytest.param(_OPTIONS + "n = args.epochs", "", "0, 20", "range(n)", id="a name of an option"),
    ],
)
def test_is_quiet_where_the_numbers_are_the_same(options: str, parameters: str, steps: str, epochs: str) -> None:
    assert_marked(_PROGRAM.format(options=options, parameters=parameters, steps=steps, epochs=epochs, mark=""))


@pytest.mark.parametrize(
    ("options", "parameters", "steps", "epochs"),
    [
        pytest.param(_OPTIONS, "", "100, 10000", "range(args.epochs)", id="a literal far beyond an option's default"),
        pytest.param("", "", "100, 10000", "range(20)", id="two literals"),
        pytest.param("", ", epochs=20", "0, epochs * len(loader)", "range(epochs)", id="a parameter's default"),
        pytest.param(_OPTIONS, "", "0, len(loader) * args.epochs", "range(args.epochs)", id="all batches"),
    ],
)
def test_reports_a_schedule_that_goes_beyond_the_epochs(options: str, parameters: str, steps: str, epochs: str) -> None:
    assert_marked(_PROGRAM.format(options=options, parameters=parameters, steps=steps, epochs=epochs, mark="  # expect: LL202"))


def test_is_quiet_where_a_cycle_is_as_long_as_the_training() -> None:
    assert_marked(
        """
        def train(net: nn.Module, loader, optimizer: torch.optim.Optimizer):
            scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, 30)
            for e in range(30):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    optimizer.step()
                scheduler.step()
        """
    )
