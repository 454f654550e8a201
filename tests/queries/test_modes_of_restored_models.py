"""What restores a state by its name leaves eval mode on; anything else out of sight may put a model into any mode."""

from __future__ import annotations

import pytest

from programs import assert_marked

PREDICTION = """
from mmcv.parallel import MMDataParallel
from elsewhere import build, load_checkpoint, prepare, restore, resume_from, read

def predict(model, batches):
    for i, batch in enumerate(batches):
        print(model(batch["image"]).argmax(1).tolist()){mark}

def main(path):
    model = build(path)
    model.{mode}()
    {handed}
    predict({model}, torch.utils.data.DataLoader(read(path)))

if __name__ == "__main__":
    main(read("path"))
"""
RESTORING = ["load_checkpoint(model, path, map_location='cpu')", "state = restore(model)", "resume_from_checkpoint(path, model)"]
EXPECTED = "  # expect: LL303"


def _prediction(handed: str, mark: str = "", mode: str = "eval", model: str = "model") -> str:
    return PREDICTION.replace("{handed}", handed).replace("{mark}", mark).replace("{mode}", mode).replace("{model}", model)


@pytest.mark.parametrize("model", ["model", "MMDataParallel(model, device_ids=[0])"])
@pytest.mark.parametrize("handed", RESTORING)
def test_a_model_in_eval_mode_stays_in_it(handed: str, model: str) -> None:
    assert_marked(_prediction(handed, EXPECTED, model=model))


@pytest.mark.parametrize("handed", RESTORING)
def test_a_model_in_train_mode_may_come_out_of_it_in_any(handed: str) -> None:
    assert_marked(_prediction(handed, mode="train"))


def test_what_else_it_is_handed_to_may_do_anything() -> None:
    assert_marked(_prediction("prepare(model)"))
