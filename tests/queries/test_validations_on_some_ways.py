"""A validation before the training, as after resuming, does not hide the one in its loop that leaves the model in eval mode."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    def evaluate(net, valid):
        net.eval()
        with torch.no_grad():
            return sum((net(x).argmax(1) == y).sum().item() for x, y in valid)

    def fit(args, loader, valid):
        net = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 2))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        {before}
        for epoch in range(10):
            {mode}
            for step, (x, y) in enumerate(loader):
                loss = nn.functional.cross_entropy(net(x), y){marker}
                opt.zero_grad()
                loss.backward()
                opt.step()
                {in_batch}
            {after}
"""
RESUMED = (
    "if args.resume:\n            net.load_state_dict(torch.load(args.resume, map_location='cpu'))\n            print(evaluate(net, valid))"
)
BEFORE = {
    "after resuming": RESUMED,
    "in any case": "print(evaluate(net, valid))",
    "after resuming, and that may be all": f"{RESUMED}\n            if args.only_evaluate: return",
    "unless it is switched off": "if not args.skip_first: evaluate(net, valid)",
}
SOMETIMES = "if epoch % args.every == 0: print(evaluate(net, valid))"
IN_BATCHES = "if step % args.every == 0: print(evaluate(net, valid))"


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_the_validation_of_some_epochs(before: str) -> None:
    code = "LL301" if before == BEFORE["in any case"] else "LL304"
    assert_marked(PROGRAM.format(before=before, mode="pass", in_batch="pass", after=SOMETIMES, marker=f"  # expect: {code}"))


@pytest.mark.parametrize("before", list(BEFORE.values())[2:], ids=list(BEFORE)[2:])
def test_the_validation_between_batches(before: str) -> None:
    assert_marked(PROGRAM.format(before=before, mode="net.train()", in_batch=IN_BATCHES, after="pass", marker="  # expect: LL304"))


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
def test_right_where_it_is_right(before: str) -> None:
    assert_marked(PROGRAM.format(before=before, mode="net.train()", in_batch="pass", after=SOMETIMES, marker=""))


def test_a_mode_that_was_chosen_for_the_training() -> None:
    assert_marked(PROGRAM.format(before="if args.frozen: net.eval()", mode="pass", in_batch="pass", after="pass", marker=""))
    assert_marked(PROGRAM.format(before="net.eval()", mode="pass", in_batch="pass", after=SOMETIMES, marker=""))
