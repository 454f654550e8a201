"""LL503: conversions of several names in one statement are read as those of each: `x, lengths = x.cuda(), lengths.cuda()`."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL503"
PROGRAM = """
        from elsewhere import Graph, collate

        def evaluate(model: nn.Module, batches):
            model.eval()
            with torch.no_grad():
                for number, (x, lengths, speakers) in enumerate(batches):
                    {converted}
                    speakers.cuda(0){mark}
                    {then}
                    print(model(x, lengths, speakers))
"""
COLLATED = """
        class Collate:
            def __call__(self, batch):
                return [b[0] for b in batch], torch.LongTensor([b[1] for b in batch]), torch.LongTensor([b[2] for b in batch])

        def evaluate(model: nn.Module, dataset):
            model.eval()
            loader = torch.utils.data.DataLoader(dataset, collate_fn=Collate())
            with torch.no_grad():
                for paths, x, speakers in loader:
                    speakers.cuda(0){mark}
                    x, speakers = {given}
                    print(model(x, speakers))
"""


@pytest.mark.parametrize(
    ("converted", "then", "mark"),
    [
        pytest.param("x, lengths = x.cuda(0), lengths.cuda(0)", "pass", FOUND, id="a pair"),
        pytest.param("(x, lengths) = (x.float().cuda(), lengths)", "pass", FOUND, id="of which one is moved"),
        pytest.param("x, number = x.to('cuda', non_blocking=True), number + 1", "speakers = speakers[:1]", FOUND, id="and a part is taken"),
        pytest.param("x, (lengths, number) = x, (lengths.cuda(), number)", "pass", FOUND, id="in each other"),
        pytest.param("x = x.cuda(0)", "speakers, number = speakers.long().cuda(0), 0", "", id="moved again beside another"),
        pytest.param("x, lengths = Graph(x), len(lengths)", "pass", "", id="others that are not converted"),
        pytest.param("lengths, x = x.cuda(0), lengths.cuda(0)", "pass", "", id="others that change their names"),
        pytest.param("x, lengths = collate(x.cuda(0), lengths.cuda(0))", "pass", "", id="what is made of them together"),
    ],
)
def test_beside_others_that_are_converted(converted: str, then: str, mark: str) -> None:
    assert_marked(PROGRAM.format(converted=converted, then=then, mark=mark))


@pytest.mark.parametrize(
    ("given", "mark"),
    [
        pytest.param("x.float(), speakers.long()", FOUND, id="converted, for a batch that the program makes"),
        pytest.param("speakers, x", "", id="exchanged"),
    ],
)
def test_parts_of_batches_that_are_made(given: str, mark: str) -> None:
    assert_marked(COLLATED.format(given=given, mark=mark))
