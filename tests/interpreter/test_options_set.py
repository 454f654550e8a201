"""An option that the program sets under a condition is what it was given otherwise: what it switches off is code all the same."""

from __future__ import annotations

import pytest

from programs import assert_marked

SETTINGS = {
    "options of the command line": """
            import argparse
            parser = argparse.ArgumentParser()
            parser.add_argument("--only-test", action="store_true")
            parser.add_argument("--debug", action="store_true")
            parser.add_argument("--mode", default="train")
            parser.add_argument("--skip-training", action="store_true")
            args = parser.parse_args()
    """,
    "options in a group": """
            import argparse
            parser = argparse.ArgumentParser()
            group = parser.add_argument_group("phases")
            group.add_argument("--skip-training", action="store_true")
            group.add_argument("--only-test", action="store_true")
            group.add_argument("--debug", action="store_true")
            group.add_argument("--mode", default="train")
            args, others = parser.parse_known_args()
    """,
    "a namespace that is filled from a file": """
            from easydict import EasyDict
            args = EasyDict(load("config.yaml"))
    """,
    "what a library sets up": """
            from library import args
    """,
}
PROGRAM = """{setup}
            def evaluate(net, loader):
                net.eval()
                with torch.no_grad():
                    for x, y in loader:
                        print((net(x).argmax(1) == y).float().mean().item())

            {condition}
            net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(10):
                evaluate(net, valid)
                if not args.skip_training:
                    {mode}
                    for x, y in loader:
                        loss = nn.functional.cross_entropy(net(x), y){marker}
                        opt.zero_grad()
                        loss.backward()
                        opt.step()
"""
CONDITIONS = [
    "if args.only_test: args.skip_training = True",
    "if args.only_test and not args.debug: args.skip_training = True",
    "if args.mode != 'test': pass\n            else: args.skip_training = True",
]


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("setup", SETTINGS.values(), ids=SETTINGS)
def test_what_an_option_switches_off_is_code(setup: str, condition: str) -> None:
    assert_marked(PROGRAM.format(setup=setup, condition=condition, mode="pass", marker="  # expect: LL301"))


@pytest.mark.parametrize("setup", SETTINGS.values(), ids=SETTINGS)
def test_and_right_where_it_is_right(setup: str) -> None:
    assert_marked(PROGRAM.format(setup=setup, condition=CONDITIONS[0], mode="net.train()", marker=""))


@pytest.mark.parametrize("setup", SETTINGS.values(), ids=SETTINGS)
def test_what_is_set_in_any_case_is_that(setup: str) -> None:
    assert_marked(PROGRAM.format(setup=setup, condition="args.skip_training = True", mode="pass", marker=""))


def test_a_class_says_what_its_option_is_otherwise() -> None:
    assert_marked(
        PROGRAM.format(
            setup="""
            class Options:
                skip_training = False
                def show(self):
                    print(self.skip_training)
            args = Options()
    """,
            condition="if only_test: args.skip_training = True",
            mode="pass",
            marker="  # expect: LL301",
        )
    )
