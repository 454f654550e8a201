"""Code out of sight that gets a model where no gradient is recorded goes nowhere backward, and leaves what the optimizer finds."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from somewhere import out_of_sight
        import somewhere
        {before}
        def train(loader, width, every):
            model = nn.Sequential(nn.Linear(width, 9), nn.ReLU(), nn.Linear(9, 2))
            optimizer = torch.optim.Adam(model.parameters())
            for epoch in range(20):
                for step, (x, y) in enumerate(loader):
                    loss = nn.functional.cross_entropy(model(x), y)
                    loss.backward(){mark}
                    optimizer.step()
                    {inside}
        """
MARK = "  # expect: LL102"
CASES = {
    "in a block": ("", "with torch.no_grad(): print(out_of_sight(model, loader))", MARK),
    "in inference mode": ("", "with torch.inference_mode(): out_of_sight(model)", MARK),
    "in a method": ("", "with torch.no_grad(): somewhere.Pictures().show(model, x)", MARK),
    "in a function": ("@torch.no_grad()\n        def look(net, data): out_of_sight(net, data)", "look(model, loader)", MARK),
    "with gradients": ("", "out_of_sight(model, loader)", ""),
    "with gradients in some": ("", "with torch.set_grad_enabled(every > 3): out_of_sight(model)", ""),
    "with the optimizer": ("", "with torch.no_grad(): out_of_sight(model, optimizer)", ""),
    "to update": ("", "with torch.no_grad(): somewhere.update_weights(model)", ""),
    "to clear": ("", "with torch.no_grad(): somewhere.reset(model)", ""),
}


@pytest.mark.parametrize(("before", "inside", "mark"), CASES.values(), ids=CASES)
def test_what_a_model_is_handed_to(before: str, inside: str, mark: str) -> None:
    assert_marked(PROGRAM.format(before=before, inside=inside, mark=mark))
