"""A method out of sight that stands outside of the `no_grad` around its model, and takes what the model does not get, converts data: it has no graph."""

import pytest

from programs import assert_marked

PROGRAM = """
class Trainer:
    def __init__(self, config):
        self.model = config.model(config)
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def train(self, loader, valid):
        for epoch in range(10):
            self.model.train()
            for ids, mask, labels in loader:
                self.optimizer.zero_grad()
                self.model(ids, mask, labels=labels).backward()
                self.optimizer.step()
            self.evaluate(valid)

    def evaluate(self, valid):
        self.model.eval()
        right = 0
        for ids, mask, labels in valid:
            {before}
            with torch.no_grad():
                scores = self.model(ids, mask)
            {after}
            right += (scores.argmax(-1).cpu().numpy() == labels.cpu().numpy()).sum()
        print(right)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass", "labels = self.model.to_base_format(labels)"),
        ("labels = self.model.to_base_format(labels)", "pass"),
        ("pass", "if self.spc: labels = self.model.to_base_format(labels.to('cpu'))"),
        ("pass", "labels = self.model.tagger.align(labels)[0]"),
        ("pass", "labels = self.model.get_ids_for_context(ids)"),
    ],
)
def test_what_labels_are_made_into_has_no_graph(before: str, after: str) -> None:
    assert_marked(PROGRAM.format(before=before, after=after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass", "print(self.model.compute_loss(labels).item())  # expect: LL303"),
        ("pass", "print((self.model.features(ids) == labels).sum().item())  # expect: LL303"),
        ("print((self.model(ids, mask) == labels).sum().item())  # expect: LL303", "pass"),
        ("print((self.model(labels) == labels).sum().item())  # expect: LL303", "pass"),
    ],
)
def test_the_model_its_loss_and_what_is_made_of_its_inputs_have_one(before: str, after: str) -> None:
    assert_marked(PROGRAM.format(before=before, after=after))


def test_the_method_has_one_where_nothing_is_under_no_grad() -> None:
    text = PROGRAM.format(before="labels = self.model.to_base_format(labels)  # expect: LL303", after="pass")
    assert_marked(text.replace("with torch.no_grad():", "if True:"))
