"""A state that is kept while another one is loaded into its model: both have the same tensors."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        import copy
        def train(net, ema, loader, valid, path):
            opt = torch.optim.Adam(net.parameters())
            for epoch in range(3):
                net.train()
                for x, y in loader:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                {backup}
                net.load_state_dict({other})
                net.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print(nn.functional.mse_loss(net(x), y).item())
                {back}
"""
BACK = "net.load_state_dict(backup)"
PROGRAMS = {
    "a moving average for the validation": LOOP.format(
        backup="backup = net.state_dict()  # expect: LL801", other="ema.state_dict()", back=BACK
    ),
    "that of a file": LOOP.format(backup="backup = net.state_dict()  # expect: LL801", other="torch.load(path)", back=BACK),
    "a dict of the same tensors": LOOP.format(
        backup="backup = {k: v for k, v in net.state_dict().items()}  # expect: LL801", other="ema.module.state_dict()", back=BACK
    ),
    "a deep copy": LOOP.format(backup="backup = copy.deepcopy(net.state_dict())", other="ema.state_dict()", back=BACK),
    "clones": LOOP.format(backup="backup = {k: v.clone() for k, v in net.state_dict().items()}", other="ema.state_dict()", back=BACK),
    "assigned, and not copied": LOOP.format(backup="backup = net.state_dict()", other="torch.load(path), assign=True", back=BACK),
    "never given back": LOOP.format(backup="backup = net.state_dict()", other="ema.state_dict()", back="print(len(backup))"),
    "loaded twice": LOOP.format(backup="backup = net.state_dict()", other="backup", back=BACK),
    "saved before the other is loaded": LOOP.format(
        backup="backup = net.state_dict(); torch.save(backup, path)", other="ema.state_dict()", back="print(epoch)"
    ),
    "the weights of another model": """
        def sync(net, target, path):
            state = net.state_dict()
            target.load_state_dict(torch.load(path))
            target.load_state_dict(state)
    """,
    "merged with what a file holds": """
        def restore(net, path):
            own = net.state_dict()
            own.update({k: v for k, v in torch.load(path, map_location="cpu").items() if k in own})
            net.load_state_dict(own)
    """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_states(program: str) -> None:
    assert_marked(program)
