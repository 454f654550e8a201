"""A model out of sight is validated by one of its methods, and trained by another: eval mode is left on for that."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def train(model, data, held_out, every):
            opt = torch.optim.Adam(model.parameters())
            for step, batch in enumerate(data):
                opt.zero_grad()
                loss = model.compute_loss(batch)MARK
                loss.backward()
                opt.step()
                if step % every == 0:
                    VALIDATION
        """
VALIDATIONS = {
    "a method that evaluates": """model.eval()
                    with torch.no_grad():
                        for batch in held_out:
                            print(model.eval_on_batch(batch)["total"])""",
    "one that predicts": """model.eval()
                    with torch.no_grad():
                        hits = [model.predict(x).eq(y).sum().item() for x, y in held_out]
                    print(sum(hits))""",
    "in a function": """evaluate(model, held_out)


        def evaluate(model, held_out):
            model.eval()
            with torch.no_grad():
                for batch in held_out:
                    print(model.eval_on_batch(batch)["total"])""",
    "a sum of scores": """model.eval()
                    with torch.no_grad():
                        print(sum(model.score(batch).item() for batch in held_out))""",
}


@pytest.mark.parametrize("validation", VALIDATIONS.values(), ids=VALIDATIONS)
def test_another_method_is_a_validation(validation: str) -> None:
    assert_marked(PROGRAM.replace("VALIDATION", validation).replace("MARK", "  # expect: LL304"))


@pytest.mark.parametrize("validation", VALIDATIONS.values(), ids=VALIDATIONS)
def test_train_mode_after_it(validation: str) -> None:
    program = PROGRAM.replace("VALIDATION", validation).replace("MARK", "")
    assert_marked(program.replace("opt.zero_grad()", "model.train()\n                opt.zero_grad()"))


def test_a_part_of_it_alone() -> None:
    assert_marked("""
        def train(model, data, held_out, every):
            opt = torch.optim.Adam(model.parameters())
            for step, batch in enumerate(data):
                opt.zero_grad()
                loss = model.compute_loss(batch)
                loss.backward()
                opt.step()
                if step % every == 0:
                    model.encoder.eval()
                    with torch.no_grad():
                        print(sum(model.score(batch).item() for batch in held_out))
        """)
