"""A name and an attribute that hold the same of several models: whichever one of them holds, the other holds as well."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    import copy

    class Predictor:
        def __init__(self, epochs):
            self.model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.1), nn.Linear(4, 1))
            self.epochs = epochs

        def measure(self, loader, model):
            scores = []
            {mode}
            for x, y in loader:
                scores.append(nn.functional.mse_loss({applied}(x), y).item()){found}
            {after}
            return sum(scores) / len(scores)

        def fit(self, loader, valid, test=None):
            opt = torch.optim.Adam(self.model.parameters())
            best, chosen = 10000, {first}
            for epoch in range(self.epochs):
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(self.model(x), y).backward()
                    opt.step()
                with torch.no_grad():
                    score = self.measure(valid, self.model)
                if score < best:
                    best, chosen = score, copy.deepcopy(self.model)
            {kept} = chosen
            with torch.no_grad():
                print({tested})

        @torch.no_grad()
        def report(self, loader, model):
            return self.measure(loader, model=model)

        @torch.no_grad()
        def predict(self, loader):
            return self.measure(loader, self.model)
"""
PARTS = {
    "mode": "model.eval()",
    "applied": "self.model",
    "after": "model.train()",
    "first": "copy.deepcopy(self.model)",
    "kept": "self.model",
    "tested": "self.measure(test, chosen)",
    "found": "",
}
FORMS = {
    "the name that the attribute was given": {},
    "the attribute": {"tested": "self.measure(test, self.model)"},
    "through another call": {"tested": "self.report(test, chosen)"},
    "first the model itself": {"first": "self.model"},
    "eval mode by the attribute": {"mode": "self.model.eval()", "applied": "model", "after": "self.model.train()"},
    "a name of the method": {"mode": "net = self.model; net.eval()", "after": "net.train()"},
    "in a program that trains and predicts": {"tested": "self.predict(test)"},
}


@pytest.mark.parametrize("parts", FORMS.values(), ids=FORMS)
def test_eval_mode_by_the_one_and_applied_by_the_other(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**PARTS | parts))


LOUD = {
    "another attribute": {"kept": "self.best"},
    "no eval mode": {"mode": "pass"},
}


@pytest.mark.parametrize("parts", LOUD.values(), ids=LOUD)
def test_a_model_that_is_not_in_eval_mode(parts: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**PARTS | parts | {"found": "  # expect: LL302"}))


PREDICTING = """
    def main(loader, valid, test):
        predictor = Predictor(10)
        predictor.fit(loader, valid)
        print(predictor.predict(test))

    main(*torch.load("data.pt"))
"""


@pytest.mark.parametrize("mode", ["model.eval()", "net = self.model; net.eval()"], ids=["a parameter", "a name"])
def test_one_of_several_copies_is_in_eval_mode(mode: str) -> None:
    """Whichever of the copies the attribute holds, it evaluates: gradients are of no use."""
    program = PROGRAM.format(**PARTS | {"mode": mode, "tested": "self.epochs", "found": "  # expect: LL303"})
    assert_marked(program.replace("        @torch.no_grad()\n", "") + PREDICTING)


EVALUATING = """
    class Evaluation:
        def __init__(self, first):
            self.model = first

        def __call__(self, args, loader):
            first, second = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5)), nn.Linear(8, 8)
            chosen = first
            if args.small: chosen = second
            self.model = chosen
            {between}
            chosen.eval()
            {then}
            right = 0
            for x, y in loader:
                right += (self.model(x).argmax(1) == y).sum().item(){found}
            return right

        def change(self, other):
            self.model = other

    def main(args, loader):
        print(Evaluation(nn.Linear(8, 8))(args, loader))

    main(arguments(), data())
"""
SINCE = {
    "the name": ("chosen = first\n            if args.large: chosen = second", "pass"),
    "the attribute": ("pass", "self.model = first\n            if args.large: self.model = second"),
    "the attribute, in a call": ("pass", "self.change(first if args.large else second)"),
}


def test_eval_mode_by_the_name_that_the_attribute_was_given() -> None:
    assert_marked(EVALUATING.format(between="pass", then="pass", found="  # expect: LL303"))


@pytest.mark.parametrize(("between", "then"), SINCE.values(), ids=SINCE)
def test_one_of_them_is_given_another_model_since(between: str, then: str) -> None:
    assert_marked(EVALUATING.format(between=between, then=then, found=""))
