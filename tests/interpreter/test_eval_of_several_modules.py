"""Where a name may stand for several modules, whichever it is gets eval mode, and is in it where it is applied by that name."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    class Half(nn.Module):
        def __init__(self, module):
            super().__init__()
            self.module = module.half()

        def forward(self, x):
            return self.module(x)

    def evaluate(model, loader):
        {evaluation}
        right = 0
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum().item(){found}
        return right

    def main(args, loader):
        {made}
        {around}
            print(evaluate(model, loader))

    main(arguments(), data())
"""
BUILT = "nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))"
MADE = {
    "of a list that is made anew": f"models = [{BUILT}]\n        if args.half: models = [Half(m) for m in models]\n        model = models[0]",
    "of a list, one by one": f"first, second = {BUILT}, nn.Linear(8, 2)\n        models = [first]\n        if args.small: models = [second]\n        model = models[0]",
    "of a dictionary": f'model = {{"large": {BUILT}, "small": nn.Linear(8, 2)}}[args.size]',
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_an_evaluation_of_one_of_several(made: str) -> None:
    assert_marked(PROGRAM.format(made=made, evaluation="model.eval()", around="if True:", found="  # expect: LL303"))


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_without_gradients_or_out_of_eval_mode(made: str) -> None:
    assert_marked(PROGRAM.format(made=made, evaluation="model.eval()", around="with torch.no_grad():", found=""))
    assert_marked(PROGRAM.format(made=made, evaluation="pass", around="if True:", found=""))


def test_another_name_may_be_another_one() -> None:
    """`net` is in eval mode only where the dictionary gives it, and goes on in that mode only then: no more is said than for one that may be switched back."""
    assert_marked("""
        def fit(args, loader, valid):
            net, average = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2)), nn.Linear(8, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(10):
                for x, y in loader:
                    loss = nn.functional.cross_entropy(net(x), y)
                    opt.zero_grad()
                    loss.backward()
                    opt.step()
                model = {"net": net, "average": average}[args.evaluated]
                model.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print((model(x).argmax(1) == y).sum().item())
                model.train()
    """)
