"""Functions out of sight that by their names only ask something about a model: its mode, its gradients and its optimizer are as they were."""

from __future__ import annotations

import pytest

from programs import assert_marked

LOOP = """
        from engine import assert_finite_grads, check, check_for_inf, check_nan_and_step, count_parameters, get_num_params, has_head, is_parallel, is_parallel_step, params_count
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
    "whether gradients are finite": LOOP.format(question="assert_finite_grads(net, optimizer)", marked=MARKED),
    "whether something is infinite": LOOP.format(question="check_for_inf(net)", marked=MARKED),
    "what does more than to ask": LOOP.format(question="check_nan_and_step(net, optimizer)", marked=""),
    "what may do anything": LOOP.format(question="assert check(net, optimizer)", marked=""),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_questions_out_of_sight(program: str) -> None:
    assert_marked(program)


# The base of RecBole's trainers, whose `_check_nan` raises where a loss is NaN.
TRAINER = """
        from recbole.trainer import Trainer
        class Contrastive(Trainer):
            def _train_epoch(self, train_data, epoch_idx, loss_func=None):
                self.model.train()
                loss_func = loss_func or self.model.calculate_loss
                for interaction in train_data:
                    {clear}
                    loss = loss_func(interaction.to(self.device))
                    self.{asked}(loss)
                    loss.backward(){marked}
                    self.optimizer.step()
"""
OF_A_BASE = {
    "a method of a base out of sight": TRAINER.format(clear="pass", asked="_check_nan", marked=MARKED),
    "which may do anything": TRAINER.format(clear="pass", asked="_check", marked=""),
    "and all is cleared": TRAINER.format(clear="self.optimizer.zero_grad()", asked="_check_nan", marked=""),
}


@pytest.mark.parametrize("program", OF_A_BASE.values(), ids=OF_A_BASE)
def test_questions_of_a_base_out_of_sight(program: str) -> None:
    assert_marked(program)
