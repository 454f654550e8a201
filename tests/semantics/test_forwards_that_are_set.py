"""A forward that the program sets on a module is the one that its call runs, and the one of its class is not."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import library
        import torchvision


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(8, 3)
                INIT

            def forward(self, x):
                return FORWARD

            def probabilities(self, x):
                return self.fc(x).softmax(1)

            def logits(self, x):
                return self.fc(x)


        class Other(Net):
            pass


        def soften(model):
            original = model.forward
            model.forward = lambda x: original(x).softmax(1)
            return model


        def make():
            model = NET
            SET
            return model


        net = make()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in data:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(CALL, y)MARK
            loss.backward()
            opt.step()
        """
DEFAULTS = {"INIT": "pass", "FORWARD": "self.fc(x)", "NET": "Net()", "SET": "pass", "CALL": "net(x)"}
WRAPPED = "model.original = model.forward; softmax = nn.Softmax(dim=1); model.forward = lambda x: softmax(model.original(x))"
APPLIED = {
    "around the one that was there": {"SET": WRAPPED},
    "around that of a container": {"SET": WRAPPED, "NET": "nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 3))"},
    "around that of a model of a library": {"SET": WRAPPED, "NET": "torchvision.models.resnet18()"},
    "one method for another": {"INIT": "self.forward = self.probabilities"},
    "around one of two": {"SET": WRAPPED, "NET": "Net() if width else torchvision.models.resnet18()"},
    "around one of three in the end": {
        "SET": WRAPPED,
        "NET": "Net()\n            if width == 1:\n                model = Other()\n            elif width == 2:\n                model = torchvision.models.vgg11()",
    },
    "around that of a model out of sight": {"SET": WRAPPED, "NET": "library.build(width)"},
    "around that of a module's entry": {"SET": WRAPPED, "NET": "library.models.__dict__[width]()"},
    "by another function, on a model out of sight": {"SET": "soften(model)", "NET": "library.build(width)"},
    "around one of three, of which one is out of sight": {
        "SET": WRAPPED,
        "NET": "Net()\n            if width == 1:\n                model = library.build(width)\n            elif width == 2:\n                model = torchvision.models.vgg11()",
    },
    "on one of two by another function": {"SET": "soften(model)", "NET": "Net() if width else Other()"},
    "one of two methods": {"INIT": "self.forward = self.probabilities if width else self.soft", "FORWARD": "x"},
}
GONE = {
    "the softmax is that of the class": {"FORWARD": "self.probabilities(x)", "SET": "model.forward = lambda x: model.fc(x)"},
    "by a method": {"FORWARD": "self.probabilities(x)", "INIT": "self.forward = self.logits"},
    "either of two": {"INIT": "self.forward = self.probabilities if width else self.logits"},
    "on one of two": {
        "FORWARD": "self.probabilities(x)",
        "SET": "model.forward = lambda x: model.fc(x)",
        "NET": "Net() if width else Other()",
    },
    "of one of two": {"NET": "soften(Net()) if width else Other()"},
    "of none but where it is asked for": {"SET": f"if width:\n                {WRAPPED}", "NET": "Net() if width else Other()"},
    "of a model out of sight, where it is asked for": {"SET": f"if width:\n                {WRAPPED}", "NET": "library.build(width)"},
    "of a model out of sight, for a while": {
        "SET": f"{WRAPPED}; library.export(model); model.forward = model.original",
        "NET": "library.build(width)",
    },
    "of a model out of sight, which is only read": {"SET": "library.forward = model.forward", "NET": "library.build(width)"},
    "by what is not known": {"FORWARD": "self.probabilities(x)", "SET": "model.forward = library.forward"},
    "the one that was there is called": {"SET": WRAPPED, "CALL": "net.original(x)"},
}


def _program(changes: dict[str, str], mark: str) -> str:
    text = PROGRAM.replace("MARK", mark)
    for name, value in {**DEFAULTS, **changes}.items():
        text = text.replace(name, value)
    return text.replace("self.soft", "self.probabilities")


@pytest.mark.parametrize("changes", APPLIED.values(), ids=APPLIED)
def test_the_forward_that_is_set(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, "  # expect: LL701"))


@pytest.mark.parametrize("changes", GONE.values(), ids=GONE)
def test_the_forward_that_is_not_run(changes: dict[str, str]) -> None:
    assert_marked(_program(changes, ""))
