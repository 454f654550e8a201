"""What goes backward has a graph, whoever made it: where it is added up or kept before, the graphs stay."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a loss of code out of sight is added up before its backward": """
        from engine import compute
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                total += loss  # expect: LL402
                loss.backward()
                optimizer.step()
            return total
        """,
    "a loss that a trainer gives beside a count is added up before the scaler's backward": """
        def train(trainer, loader, optimizer):
            scaler = torch.amp.GradScaler()
            total = 0.0
            for batch in loader:
                optimizer.zero_grad()
                loss, count = trainer.forward_loss(batch)
                total += loss  # expect: LL402
                scaler.scale(loss).backward()
                scaler.step(optimizer)
                scaler.update()
            return total
        """,
    "a loss of code out of sight is kept before an accelerator's backward": """
        from engine import compute
        def train(loader, optimizer, accelerator):
            history = []
            for batch in loader:
                optimizer.zero_grad()
                loss = compute(batch)
                history.append(loss)  # expect: LL401
                accelerator.backward(loss)
                optimizer.step()
            return history
        """,
    "what is added up is another value of the same name": """
        from engine import compute, penalty
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = penalty(x)
                total += loss
                loss = compute(x)
                loss.backward()
                optimizer.step()
            return total
        """,
    "what is added up is a number by then": """
        from engine import compute
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                loss = compute(x)
                total += float(loss)
                loss.backward()
                optimizer.step()
            return total
        """,
    "what a tensor's own backward is given is no loss": """
        from engine import compute, direction
        def train(loader, optimizer):
            total = 0
            for x in loader:
                optimizer.zero_grad()
                gradient = direction(x)
                total += gradient
                compute(x).backward(gradient)
                optimizer.step()
            return total
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
