"""What moves the weights of a copy towards those of a model, by its name, computes no gradients, makes no step and sets no mode."""

from __future__ import annotations

import pytest

from programs import assert_marked

BEGIN = """
        import copy
        from somewhere import refresh, soft_update, update_ema, update_momentum
        def main(args, loader, held_out):
            model = nn.Sequential(nn.Linear(2, 1), nn.Dropout())
            teacher = copy.deepcopy(model).requires_grad_(False)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
PROGRAMS = {
    "nothing steps": """
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y) + nn.functional.mse_loss(model(x), teacher(x))
                loss.backward()  # expect: LL106
                update_momentum(model, teacher, m=0.99)
        """,
    "eval mode stays": """
            for epoch in range(9):
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()  # expect: LL301
                    optimizer.step()
                    soft_update(teacher, model, 0.01)
                model.eval()
                with torch.no_grad():
                    for x, y in held_out:
                        print(nn.functional.mse_loss(model(x), y).item())
        """,
    "gradients stay": """
            for x, y in loader:
                nn.functional.mse_loss(model(x), y).backward()  # expect: LL102
                optimizer.step()
                update_ema(teacher, model)
        """,
    "what gets an optimizer may step": """
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                update_ema(teacher, model, optimizer)
        """,
    "what gets one model may be its step": """
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                update_momentum(model, 0.9)
        """,
    "another name may be a step": """
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.mse_loss(model(x), y).backward()
                refresh(model, teacher)
        """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_a_copy_is_moved_towards_a_model(text: str) -> None:
    assert_marked(BEGIN.rstrip("\n") + text)
