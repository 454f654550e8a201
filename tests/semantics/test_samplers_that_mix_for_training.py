"""A distributed sampler mixes its items where the program is in the branch of what it is given: `if args.do_train:` above `shuffle=args.do_train`."""

from __future__ import annotations

import pytest

from programs import assert_marked

_TRAIN = """
        import argparse
        from torch.utils.data import DataLoader, RandomSampler
        from torch.utils.data.distributed import DistributedSampler
        def train({first}args, dataset, model):
            if args.distributed:
                sampler = DistributedSampler(dataset, shuffle={shuffle})  {marked}
            else:
                sampler = RandomSampler(dataset)
            loader = DataLoader(dataset, sampler=sampler, batch_size=4)
            optimizer = torch.optim.Adam(model.parameters())
            for epoch in range(10):
                for x in loader:
                    loss = model(x).mean()
                    optimizer.zero_grad()
                    loss.backward()
                    optimizer.step()
        if __name__ == "__main__":
            parser = argparse.ArgumentParser()
            parser.add_argument("--distributed", action="store_true")
            parser.add_argument("--do_train", action="store_true")
            parser.add_argument("--mode", default="train")
            args = parser.parse_args()
            {launch}
        """
_EXPECTED = "# expect: LL903"
PROGRAMS = {
    "the caller asks": _TRAIN.format(
        first="", shuffle="args.do_train", marked=_EXPECTED, launch="if args.do_train: train(args, load(), nn.Linear(3, 3))"
    ),
    "the caller compares": _TRAIN.format(
        first="",
        shuffle='args.mode == "train"',
        marked=_EXPECTED,
        launch='if args.mode in ("train",): train(args, load(), nn.Linear(3, 3))',
    ),
    "the caller launches a process for each device": _TRAIN.format(
        first="rank, ",
        shuffle="args.do_train",
        marked=_EXPECTED,
        launch="if args.do_train: torch.multiprocessing.spawn(train, args=(args, load(), nn.Linear(3, 3)))",
    ),
    "the other branch trains": _TRAIN.format(
        first="", shuffle="not args.do_train", marked=_EXPECTED, launch="if not args.do_train: train(args, load(), nn.Linear(3, 3))"
    ),
    "it mixes nothing where it is built": _TRAIN.format(
        first="", shuffle="not args.do_train", marked="", launch="if args.do_train: train(args, load(), nn.Linear(3, 3))"
    ),
    "nobody says whether it mixes": _TRAIN.format(
        first="", shuffle="args.do_train", marked="", launch="train(args, load(), nn.Linear(3, 3))"
    ),
    "another option is asked before processes are launched": _TRAIN.format(
        first="rank, ",
        shuffle="args.do_train",
        marked="",
        launch="if args.distributed: torch.multiprocessing.spawn(train, args=(args, load(), nn.Linear(3, 3)))",
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_mixes_under_a_condition(program: str) -> None:
    """What is not known by its value is by the conditions around it."""
    assert_marked(program)
