"""What a model puts out is measured where it is asked for the loss in it: `outputs.loss` of a validation, however that is added up."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from transformers import AutoModelForCausalLM
    {decorator}
    def evaluate(net, loader):
        kept, total, sums = [], 0, torch.zeros(2)
        for batch in loader:
            {forward}
        return {result}
    def main(loader, valid):
        net = AutoModelForCausalLM.from_pretrained("small")
        opt = torch.optim.AdamW(net.parameters())
        for epoch in range(9):
            net.train()
            for batch in loader:
                opt.zero_grad()
                net(**batch).loss.backward()
                opt.step()
            {mode}
            print(evaluate(net, valid))
    """
MEASURED = {
    "an attribute": ("total += net(**batch).loss", "total / len(loader)"),
    "an entry": ('total += net(**batch)["loss"]', "total / len(loader)"),
    "one of several, into an element of a tensor": ("sums[0] += net(**batch).lm_loss.detach()", "sums[0]"),
    "through a name, into a list": ("out = net(**batch); kept.append(out.loss.repeat(8))", "torch.cat(kept).mean()"),
}
UNMEASURED = {
    "what is no loss": ("kept.append(net(**batch).hidden_states)", "kept"),
    "weights of a loss": ("kept.append(net(**batch).loss_weights)", "kept"),
}


@pytest.mark.parametrize(("forward", "result"), MEASURED.values(), ids=MEASURED)
def test_the_loss_in_an_output_is_a_measure(forward: str, result: str) -> None:
    program = PROGRAM.replace("{forward}", forward + "{marked}").replace("{result}", result)
    without = program.replace("{decorator}", "@torch.no_grad()").replace("{mode}", "")
    assert_marked(without.replace("{marked}", "  # expect: LL302"))
    assert_marked(program.replace("{decorator}", "@torch.no_grad()").replace("{mode}", "net.eval()").replace("{marked}", ""))


@pytest.mark.parametrize(("forward", "result"), UNMEASURED.values(), ids=UNMEASURED)
def test_other_parts_of_an_output_are_none(forward: str, result: str) -> None:
    program = PROGRAM.replace("{forward}", forward).replace("{result}", result).replace("{mode}", "")
    assert_marked(program.replace("{decorator}", "@torch.no_grad()"))
