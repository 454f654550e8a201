"""What runs under one setting meets the objects that are built under it, and none that are built under another."""

from __future__ import annotations

from textwrap import dedent

import pytest

from looplint.linting.analysis import build_program
from looplint.sources.reading import from_text
from programs import assert_marked

PROGRAM = """
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
            def losses(self, x, y):
                return nn.functional.cross_entropy(self.layer(x), y)
            def predicted(self, x):
                return self.layer(x)

        class Careful(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
            def losses(self, x, y):
                return nn.functional.cross_entropy(self.layer(x), y)
            @torch.no_grad()
            def predicted(self, x):
                return self.layer(x)

        def run({settings}loader, valid):
            {built}
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in loader:
                optimizer.zero_grad()
                model.losses(x, y).backward()
                optimizer.step()
            right = 0
            for x, y in valid:
                {validated}
                right += (output.argmax(1) == y).sum().item()
            print(right)

        def main(loader, valid):
            {called}
"""
BY_OPTION = {
    "settings": "args, ",
    "called": """parser = argparse.ArgumentParser()
            parser.add_argument("--model")
            run(parser.parse_args(), loader, valid)""",
    "built": """if args.model == "plain":
                model = Plain()
            elif args.model in ("careful", "slow"):
                model = Careful()
            else:
                raise ValueError(args.model)""",
}
BY_PARAMETER = {
    "settings": "kind, ",
    "called": """run(config["kind"], loader, valid)""",
    "built": """if kind == "plain":
                model = Plain()
            else:
                model = Careful()""",
}
WITHOUT = "with torch.no_grad():\n                        output = model.predicted(x)"


def _program(form: dict[str, str], test: str, first: str, second: str) -> str:
    validated = f"if {test}:\n                    {first}\n                else:\n                    {second}"
    return "import argparse\n" + dedent(PROGRAM.format(**form, validated=validated))


@pytest.mark.parametrize(
    ("form", "test"),
    [
        (BY_OPTION, "args.model == 'plain'"),
        (BY_OPTION, "args.model not in ['careful', 'slow']"),
        (BY_PARAMETER, "kind == 'plain'"),
    ],
)
def test_the_other_model_is_not_meant(form: dict[str, str], test: str) -> None:
    text = _program(form, test, WITHOUT, "output = model.predicted(x)")
    assert_marked(text)
    program, _ = build_program(from_text(text, None, "train.py"))
    assert "model is" not in program.graph.text().partition("backward")[2]


@pytest.mark.parametrize(
    ("form", "test"),
    [
        (BY_OPTION, "args.model == 'careful'"),
        (BY_OPTION, "args.model != 'plain'"),
        (BY_PARAMETER, "kind == 'careful'"),
    ],
)
def test_the_one_that_is_meant_is_judged(form: dict[str, str], test: str) -> None:
    assert_marked(_program(form, test, "output = model.predicted(x)", "output = model.predicted(x)  # expect: LL303"))


def test_what_a_setting_builds_is_one_with_what_another_holds() -> None:
    assert_marked("""
        class Holding(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
                self.optimizer = torch.optim.SGD(self.layer.parameters(), lr=0.1)
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(2, 2)
        def main(kind, loader):
            model = Holding() if kind == "holding" else Plain()
            if kind == "holding":
                optimizer = model.optimizer
            else:
                optimizer = torch.optim.Adam(model.parameters())
            for x, y in loader:
                loss = nn.functional.mse_loss(model.layer(x), y)
                loss.backward()
                optimizer.zero_grad()  # expect: LL101
                optimizer.step()
    """)
