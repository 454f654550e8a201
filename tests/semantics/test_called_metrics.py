"""A metric that is called by its name measures a prediction, and does not train on it; what else it is given to may."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        def train(model, loader, optimizer, criterion, scaler, {measure}, device):
            model.train()
            for x, y in loader:
                with torch.autocast("cuda", dtype=torch.float16):
                    out = model(x)
                for part in y.chosen:
                    if part in loader.parts:
                        scaler.scale(criterion(model(x[part]), y)).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0){mark}
                scaler.step(optimizer)
                scaler.update()
                optimizer.zero_grad()
                print({call})
        def main(loader, {measure}):
            model = nn.Linear(2, 2)
            optimizer = torch.optim.AdamW(model.parameters())
            for epoch in range(9):
                train(model, loader, optimizer, nn.CrossEntropyLoss(), torch.amp.GradScaler(), {measure}, "cuda")
        """
MARK = "  # expect: LL601"
CASES = {
    "metrics": ("metrics", "metrics(out, y)", MARK),
    "a function of a name": ("accuracy_fn", "accuracy_fn(out, y)", MARK),
    "an attribute": ("tools", "tools.accuracy(out, y)", MARK),
    "computed": ("compute_metrics", "compute_metrics(out, y)", MARK),
    "who knows": ("regularize", "regularize(out, y)", ""),
}


@pytest.mark.parametrize(("measure", "call", "mark"), CASES.values(), ids=CASES)
def test_what_measures_does_not_train(measure: str, call: str, mark: str) -> None:
    assert_marked(LOOP.format(measure=measure, call=call, mark=mark))
