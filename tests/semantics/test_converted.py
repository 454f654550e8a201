"""`torch.as_tensor` gives a tensor back with its graph, which `torch.tensor` does not (https://docs.pytorch.org/docs/stable/generated/torch.as_tensor.html)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        model = nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        kept = []
        for x, y in torch.utils.data.DataLoader(read(), shuffle=True):
            _, out = 0, model(x)
            out = CONVERTED
            loss = nn.functional.mse_loss(out, y)
            model.zero_grad()
            loss.backward()
            optimizer.step()
            kept.append(torch.as_tensor(out))LL401
            kept.append(torch.as_tensor([1.0, 2.0]))
            kept.append(torch.tensor(out))
        """


@pytest.mark.parametrize("converted", ["torch.as_tensor(out)", "torch.as_tensor(out, dtype=torch.float32).view(-1, 1)"])
def test_a_converted_tensor_keeps_its_graph(converted: str) -> None:
    assert_marked(PROGRAM.replace("CONVERTED", converted).replace("LL401", "  # expect: LL401"))
