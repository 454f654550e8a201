"""What a device is called: its type, and its text."""

import pytest

from programs import assert_marked

PROGRAM = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 3).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in batches:
    optimizer.zero_grad()
    with torch.autocast(device_type={given}):
        loss = nn.functional.mse_loss(model(x), y)
    loss.backward(){mark}
    optimizer.step()
"""


@pytest.mark.parametrize("given", ["device.type", "str(device)", "str(device.type)", '"cuda" if torch.cuda.is_available() else "cpu"'])
def test_an_autocast_on_the_device_of_the_program_is_one_on_the_gpu(given: str) -> None:
    assert_marked(PROGRAM.format(given=given, mark="  # expect: LL603"))


@pytest.mark.parametrize("given", ["device.type, dtype=torch.bfloat16", 'str(torch.device("cpu"))', 'torch.device("cpu").type'])
def test_an_autocast_in_another_type_needs_no_scaler(given: str) -> None:
    assert_marked(PROGRAM.format(given=given, mark=""))
