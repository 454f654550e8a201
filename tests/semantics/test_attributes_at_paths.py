"""`operator.attrgetter` reads an attribute of what its result is called with, and changes nothing."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from operator import attrgetter
        import operator
        from library import build
        def hooked(net, path, hook):
            part = {part}
            return part.register_forward_hook(hook)
        def main(loader, path):
            net = build(torch.nn.Linear(8, 2))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                {clear}
                handle = hooked(net, path, print)
                loss = nn.functional.cross_entropy(net(x), y)
                handle.remove()
                loss.backward(){marked}
                optimizer.step()
"""
MARKED = "  # expect: LL102"

PROGRAMS = {
    "a name that is not known": LOOP.format(part="attrgetter(path)(net)", clear="pass", marked=MARKED),
    "a path of names": LOOP.format(part='operator.attrgetter("encoder.layer")(net)', clear="pass", marked=MARKED),
    "a path that is made up": LOOP.format(part='attrgetter(f"encoder.{path}")(net)', clear="pass", marked=MARKED),
    "of a part": LOOP.format(part="attrgetter(path)(net.encoder.layers[0])", clear="pass", marked=MARKED),
    "of a part or what it may have": LOOP.format(
        part='attrgetter(path)(net.encoder if hasattr(net, "encoder") else getattr(net, path).get_decoder())', clear="pass", marked=MARKED
    ),
    "and all is cleared": LOOP.format(part="attrgetter(path)(net)", clear="optimizer.zero_grad()", marked=""),
    "several at once": LOOP.format(part='attrgetter("encoder", path)(net)[0]', clear="pass", marked=""),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_attributes_at_paths(program: str) -> None:
    assert_marked(program)


STEPPED = """
        from operator import attrgetter
        def main(loader):
            net = torch.nn.Linear(8, 2)
            trainer = Trainer(net)
            for x, y in loader:
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward(){marked}
                {step}
        class Trainer:
            def __init__(self, net):
                self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""


@pytest.mark.parametrize(
    "step", ['attrgetter("optimizer")(trainer).step()', 'attrgetter("optimizer.step")(trainer)()', "trainer.optimizer.step()"]
)
def test_optimizers_at_paths(step: str) -> None:
    assert_marked(STEPPED.format(step=step, marked=MARKED))
