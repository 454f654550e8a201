"""LL302: predictions that numpy compares with targets are measured, and a softmax that a loss is computed of is no critic that they go to."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import numpy as np
from torch.utils.data import DataLoader

def fit(data, held_out):
    net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 4))
    head = {head}
    opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    loader, valid = DataLoader(data, batch_size=8, shuffle=True), DataLoader(held_out, batch_size=8)
    for epoch in range(10):
        net.train()
        for x, y in loader:
            loss = nn.functional.nll_loss(head(net(x)), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        right, found = 0, []
        for x, y in valid:
            with torch.no_grad():
                out = net(x).cpu().data.numpy(){mark}
            {measured}
        print(right, np.array(found))
"""
FOUND = "  # expect: LL302"


@pytest.mark.parametrize(
    ("head", "measured", "mark"),
    [
        pytest.param("nn.LogSoftmax(dim=1)", "right += np.sum(np.equal(np.argmax(out, axis=-1), y.numpy()))", FOUND, id="equal"),
        pytest.param("nn.Linear(4, 4)", "right += np.mean(np.equal(out.argmax(-1), y.numpy()))", FOUND, id="of what goes to another model"),
        pytest.param("nn.Linear(4, 4)", "right += np.array_equal(out.argmax(-1), y.numpy())", FOUND, id="all of them"),
        pytest.param("nn.Linear(4, 4)", "right += np.isclose(out, y.numpy()).mean()", FOUND, id="close"),
        pytest.param("nn.LogSoftmax(dim=1)", "found.append(out)", FOUND, id="collected, with a softmax in training"),
        pytest.param("nn.Linear(4, 4)", "found.append(out)", "", id="collected, of what another model is trained on"),
    ],
)
def test_what_is_measured(head: str, measured: str, mark: str) -> None:
    assert_marked(PROGRAM.format(head=head, measured=measured, mark=mark))
