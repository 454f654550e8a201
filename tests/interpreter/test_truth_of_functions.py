"""A function, a class and what `partial` makes count as true: `if self.activation:` is decided by what the object was built with."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from functools import partial
        import library


        class Net(nn.Module):
            def __init__(self, activation=None):
                super().__init__()
                self.fc = nn.Linear(8, 3)
                self.activation = activation
                SETTING

            def forward(self, x):
                x = self.fc(x)
                if TEST:
                    x = self.activation(x)
                return x


        def smoothed(x):
            return x.softmax(1)


        net = Net(GIVEN)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in data:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)MARK
            loss.backward()
            opt.step()
        """
GIVEN = {
    "function of torch": "torch.softmax",
    "function of its functional module": "nn.functional.softmax",
    "part of its arguments": "partial(nn.functional.softmax, dim=1)",
    "function of the program": "smoothed",
    "layer": "nn.Softmax(dim=1)",
}
FALSE = {"nothing": "None", "no": "False", "another function": "torch.relu", "unknown": "activations[3]"}


@pytest.mark.parametrize("test", ["self.activation", "not not self.activation", "self.activation and x is not None"])
@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_what_is_true(given: str, test: str) -> None:
    assert_marked(PROGRAM.replace("GIVEN", given).replace("SETTING", "pass").replace("TEST", test).replace("MARK", "  # expect: LL701"))


@pytest.mark.parametrize("given", FALSE.values(), ids=FALSE)
def test_what_applies_no_softmax(given: str) -> None:
    assert_marked(PROGRAM.replace("GIVEN", given).replace("SETTING", "pass").replace("TEST", "self.activation").replace("MARK", ""))


def test_a_default_where_nothing_is_given() -> None:
    default = PROGRAM.replace("SETTING", "self.activation = activation or torch.relu").replace("TEST", "True")
    assert_marked(default.replace("GIVEN", "torch.sigmoid").replace("MARK", "  # expect: LL701"))
    assert_marked(default.replace("GIVEN", "").replace("MARK", ""))


@pytest.mark.parametrize("flag", ["torch.version.cuda", "torch.backends.cudnn.enabled", "torch.newaxis", "library.activation"])
def test_a_flag_of_a_library_may_be_off(flag: str) -> None:
    program = PROGRAM.replace("SETTING", "self.activation = torch.softmax").replace("GIVEN", "").replace("TEST", flag)
    assert_marked(program.replace("MARK", ""))
