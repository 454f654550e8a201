"""A dict that is updated with entries that are known still has known entries: what is called with `**` of it gets no other argument."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def denoise(model, x, scale=1.0, corrector=None, **kwargs):
            out = model(x)
            if corrector is not None:
                out = corrector.modify(model, out)
            return out * scale


        def sample(model, x, options, **kwargs):
            UPDATE
            return denoise(model, x, **kwargs)


        def train(loader, options, **kwargs):
            model = nn.Linear(4, 1)
            optimizer = torch.optim.Adam(model.parameters())
            for x, y in loader:
                loss = F.mse_loss(sample(model, x, options, **kwargs), y)
                BACKWARD
                optimizer.step()FOUND
                optimizer.zero_grad()


        if __name__ == "__main__":
            from data import loader, options

            train(loader, optionsMORE)
        """
UPDATES = {
    "a dict in the text": 'kwargs.update({"clean": True, "scale": 0.5})',
    "by keywords": "kwargs.update(clean=True)",
    "a dict of a name": 'settings = {"clean": True}\n            kwargs.update(settings)',
    "another call's": "kwargs.update(dict(scale=0.5))",
}


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_no_other_argument_is_given(update: str) -> None:
    program = PROGRAM.replace("UPDATE", update).replace("MORE", "")
    assert_marked(program.replace("BACKWARD", "pass").replace("FOUND", "  # expect: LL107"))
    assert_marked(program.replace("BACKWARD", "loss.backward()").replace("FOUND", ""))


@pytest.mark.parametrize(
    ("update", "more"),
    [
        ("kwargs.update(options)", ""),
        ("kwargs.update({**vars(options), 'clean': True})", ""),
        ("kwargs.update(clean=True, **options)", ""),
        ("kwargs.update(options.items())", ""),
        ("kwargs.update({'clean': True})", ", **options"),
        ("kwargs.update({'clean': True})", ", corrector=options.corrector"),
        ("kwargs.update({'corrector': options.corrector})", ""),
    ],
)
def test_what_is_given_out_of_sight_may_go_backward(update: str, more: str) -> None:
    program = PROGRAM.replace("UPDATE", update).replace("MORE", more)
    assert_marked(program.replace("BACKWARD", "pass").replace("FOUND", ""))
