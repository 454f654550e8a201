"""Functions out of sight that by their names only ask something about a model: its mode, its gradients and its optimizer are as they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from engine import check, count_parameters, get_num_params, has_head, is_parallel, is_parallel_step, params_count
        def main(loader):
            net = nn.Sequential(nn.Linear(8, 2), nn.Dropout(0.1))
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            net.train()
            for x, y in loader:
                {question}
                loss = nn.functional.cross_entropy(net(x), y)
                loss.backward(){marked}
                optimizer.step()
"""
MARKED = "  # expect: LL102"

PROGRAMS = {
    "what it is": LOOP.format(question="assert not is_parallel(net)", marked=MARKED),
    "what it has": LOOP.format(question="known = has_head(net, optimizer)", marked=MARKED),
    "how many parameters": LOOP.format(question="print(count_parameters(net))", marked=MARKED),
    "how many, in other words": LOOP.format(question="total = get_num_params(net)", marked=MARKED),
    "how many, the other way round": LOOP.format(question="total = params_count(net)", marked=MARKED),
    "what may do anything": LOOP.format(question="assert check(net, optimizer)", marked=""),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_questions_out_of_sight(program: str) -> None:
    assert_marked(program)
