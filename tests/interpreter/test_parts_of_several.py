"""A part of a model that becomes a part of another one is a part of both: what one of them does with it, it does to the other's."""

from __future__ import annotations

import pytest

from programs import assert_marked

WHOLE = """
        class Whole(nn.Module):
            def __init__(self, encoder, decoder):
                super().__init__()
                self.encoder = encoder
                self.decoder = decoder
                self.register_buffer("mean", torch.zeros(1))

            def forward(self, x):
                return self.decoder(self.encoder(x))

        class Tuned(nn.Module):
            def __init__(self, encoder, decoder):
                super().__init__()
                self.encoder = encoder
                self.decoder = decoder

            def forward(self, x):
                return self.decoder(self.encoder(x - 1))

        whole = Whole(nn.Linear(3, 3), nn.Sequential(nn.Dropout(), nn.Linear(3, 2)))
"""

PROGRAMS = {
    "taken over by another model": """
        model = Tuned(whole.encoder, whole.decoder)
        optimizer = torch.optim.AdamW(list(model.encoder.parameters()) + list(model.decoder.parameters()), lr=0.1)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()  # expect: LL102
            optimizer.step()
        """,
    "put in line before another layer": """
        model = nn.Sequential(whole.encoder, nn.Linear(3, 2))
        optimizer = torch.optim.AdamW(whole.encoder.parameters(), lr=0.1)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()  # expect: LL102
            optimizer.step()
        """,
    "switched by the other model": """
        model = Tuned(whole.encoder, whole.decoder)
        optimizer = torch.optim.AdamW(whole.decoder.parameters(), lr=0.1)
        for epoch in range(3):
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(whole.decoder(x), y)  # expect: LL301
                loss.backward()
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for x, y in valid:
                    print(nn.functional.mse_loss(model(x), y).item())
        """,
    "switched back by the other model": """
        model = Tuned(whole.encoder, whole.decoder)
        optimizer = torch.optim.AdamW(whole.decoder.parameters(), lr=0.1)
        for epoch in range(3):
            whole.train()
            for x, y in loader:
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
            whole.eval()
            with torch.no_grad():
                for x, y in valid:
                    print(nn.functional.mse_loss(whole(x), y).item())
        """,
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_it_is_a_part_of_both(text: str) -> None:
    assert_marked(WHOLE + text)
