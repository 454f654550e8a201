"""LL503: a part of a batch that the program's own function puts together as a tensor is one, and is moved by `x.cuda()` no more than another."""

from __future__ import annotations

import pytest

from tests.programs import assert_marked

PROGRAM = """
from data import Pairs
from torch.nn.utils.rnn import pack_sequence, pad_sequence
from torch.utils.data import DataLoader

{collate}

def score(model, loader):
    found = []
    model.eval()
    with torch.no_grad():
        for {targets} in {loop}:
            wanted.cuda(){mark}
            found.append((model(names), wanted.long()))
    return found


def main(model):
    return score(model, DataLoader(Pairs(), batch_size=8, collate_fn={given}))
"""
AS_TENSOR = {
    "stacked": ("def collate(items):\n    return [i[0] for i in items], torch.stack([i[1] for i in items], 0)\n", "collate"),
    "a name": (
        "def collate(items):\n    names, wanted = zip(*items)\n    wanted = torch.LongTensor(wanted)\n    return names, wanted\n",
        "collate",
    ),
    "padded and converted": (
        "def collate(items):\n    return [[i[0] for i in items], pad_sequence([i[1] for i in items]).long()]\n",
        "collate",
    ),
    "an object that is called": (
        "class Collate:\n    def __call__(self, items):\n        return [i[0] for i in items], torch.tensor([i[1] for i in items])\n",
        "Collate()",
    ),
}
OTHERWISE = {
    "a list": "def collate(items):\n    return [i[0] for i in items], [i[1] for i in items]\n",
    "packed sequences": "def collate(items):\n    return [i[0] for i in items], pack_sequence([i[1] for i in items])\n",
    "a tensor for some": (
        "def collate(items):\n    wanted = torch.stack([i[1] for i in items])\n    if len(items) > 4:\n        wanted = items\n    return items, wanted\n"
    ),
    "a tensor elsewhere": "def collate(items):\n    return torch.stack([i[0] for i in items]), items\n",
    "two ways back": "def collate(items):\n    if not items:\n        return items, items\n    return items, torch.stack(items)\n",
}


@pytest.mark.parametrize("case", AS_TENSOR)
@pytest.mark.parametrize(("targets", "loop"), [("names, wanted", "loader"), ("number, (names, wanted)", "enumerate(loader)")])
def test_the_move_is_lost(case: str, targets: str, loop: str) -> None:
    collate, given = AS_TENSOR[case]
    assert_marked(PROGRAM.format(collate=collate, given=given, targets=targets, loop=loop, mark="  # expect: LL503"))


@pytest.mark.parametrize("case", OTHERWISE)
def test_it_may_move_in_place(case: str) -> None:
    assert_marked(PROGRAM.format(collate=OTHERWISE[case], given="collate", targets="names, wanted", loop="loader", mark=""))


def test_it_is_kept_elsewhere() -> None:
    collate, given = AS_TENSOR["stacked"]
    program = PROGRAM.format(collate=collate, given=given, targets="names, wanted", loop="loader", mark="")
    assert_marked(program.replace("wanted.cuda()", "wanted = wanted.cuda()"))


WHOLE = """
from torch.utils.data import DataLoader
from tqdm import tqdm
from transformers import pipeline

def collate(items):
    found = [item[0] for item in items]
    return {returned}

def score(model, data):
    loader = DataLoader(data, batch_size=8, collate_fn=collate)
    with torch.no_grad():
        for {targets} in {loop}:
            x.cuda(){mark}
            print(model(x))
"""


@pytest.mark.parametrize(
    ("targets", "loop"), [("x", "loader"), ("number, x", "enumerate(loader)"), ("number, x", "tqdm(enumerate(loader))")]
)
def test_the_whole_batch_is_one_tensor(targets: str, loop: str) -> None:
    assert_marked(WHOLE.format(returned="torch.stack(found)", targets=targets, loop=loop, mark="  # expect: LL503"))
    assert_marked(WHOLE.format(returned="found", targets=targets, loop=loop, mark=""))
    assert_marked(WHOLE.format(returned="torch.stack(found), 1", targets=targets, loop=loop, mark=""))


ITEMS = """
from torch.utils.data import DataLoader
from transformers import AutoTokenizer

class Clips:
    def __init__(self, records):
        self.records = records
        self.tokenizer = AutoTokenizer.from_pretrained("bert")

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        record = self.records[index]
        return {returned}

def score(model, records, device):
    loader = DataLoader(Clips(records), batch_size=8{options})
    with torch.no_grad():
        for {targets} in loader:
            clips.to(device){mark}
            print(model(clips))
"""
OF_A_PAIR = "record.name, torch.from_numpy(record.load())"


@pytest.mark.parametrize(
    ("returned", "targets"),
    [(OF_A_PAIR, "names, clips"), ("torch.tensor(record.clip), 1, 2", "clips, a, b"), ("torch.from_numpy(record).float()", "clips")],
)
def test_torch_stacks_what_a_dataset_makes(returned: str, targets: str) -> None:
    assert_marked(ITEMS.format(returned=returned, targets=targets, options="", mark="  # expect: LL503"))
    assert_marked(ITEMS.format(returned=returned, targets=targets, options="", mark="").replace("clips.to", "clips = clips.to"))


@pytest.mark.parametrize(
    ("returned", "targets", "options"),
    [
        (OF_A_PAIR, "names, clips", ", collate_fn=gather"),
        ("record.name, self.tokenizer(record.text)", "names, clips", ""),
        ("torch.from_numpy(record), record.graph", "names, clips", ""),
        ("{'clips': torch.from_numpy(record)}", "clips", ""),
    ],
)
def test_what_it_gets_otherwise_may_move_in_place(returned: str, targets: str, options: str) -> None:
    assert_marked(ITEMS.format(returned=returned, targets=targets, options=options, mark=""))
