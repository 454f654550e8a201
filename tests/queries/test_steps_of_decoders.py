"""A loop that counts belongs to the turn of the loop over data around it: the steps of a decoder, or of a sampler, are part of one validation pass."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.dropout, self.head = nn.Dropout(0.1), nn.Linear(8, 8)
            def forward(self, x):
                return self.head(self.dropout(x))
        def fit(loader, valid, steps, epochs):
            model = Decoder()
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for epoch in range(epochs):
                model.train()
                for x, y in loader:
                    optimizer.zero_grad()
                    nn.functional.mse_loss(model(x), y).backward()
                    optimizer.step()
{validates}
        """
STEPS = {
    "the steps of a decoder": """
                losses = []
                with torch.no_grad():
                    for x, y in valid:
                        for t in range(steps):
                            x = model(x)  # expect: LL302
                            losses.append((-torch.log_softmax(x, -1).gather(1, y)).mean().item())
""",
    "two loops of steps": """
                losses = []
                with torch.no_grad():
                    for x, y in valid:
                        for t in range(steps):
                            for beam in range(2):
                                x = model(x)  # expect: LL302
                            losses.append((-torch.log_softmax(x, -1).gather(1, y)).mean().item())
""",
    "in a function": """
                with torch.no_grad():
                    for x, y in valid:
                        def unroll(x):
                            loss = 0
                            for t in range(steps):
                                x = model(x)  # expect: LL302
                                loss += (-torch.log_softmax(x, -1).gather(1, y)).mean().item()
                            return loss
                        print(unroll(x))
""",
}
NO_PASS = {
    "in eval mode": """
                losses = []
                model.eval()
                with torch.no_grad():
                    for x, y in valid:
                        for t in range(steps):
                            x = model(x)
                            losses.append((-torch.log_softmax(x, -1).gather(1, y)).mean().item())
""",
    "a count around one batch": """
                losses = []
                with torch.no_grad():
                    for t in range(steps):
                        losses.append((-torch.log_softmax(model(x), -1).gather(1, y)).mean().item())
""",
    "one input again and again": """
                spread = []
                with torch.no_grad():
                    for x, y in valid:
                        outputs = torch.stack([model(x) for _ in range(20)])
                        spread.append(outputs.std(0).mean().item())
""",
}


@pytest.mark.parametrize("validates", (STEPS | NO_PASS).values(), ids=STEPS | NO_PASS)
def test_a_pass_is_one_over_data(validates: str) -> None:
    assert_marked(PROGRAM.format(validates=validates.strip("\n")))
