"""What sets an object up is followed before what uses it, also where another method calls it, which has no reason to on the path that is followed."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
from torchvision import transforms

class Worker:
    def __init__(self, cls, device):
        self.cls = cls
        self.device = device
        self.path = None
        self.model = None

    def run(self, images):
        if self.model is None:
            return
        for image in images:
            {moved}
            print(self.model(pixels))

    def {changing}(self, device):
        self.device = device
        {asked}:
            {called}

    def load(self, path):
        self.path = path
        self.model = self.cls()
        self.model.load_state_dict(torch.load(path, map_location=self.device))
        self.model.to(self.device)
        self.model.eval()
"""
FORM = {"changing": "change", "asked": "if self.path is not None", "called": "self.load(self.path)"}
DROPPED = "pixels = transforms.ToTensor()(image).unsqueeze(0); pixels.to(self.device)  # expect: LL503"
KEPT = "pixels = transforms.ToTensor()(image).unsqueeze(0).to(self.device)"
FORMS = [
    {},
    {"changing": "on_device"},
    {"asked": "if self.path"},
    {"asked": "with torch.no_grad()", "called": "self.path and self.load(self.path)"},
]


@pytest.mark.parametrize("form", FORMS)
def test_what_uses_it_is_followed_with_it(form: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**FORM | form, moved=DROPPED))
    assert_marked(PROGRAM.format(**FORM | form, moved=KEPT))


def test_what_trains_sets_up_for_itself() -> None:
    assert_marked(
        """
class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = None

    def build(self, lr):
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=lr)

    def fit(self, loader):
        self.build(0.1)
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.net(x), y).backward()
            self.optimizer.step()
"""
    )
