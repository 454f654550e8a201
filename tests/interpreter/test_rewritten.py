"""Loops that replace every entry of a dict or list: what stands there afterwards is what the loop has put there."""

from __future__ import annotations

import pytest

from programs import assert_marked

_HEAD = """
        model = nn.Linear(8, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        def train(x):
            out = model(x)
            losses = {}
            losses["sum"] = out.sum()
            losses["mean"] = out.mean()
            optimizer.zero_grad()
            (losses["sum"] + losses["mean"]).backward()
            optimizer.step()
"""
_TAIL = """
            return losses
        history = []
        for x in torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4, shuffle=True):
            for key, value in train(x).items():
                history.append(value)%s
"""
LOUD = _TAIL % "  # expect: LL401"
QUIET = _TAIL % ""
BETWEEN = {
    "nothing": ("", LOUD),
    "by key": ("for item in losses:\n    losses[item] = losses[item].item()", QUIET),
    "by keys()": ("for item in list(losses.keys()):\n    print(item)\n    losses[item] = float(losses[item].detach())", QUIET),
    "by items()": ("for item, loss in losses.items():\n    losses[item] = loss.detach()", QUIET),
    "where it is a tensor": ("for k, v in losses.items():\n    if isinstance(v, torch.Tensor):\n        losses[k] = v.item()", QUIET),
    "and one more number": ("for k in losses:\n    losses[k] = losses[k].item()\nlosses['one'] = 1.0", QUIET),
    "and one more tensor": ("for k in losses:\n    losses[k] = losses[k].item()\nlosses['max'] = out.max()", LOUD),
    "only some": ("for k in losses:\n    if k == 'sum':\n        losses[k] = losses[k].item()", LOUD),
    "perhaps not the last": ("for k in losses:\n    if k == 'sum':\n        break\n    losses[k] = losses[k].item()", LOUD),
    "only under a condition": ("if x.shape[0] > 2:\n    for k in losses:\n        losses[k] = losses[k].item()", LOUD),
    "of another dict": ("others = {'a': out.max()}\nfor k in others:\n    losses[k] = others[k].item()", LOUD),
}


@pytest.mark.parametrize("between", BETWEEN)
def test_entries_of_a_dict(between: str) -> None:
    lines, tail = BETWEEN[between]
    assert_marked(_HEAD + "".join(f"            {line}\n" for line in lines.split("\n")) + tail)


def test_entries_of_a_list() -> None:
    assert_marked("""
        model = nn.Linear(8, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        kept, plain = [], []
        for x in torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4, shuffle=True):
            parts = [model(x[:2]).sum(), model(x[2:]).sum()]
            optimizer.zero_grad()
            (parts[0] + parts[1]).backward()
            optimizer.step()
            kept.append(parts[0])  # expect: LL401
            for number, part in enumerate(parts):
                parts[number] = part.item()
            plain.append(parts[0])
        """)


def test_a_dict_that_is_made_anew_is_not_rewritten() -> None:
    assert_marked("""
        model = nn.Linear(8, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        history = []
        for x in torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4, shuffle=True):
            losses = {}
            losses["sum"] = model(x).sum()
            optimizer.zero_grad()
            losses["sum"].backward()
            optimizer.step()
            for value in losses.values():
                history.append(value)  # expect: LL401
            for key in losses:
                losses[key] = losses[key].item()
        """)


def test_a_sum_that_begins_as_the_first_dict_of_numbers() -> None:
    assert_marked("""
        model = nn.Linear(8, 3)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        def train(x):
            out = model(x)
            losses = {}
            losses.update({"sum": out.sum(), "mean": out.mean()})
            optimizer.zero_grad()
            (losses["sum"] + losses["mean"]).backward()
            optimizer.step()
            for key, _ in losses.items():
                losses[key] = losses[key].item()
            return losses
        def epoch(loader):
            sums = {}
            for x in loader:
                losses = train(x)
                if not sums:
                    sums = losses
                else:
                    for key, value in losses.items():
                        sums[key] += value
            return sums
        epoch(torch.utils.data.DataLoader(torch.randn(64, 8), shuffle=True))
        """)


_OUT_OF_SIGHT = """
        def train(model, criterion, loader):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            total = 0
            for x, y in loader:
                optimizer.zero_grad()
                losses = criterion(model(x), y)
                losses["loss"].backward()
                optimizer.step()
{loop}
                total += losses["loss"]{mark}
            return total
"""
OUT_OF_SIGHT = {
    "by items()": ("for key, value in losses.items():\n    losses[key] = value.item()", ""),
    "by key": ("for key in losses:\n    losses[key] = losses[key].detach()", ""),
    "counted": ("for n, (key, value) in enumerate(losses.items()):\n    losses[key] = value.item()\n    if n == 0:\n        continue\n    print(key)", ""),
    "only read": ("for key, value in losses.items():\n    print(key, value)", "  # expect: LL402"),
    "of another dict": ("for key, value in others.items():\n    losses[key] = value.item()", "  # expect: LL402"),
    "not the last": ("for key in losses:\n    if key == 'loss':\n        break\n    losses[key] = losses[key].item()", "  # expect: LL402"),
}  # fmt: skip


@pytest.mark.parametrize("loop", OUT_OF_SIGHT)
def test_entries_of_a_dict_out_of_sight(loop: str) -> None:
    lines, mark = OUT_OF_SIGHT[loop]
    assert_marked(_OUT_OF_SIGHT.format(loop="\n".join(f"                {line}" for line in lines.split("\n")), mark=mark))
