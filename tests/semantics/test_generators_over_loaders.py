"""What goes over the batches that a generator of the program hands on goes over the loader behind it."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        from torch.utils.data import DataLoader, DistributedSampler

        class Logger:
            def log_every(self, batches, every):
                for number, batch in enumerate(batches):
                    yield batch
                    if number % every == 0:
                        print(number)
            def through(self, batches):
                yield from batches

        def chunks(batches):
            for batch in batches:
                for part in batch.split(8):
                    yield part

        def main(data, epochs):
            logger = Logger()
            sampler = DistributedSampler(data){marked}
            loader = DataLoader(data, sampler=sampler)
            net = nn.Linear(2, 2)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(epochs):{told}
                for {batch} in {batches}:
                    opt.zero_grad()
                    nn.functional.cross_entropy(net(x), y).backward()
                    opt.step()
"""
WAYS = [
    ("x, y", "logger.log_every(loader, 10)"),
    ("step, (x, y)", "enumerate(logger.log_every(loader, 10))"),
    ("x, y", "logger.through(loader)"),
]


@pytest.mark.parametrize(("batch", "batches"), WAYS)
def test_the_sampler_of_the_loader_behind_is_asked_for(batch: str, batches: str) -> None:
    program = PROGRAM.replace("{batch}", batch).replace("{batches}", batches)
    assert_marked(program.replace("{told}", "").replace("{marked}", "  # expect: LL903"))
    assert_marked(program.replace("{told}", "\n                sampler.set_epoch(epoch)").replace("{marked}", ""))


def test_parts_of_batches_are_no_pass_over_the_loader() -> None:
    program = PROGRAM.replace("{batch}", "x, y").replace("{batches}", "chunks(loader)")
    assert_marked(program.replace("{told}", "").replace("{marked}", ""))
