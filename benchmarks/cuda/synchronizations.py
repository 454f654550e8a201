"""A loop that never waits for its device; prints how often each of its steps did."""

import json
import warnings

import torch
from torch import nn

STEPS = 200


def main() -> None:
    torch.manual_seed(0)
    cuda = torch.cuda.is_available()
    device = "cuda" if cuda else "cpu"
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.1), nn.Linear(256, 8)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    x, y = torch.randn(32, 64, device=device), torch.randint(0, 8, (32,), device=device)
    waits = []
    for _ in range(STEPS):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if cuda:
                torch.cuda.set_sync_debug_mode("warn")
            optimizer.zero_grad()
            torch.autograd.backward(nn.functional.cross_entropy(model(x), y))
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if cuda:
                torch.cuda.set_sync_debug_mode("default")
        waits.append(sum("synchroniz" in str(warning.message) for warning in caught))
    print(json.dumps(waits))


main()
