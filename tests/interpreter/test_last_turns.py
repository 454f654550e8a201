"""A condition that only the last turn of a loop fulfils leads to no other turn: what happens under it is done once for the loop."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    def train(net, opt, batches, data):
        opt.zero_grad()
        {before}
        for {head}:
            loss = net(data[i]).mean() / len(batches)
            {named}
            loss.backward(){found}
            if {condition}:
                opt.step()

    def main(data, batches):
        net = nn.Linear(4, 1)
        opt = torch.optim.Adam(net.parameters())
        for epoch in range(100):
            train(net, opt, batches, data)
"""
COUNTED = "i, batch in enumerate(batches)"
LAST = {
    "is the last": (COUNTED, "", "", "i == len(batches) - 1"),
    "and more": (COUNTED, "", "", "i == len(batches) - 1 and loss.item() > 0"),
    "one further": (COUNTED, "", "", "i + 1 == len(batches)"),
    "not before the last": (COUNTED, "", "", "not i < len(batches) - 1"),
    "the other way round": (COUNTED, "", "", "len(batches) - 2 < i"),
    "a name": (COUNTED, "", "accumulates = i < len(batches) - 1", "not accumulates"),
    "a name for the number": (COUNTED, "n = len(batches)", "", "i >= n - 1"),
    "of as many": (COUNTED, "", "", "(i + 1) % len(batches) == 0"),
    "from one on": ("i, batch in enumerate(batches, start=1)", "", "", "i == len(batches)"),
    "of a range": ("i in range(batches)", "", "", "i == batches - 1"),
    "and what an earlier turn has found": (COUNTED, "found = True", "found = found and i == len(batches) - 1", "found"),
    "by the name of a bar": ("i, batch in enumerate(bar)", "bar = tqdm(batches); n = len(batches)", "", "i == n - 1"),
    "of a number": ("i in range(1, 5)", "", "last = i == 4", "last"),
}
OTHERS = {
    "all but the last": (COUNTED, "", "", "i < len(batches) - 1"),
    "of another length": (COUNTED, "", "", "i == len(data) - 1"),
    "of as many, from 0 on": (COUNTED, "", "", "i % len(batches) == 0"),
    "of two": (COUNTED, "", "", "i >= len(batches) - 2"),
    "or something else": (COUNTED, "", "", "i == len(batches) - 1 or loss.item() > 0"),
    "of a number that changes": ("i in range(batches)", "", "batches = batches - 1", "i == batches - 1"),
    "or what an earlier turn has found": (COUNTED, "done = False", "done = done or i == len(batches) - 1", "done"),
    "the other way round each time": (COUNTED, "other = False", "other = not other", "other"),
    "of two names, each by the other": (COUNTED, "two = False", "one = two or loss > 1; two = one or i == len(batches) - 1", "two"),
    "by the name of other items": ("i, batch in enumerate(bar)", "bar = chunks(batches); n = len(batches)", "", "i == n - 1"),
    "of another count": (COUNTED, "", "i = int(batch[0])", "i == len(batches) - 1"),
    "from one on": ("i, batch in enumerate(batches, start=1)", "", "", "i == len(batches) - 1"),
}


@pytest.mark.parametrize(("head", "before", "named", "condition"), LAST.values(), ids=LAST)
def test_a_step_in_the_last_turn(head: str, before: str, named: str, condition: str) -> None:
    assert_marked(PROGRAM.format(head=head, before=before or "pass", named=named or "pass", condition=condition, found=""))


@pytest.mark.parametrize(("head", "before", "named", "condition"), OTHERS.values(), ids=OTHERS)
def test_a_step_in_other_turns(head: str, before: str, named: str, condition: str) -> None:
    found = "  # expect: LL102"
    assert_marked(PROGRAM.format(head=head, before=before or "pass", named=named or "pass", condition=condition, found=found))


def test_the_next_loop_comes_after_the_last_turn() -> None:
    program = PROGRAM.replace("        opt.zero_grad()\n", "")
    assert_marked(program.format(head=COUNTED, before="pass", named="pass", condition="i == len(batches) - 1", found="  # expect: LL102"))


def test_what_precedes_the_last_turn_is_done_in_all_others() -> None:
    assert_marked("""
        def fit(net, opt, loader, valid):
            for epoch in range(10):
                net.train()
                for i, (x, y) in enumerate(loader):
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                    if i < len(loader) - 1:
                        continue
                    net.eval()
                    with torch.no_grad():
                        print(sum(nn.functional.mse_loss(net(x), y).item() for x, y in valid))
    """)


WITHIN = """
    def train(net, opt, batches, valid, validate):
        for epoch in range(100):
            n = len(batches)
            net.train()
            with {context} as bar:
                for i, x in enumerate(bar, 1):
                    opt.zero_grad()
                    net(x).mean().backward(){found}
                    opt.step()
                    if i != n or valid is None:
                        bar.set_description("train")
                    elif epoch % 5 == 0:
                        evaluate(net, valid)

    def evaluate(net, valid):
        net.eval()
        with torch.no_grad():
            for x in valid:
                print(net(x))

    def main(data, batches, valid):
        net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
        train(net, torch.optim.Adam(net.parameters()), batches, valid, None)
"""


@pytest.mark.parametrize(("context", "found"), [("tqdm(batches, ncols=80)", ""), ("chunks(batches)", "  # expect: LL304")])
def test_the_turns_within_a_bar_of_progress(context: str, found: str) -> None:
    assert_marked(WITHIN.format(context=context, found=found))
