"""MONAI applies a model to a volume window by window: that is a forward of the model, in the mode and with the gradients that it finds."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from monai.inferers import SimpleInferer, SlidingWindowInferer, sliding_window_inference
    from monai.metrics import DiceMetric

    def validate(model, valid, metric, roi):
        {evaluation}
        with {context}:
            for batch in valid:
                out = {applied}{found}
                metric(y_pred=torch.sigmoid(out) > 0.5, y=batch["label"])
        return metric.aggregate().item()

    def main(loader, valid, roi):
        model = nn.Sequential(nn.Conv3d(1, 8, 3), nn.BatchNorm3d(8), nn.Conv3d(8, 2, 1))
        opt = torch.optim.Adam(model.parameters())
        for epoch in range(100):
            {training}
            for batch in loader:
                loss = nn.functional.cross_entropy(model(batch["image"]), batch["label"]){trained}
                opt.zero_grad()
                loss.backward()
                opt.step()
            if epoch % 2 == 0:
                print(validate(model, valid, DiceMetric(), roi))
"""
WAYS = [
    'sliding_window_inference(batch["image"], roi, 4, model)',
    'sliding_window_inference(inputs=batch["image"], roi_size=roi, sw_batch_size=4, predictor=model, overlap=0.5)',
    'sliding_window_inference(batch["image"], roi, 4, lambda part: model(part))',
    'SlidingWindowInferer(roi, overlap=0.5)(batch["image"], model)',
    'SimpleInferer()(inputs=batch["image"], network=model)',
]


def program(applied: str, **parts: str) -> str:
    right = {"evaluation": "model.eval()", "context": "torch.no_grad()", "training": "model.train()", "found": "", "trained": ""}
    return PROGRAM.format(applied=applied, **{**right, **parts})


@pytest.mark.parametrize("applied", WAYS)
def test_eval_mode_is_left_on(applied: str) -> None:
    assert_marked(program(applied, training="pass", trained="  # expect: LL304"))


@pytest.mark.parametrize("applied", WAYS)
def test_in_train_mode(applied: str) -> None:
    assert_marked(program(applied, evaluation="pass", found="  # expect: LL302"))


@pytest.mark.parametrize("applied", WAYS)
def test_with_gradients(applied: str) -> None:
    assert_marked(program(applied, context="open('log')", found="  # expect: LL303"))


@pytest.mark.parametrize("applied", WAYS)
def test_right_where_it_is_right(applied: str) -> None:
    assert_marked(program(applied))
