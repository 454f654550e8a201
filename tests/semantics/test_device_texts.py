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


RESUMED = """
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
LongTensor = torch.cuda.LongTensor if torch.cuda.is_available() else torch.LongTensor
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)
    def forward(self, x, lengths):
        ids = torch.arange(0, x.size(1), out={kind}(x.size(1)))
        return self.head(x.masked_fill(ids < lengths.unsqueeze(1), 0.0))
def train(loader, path, epochs):
    model = Net().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    state = torch.load(path){mark}
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    for epoch in range(epochs):
        model.train()
        for x, lengths, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device), lengths.to(device)), y.to(device)).backward()
            optimizer.step()
        torch.save({{"model": model.state_dict(), "optimizer": optimizer.state_dict()}}, path + ".new")
"""


@pytest.mark.parametrize("kind", ["torch.cuda.LongTensor", "torch.cuda.FloatTensor"])
def test_a_program_that_makes_tensors_on_a_gpu_needs_one(kind: str) -> None:
    assert_marked(RESUMED.format(kind=kind, mark=""))


@pytest.mark.parametrize(
    "kind", ["LongTensor", "torch.LongTensor", "(torch.cuda.LongTensor if torch.cuda.is_available() else torch.LongTensor)"]
)
def test_a_type_that_may_be_that_of_the_cpu_needs_none(kind: str) -> None:
    assert_marked(RESUMED.format(kind=kind, mark="  # expect: LL803"))
