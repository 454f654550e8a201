"""What makes a model from files may be larger than all the rest of its class, which is judged all the same."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
class Net(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.criterion = nn.CrossEntropyLoss()

{first}
{second}
"""
LOADING = """
    {decorator}
    def from_files({me}, path):
        model = {new}
        x = torch.load(path, map_location="cpu")
{lines}
        model.load_state_dict(x)
        model.to("cuda")
        return model
"""
JUDGED = """
    @torch.inference_mode()
    def measure(self, x, y):
        return self.criterion(self.body(x).softmax(-1), y).item()  # expect: LL701
"""


def loading(decorator: str, count: int) -> str:
    lines = "\n".join(
        f"        x = {{name.replace('a{n}', 'b'): value for name, value in x.items() if name != 'c{n}'}}" for n in range(count)
    )
    return LOADING.format(decorator=decorator, me="cls", new="cls(8)", lines=lines)


@pytest.mark.parametrize("count", [3, 900])
def test_the_rest_is_judged(count: int) -> None:
    assert_marked(PROGRAM.format(first=loading("@classmethod", count), second=JUDGED))
    assert_marked(PROGRAM.format(first=JUDGED, second=loading("@classmethod", count)))
