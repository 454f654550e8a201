"""An entry of what a model puts out is what stands for it where it is not there: a count, a flag or a text has no graph."""

import pytest

from programs import assert_marked

PROGRAM = """
def shown(i, images, outputs):
    levels = []
    for level in outputs.get("levels", []):
        scores = level.get("scores")
        if scores is not None:
            scores = torch.sigmoid(scores[i]).detach().cpu()
        levels.append({{"scores": scores, "kept": {kept}}})
    return {{"image": images[i].cpu(), "levels": levels}}

def train(model, loader, optimizer):
    samples, seen = {{}}, []
    for step, (images, labels, names) in enumerate(loader):
        optimizer.zero_grad()
        outputs = model(images, labels)
        loss = model.compute_loss(outputs, labels)["total"]
        with torch.no_grad():
            for i in range(images.shape[0]):
                samples[names[i]] = shown(i, images, outputs){mark}
        loss.backward()
        optimizer.step()
    return len(samples)
"""
LIST = """
def train(model, loader, optimizer):
    seen = []
    for images, labels in loader:
        optimizer.zero_grad()
        outputs = model(images)
        loss = nn.functional.cross_entropy(outputs["logits"], labels)
        loss.backward()
        optimizer.step()
        seen.append({kept}){mark}
    print(len(seen))
"""


@pytest.mark.parametrize(
    "kept", ['level.get("patch_size", 16)', 'level.get("finest", False)', 'level.get("name", "")', 'level.pop("patch_size", default=-1)']
)
def test_an_entry_that_may_be_a_count_or_a_text_is_no_tensor(kept: str) -> None:
    assert_marked(PROGRAM.format(kept=kept, mark=""))
    assert_marked(LIST.format(kept=kept.replace("level", "outputs"), mark=""))


@pytest.mark.parametrize("kept", ['level.get("scores")', 'level.get("loss", 0.0)', 'level.get("scale", 1)', 'level.get("mask", None)'])
def test_any_other_may_have_a_graph(kept: str) -> None:
    assert_marked(PROGRAM.format(kept=kept, mark="  # expect: LL401"))
    assert_marked(LIST.format(kept=kept.replace("level", "outputs"), mark="  # expect: LL401"))
