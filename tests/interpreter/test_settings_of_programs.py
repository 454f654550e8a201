"""What a setting of the program switches off is judged as well: at the top of a module, where it is run as a program, in capitals in a function."""

from __future__ import annotations

import pytest

from programs import assert_marked

TRAINING = """
{indent}if {name}:
{indent}    for x, y in loader:
{indent}        optimizer.zero_grad()
{indent}        loss = nn.functional.mse_loss(net(x), y)
{indent}        loss.backward()
{indent}        optimizer.zero_grad(){marked}
{indent}        optimizer.step()
"""
BUILT = "from data import loader\nnet = nn.Linear(8, 2)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"


def training(name: str, depth: int, marked: str = "  # expect: LL101") -> str:
    return TRAINING.format(indent="    " * depth, name=name, marked=marked)


PROGRAMS = {
    "at the top": f"{BUILT}train = 0{training('train', 0)}",
    "where the module is run": f"{BUILT}if __name__ == '__main__':\n    train = 0{training('train', 1)}",
    "and where a function reads that": f"{BUILT}def main():\n{training('train', 1)}\nif __name__ == '__main__':\n    train = 0\n    main()\n",
    "in capitals in a function": f"{BUILT}def main():\n    IF_TRAIN = False{training('IF_TRAIN', 1)}\nmain()\n",
    "in a function inside": f"{BUILT}def main():\n    TRAIN = 0\n    def run():{training('TRAIN', 2)}\n    run()\nmain()\n",
    "no setting in small letters": f"{BUILT}def main():\n    found = False{training('found', 1, '')}\nmain()\n",
    "no setting that changes": f"{BUILT}def main():\n    TRAIN = True\n    TRAIN = False{training('TRAIN', 1, '')}\nmain()\n",
    "precision by a setting": """
        from torch.amp import GradScaler, autocast
        from data import loader

        def main():
            AMP = True
            net = nn.Linear(8, 2).cuda()
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            scaler = GradScaler("cuda", enabled=AMP)
            for x, y in loader:
                optimizer.zero_grad()
                with autocast("cuda", enabled=AMP):
                    loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
                if AMP:
                    scaler.scale(loss).backward()
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    loss.backward()
                    optimizer.step()

        if __name__ == "__main__":
            main()
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_settings_of_programs(program: str) -> None:
    assert_marked(program)
