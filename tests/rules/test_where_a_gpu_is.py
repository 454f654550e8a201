"""A load that is reached only where there is a GPU need not fit on another machine."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def main(args, path, data):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = nn.Linear(8, 1)
            if CONDITION:
                net.load_state_dict(torch.load(path, map_location="cpu"))
            else:
                net.load_state_dict(torch.load(path)){mark}
            net.to(device)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
                opt.step()
            torch.save(net.state_dict(), path)
        """
ON_A_GPU = ["not torch.cuda.is_available()", "args.cpu or not torch.cuda.is_available()", "not (torch.cuda.is_available())", "args.no_cuda"]
# The branch with the map_location is the one for the CPU: `if CONDITION:` as above.
ON_ITS_DEVICE = [
    'device != torch.device("cuda")',
    'not device == torch.device("cuda:0")',
    'device.type != "cuda"',
    '"mps" != device.type',
    'device.type == "cpu"',
    'device == torch.device("cpu")',
    'str(device) == "cpu"',
]
ANYWHERE = ["args.fresh", "args.fresh and not torch.cuda.is_available()", "torch.cuda.is_available() and args.fast"]
ANYWHERE += [
    'device == "cpu"',
    'device.type == "cuda"',
    'device == torch.device("cuda")',
    'device.type != "cpu"',
    "device.type == args.kind",
]


@pytest.mark.parametrize("condition", [*ON_A_GPU, *ON_ITS_DEVICE])
def test_the_other_branch_is_for_machines_without_one(condition: str) -> None:
    assert_marked(PROGRAM.replace("CONDITION", condition).replace("{mark}", ""))


@pytest.mark.parametrize("condition", ANYWHERE)
def test_the_other_branch_is_reached_without_one_as_well(condition: str) -> None:
    assert_marked(PROGRAM.replace("CONDITION", condition).replace("{mark}", "  # expect: LL803"))
