"""A module that is built of the parts of another one is trained with it, and has the modes of both."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.features = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))
                self.classifier = nn.Linear(8, 2)

            def forward(self, x):
                return self.classifier(self.features(x))


        class Encoder(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.inner = inner

            def forward(self, x):
                return self.inner(x).flatten(1)


        def main(data, held_out):
            net = Net()
            features = FEATURES
            opt = torch.optim.SGD(net.HELD, lr=0.1)
            for epoch in range(9):
                TRAIN
                for x, y in data:
                    opt.zero_grad()
                    loss = nn.functional.cross_entropy(net.classifier(features(x)), y)MARK
                    loss.backward()
                    opt.step()
                EVAL
                with torch.no_grad():
                    for x, y in held_out:
                        print((net.classifier(features(x)).argmax(1) == y).sum().item())
        """
BUILT = {
    "among new layers": "nn.Sequential(net.features, nn.Flatten())",
    "in a class": "Encoder(net.features)",
    "in what is in another": "nn.Sequential(Encoder(net.features), nn.Flatten())",
    "of layers": "nn.Sequential(net.features[0], net.features[1], nn.Flatten())",
}


def _program(features: str, train: str, put_away: str, mark: str = "", held: str = "parameters()") -> str:
    return (
        PROGRAM.replace("FEATURES", features).replace("TRAIN", train).replace("EVAL", put_away).replace("MARK", mark).replace("HELD", held)
    )


@pytest.mark.parametrize("features", BUILT.values(), ids=BUILT)
def test_it_is_trained_with_the_other(features: str) -> None:
    assert_marked(_program(features, "pass", "features.eval()", "  # expect: LL301"))


@pytest.mark.parametrize("features", BUILT.values(), ids=BUILT)
@pytest.mark.parametrize(
    ("train", "put_away"), [("features.train()", "features.eval()"), ("net.train()", "net.eval()"), ("net.train()", "features.eval()")]
)
def test_a_switch_of_the_one_may_be_one_of_the_other(features: str, train: str, put_away: str) -> None:
    assert_marked(_program(features, train, put_away))


@pytest.mark.parametrize("features", BUILT.values(), ids=BUILT)
def test_where_the_parts_are_not_trained(features: str) -> None:
    assert_marked(_program(features, "pass", "features.eval()", held="classifier.parameters()"))


def test_its_own_part_in_another_part_of_it() -> None:
    assert_marked("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1))
                self.features = nn.Sequential(self.first, nn.Flatten())
                self.classifier = nn.Linear(8, 2)

            def forward(self, x):
                return self.classifier(self.features(x))


        def main(data, held_out):
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()  # expect: LL301
                    opt.step()
                net.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print((net(x).argmax(1) == y).sum().item())
        """)
