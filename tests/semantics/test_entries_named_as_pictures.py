"""LL503: an entry that is taken by the name of a picture is a tensor where it is moved, wherever the batch comes from, as a variable of that name is."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL503"
PROGRAM = """
        from elsewhere import batches, Graph, score

        def test(model: nn.Module, device):
            model.eval()
            with torch.no_grad():
                for batch in batches():
                    {taken}
                    {moved}{mark}
                    score(model({given}))
"""


@pytest.mark.parametrize(
    ("taken", "moved", "given", "mark"),
    [
        pytest.param('data = batch["image"]', "data.cuda()", "data", FOUND, id="by another name"),
        pytest.param('data = batch.get("pixel_values")', "data.to(device)", "data", FOUND, id="by get"),
        pytest.param('data = batch["video"].float()', "data.to(device)", "data", FOUND, id="converted"),
        pytest.param("pass", 'batch["images"].to(device)', 'batch["images"]', FOUND, id="as it is"),
        pytest.param('data = batch["graph"]', "data.to(device)", "data", "", id="an entry of another name"),
        pytest.param("pass", 'batch["inputs"].to(device)', 'batch["inputs"]', "", id="another entry as it is"),
        pytest.param('data = Graph(batch["image"])', "data.to(device)", "data", "", id="what is made of one"),
        pytest.param('data = batch["image"]', "data.to(device)", "**data['fields']", "", id="with entries of its own"),
        pytest.param('data = batch["image"]', "data = data.to(device)", "data", "", id="kept"),
    ],
)
def test_entries(taken: str, moved: str, given: str, mark: str) -> None:
    assert_marked(PROGRAM.format(taken=taken, moved=moved, given=given, mark=mark))
