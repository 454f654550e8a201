"""What code out of sight makes of parameters is an optimizer where another way gives the name one: whichever it is, they are one object."""

from __future__ import annotations

from textwrap import dedent

import pytest

from programs import assert_marked

TRAIN = """
from natural import Descent

def main(args, loader):
    state = build(args, nn.Linear(2, 1))
    model, optimizer = state["model"], state["optimizer"]
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()  # expect: LL102
        optimizer.step()
"""
BUILDERS = {
    "one of two, in groups": """
        def build(args, model):
            if args.natural:
                weights, others = [], []
                for name, p in model.named_parameters():
                    (weights if p.ndim > 1 else others).append(p)
                optimizer = Descent([dict(params=weights, natural=True), dict(params=others, natural=False)])
            else:
                optimizer = torch.optim.AdamW(model.parameters())
            state = {"model": model, "optimizer": optimizer}
            return state
        """,
    "one of three": """
        def build(args, model):
            if args.sgd:
                optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
            elif args.natural:
                optimizer = Descent(model.parameters())
                optimizer.register_state_dict_pre_hook(print)
            else:
                optimizer = torch.optim.AdamW(model.parameters())
            return {"model": model, "optimizer": optimizer}
        """,
    "in an expression": """
        def build(args, model):
            chosen = Descent([{"params": model.parameters()}]) if args.natural else torch.optim.AdamW(model.parameters())
            return dict(model=model, optimizer=chosen)
        """,
    "returned on one of two ways": """
        def make(args, model):
            if args.natural:
                return Descent([{"params": list(model.parameters())}])
            return torch.optim.AdamW(model.parameters())
        def build(args, model):
            return {"model": model, "optimizer": make(args, model)}
        """,
    "in the place of one that was there": """
        def build(args, model):
            made = torch.optim.AdamW(model.parameters())
            if args.natural:
                made = Descent(model.parameters())
            return {"model": model, "optimizer": made}
        """,
    "kept by an object": """
        class Kept:
            def __init__(self, args, model):
                if args.natural:
                    self.held = Descent([{"params": model.parameters()}])
                else:
                    self.held = torch.optim.AdamW(model.parameters())
        def build(args, model):
            return {"model": model, "optimizer": Kept(args, model).held}
        """,
}
QUIET = {
    "a schedule that is made of an optimizer is none": """
        def build(args, model):
            optimizer = torch.optim.AdamW(model.parameters())
            scheduler = cosine(optimizer) if args.cosine else torch.optim.lr_scheduler.StepLR(optimizer, args.steps)
            return {"model": model, "optimizer": optimizer, "scheduler": scheduler}
        def main(args, loader):
            state = build(args, nn.Linear(2, 1))
            model, optimizer = state["model"], state["optimizer"]
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                state["scheduler"].step()
        """,
    "of another model, for which nothing is known to step": """
        def build(args, model, critic):
            optimizer = torch.optim.AdamW(model.parameters())
            other = Descent(critic.parameters()) if args.natural else torch.optim.SGD(critic.parameters(), lr=0.1)
            return {"one": optimizer, "other": other}
        def main(args, loader):
            model, critic = nn.Linear(2, 1), nn.Linear(2, 1)
            state = build(args, model, critic)
            one, other = state["one"], state["other"]
            for x, y in loader:
                other.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                one.step()
                one.zero_grad()
                nn.functional.mse_loss(critic(x), y).backward()
                other.step()
        """,
    "what collects gradients, in the place of nothing": """
        def build(args, model):
            sums = Descent(list(model.parameters())) if args.sums else None
            return {"sums": sums, "optimizer": torch.optim.AdamW(model.parameters())}
        def main(args, loader):
            model = nn.Linear(2, 1)
            state = build(args, model)
            sums, optimizer = state["sums"], state["optimizer"]
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                if sums is not None:
                    sums.collect()
                optimizer.step()
                optimizer.zero_grad()
        """,
    "what clears in its step, in the place of an optimizer that is cleared": """
        def build(args, model):
            kept = Descent(model.parameters()) if args.natural else torch.optim.AdamW(model.parameters())
            return {"optimizer": kept}
        def main(args, loader):
            model = nn.Linear(2, 1)
            optimizer = build(args, model)["optimizer"]
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()
                optimizer.step()
                if not args.natural:
                    optimizer.zero_grad()
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in BUILDERS.items()])
def test_what_is_made_of_parameters_in_the_place_of_an_optimizer_is_one(text: str) -> None:
    assert_marked(TRAIN + dedent(text))


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in QUIET.items()])
def test_correct_programs_are_quiet(text: str) -> None:
    assert_marked("from natural import Descent, cosine\n" + dedent(text))
