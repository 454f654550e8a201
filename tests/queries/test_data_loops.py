"""Which loops a forward, a sum or a list stands in: over data, over parts of a model, or left in their first turn."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "a loop that a break leaves in its first turn keeps and adds up one graph": """
        def train(net: nn.Module, loader, valid):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            net.eval()
            total, kept = 0, []
            for x, y in valid:
                out = net(x)
                total += nn.functional.mse_loss(out, y)
                kept.append(out)
                break
            return total, kept
        """,
    "a loop that both branches leave in its first turn": """
        def train(net: nn.Module, loader, valid):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            net.eval()
            total, kept = 0, []
            for x, y in valid:
                out = net(x)
                kept.append(out)
                if out.mean() > 0:
                    return kept
                else:
                    break
            return None
        """,
    "a loop that an error leaves in its first turn": """
        def train(net: nn.Module, loader, valid):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            net.eval()
            total, kept = 0, []
            for number, (x, y) in enumerate(valid):
                total += nn.functional.mse_loss(net(x), y)
                raise StopIteration(total)
        """,
    "a loop that only a condition leaves": """
        def train(net: nn.Module, loader, valid):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            net.eval()
            total, kept = 0, []
            for x, y in valid:
                out = net(x)  # expect: LL303
                total += nn.functional.mse_loss(out, y)  # expect: LL402
                kept.append(out)  # expect: LL401
                if len(kept) > 8:
                    break
            print(total, kept)
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(program)
