"""Which of several optimizers a call is about may be chosen before a loop: then all that the loop does with it happens to one optimizer."""

import pytest

from programs import assert_marked

LOOPS = {
    "chosen by the loop around": """
        def main(loaders, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            for k, loader in enumerate(loaders):
                for x, y in loader:
                    loss = nn.functional.mse_loss(nets[k](x), y)
                    {turn}
        """,
    "given to a function": """
        def train(net, opt, loader):
            for x, y in loader:
                loss = nn.functional.mse_loss(net(x), y)
                {turn}

        def main(loaders, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            for k, net in enumerate(nets):
                if k % 2:
                    train(net, opts[k], loaders[k])
        """,
    "one of a zip": """
        def main(loaders, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            for net, opt, loader in zip(nets, opts, loaders):
                for x, y in loader:
                    loss = nn.functional.mse_loss(net(x), y)
                    {turn}
        """,
    "the first": """
        def main(loader, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = {{k: torch.optim.Adam(nets[k].parameters()) for k in range(count)}}
            for x, y in loader:
                loss = nn.functional.mse_loss(nets[0](x), y)
                {turn}
        """,
}
NAMES = {"chosen by the loop around": "opts[k]", "given to a function": "opt", "one of a zip": "opt", "the first": "opts[0]"}
TURNS = {
    "stepped before the backward": ["{opt}.zero_grad()", "{opt}.step()  # expect: LL105", "loss.backward()"],
    "cleared after the backward": ["loss.backward()", "{opt}.zero_grad()  # expect: LL101", "{opt}.step()"],
    "no backward": ["{opt}.zero_grad()", "print(loss)", "{opt}.step()  # expect: LL107"],
    "in order": ["{opt}.zero_grad()", "loss.backward()", "{opt}.step()"],
    "cleared behind the step": ["loss.backward()", "{opt}.step()", "{opt}.zero_grad()"],
}


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("loop", LOOPS)
def test_its_cycle_is_judged(loop: str, turn: list[str]) -> None:
    program = LOOPS[loop]
    (row,) = [line for line in program.splitlines() if "{turn}" in line]
    indent = row[: row.index("{")]
    assert_marked(program.format(turn=f"\n{indent}".join(turn).format(opt=NAMES[loop])))


@pytest.mark.parametrize(
    "program",
    [
        """
        def main(loader, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            for x, y in loader:
                opts[0].zero_grad()
                nn.functional.mse_loss(nets[0](x), y).backward()
                opts[1].zero_grad()
                opts[0].step()
                nn.functional.mse_loss(nets[1](x), y).backward()
                opts[1].step()
        """,
        """
        def train(one, other, first, second, loader):
            for x, y in loader:
                first.zero_grad()
                nn.functional.mse_loss(one(x), y).backward()
                second.zero_grad()
                first.step()
                nn.functional.mse_loss(other(x), y).backward()
                second.step()

        def main(loader, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            train(nets[0], nets[1], opts[0], opts[1], loader)
        """,
        """
        def main(loader, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            for x, y in loader:
                nn.functional.mse_loss(nets[0](x), y).backward()
                for opt in opts:
                    opt.zero_grad()
                    nn.functional.mse_loss(nets[1](x), y).backward()
                    opts[0].step()
        """,
        """
        def main(loader, count):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            k = 0
            for x, y in loader:
                opts[k].zero_grad()
                nn.functional.mse_loss(nets[k](x), y).backward()
                opts[k].step()
                k = (k + 1) % count
        """,
        """
        def train(net, opt, loader):
            for x, y in loader:
                nn.functional.mse_loss(net(x), y).backward()
                opt.zero_grad()
                opt.step()

        def main(loader, count, one, other):
            nets = [nn.Linear(4, 1) for _ in range(count)]
            opts = [torch.optim.Adam(net.parameters()) for net in nets]
            train(nets[one], opts[other], loader)
        """,
    ],
    ids=["two entries", "two parameters", "one and all of them", "another in each turn", "a model of another"],
)
def test_others_of_the_several_are_told_from_it(program: str) -> None:
    assert_marked(program)
