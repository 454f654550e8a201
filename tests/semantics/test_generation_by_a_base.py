"""A model's own `generate` that calls the one of its base out of sight runs the model, as that does."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import transformers


        class Reader(transformers.T5ForConditionalGeneration):
            METHOD


        def evaluate(model, held_out, tokenizer):
            SWITCH
            hits = []
            GRADIENTS
                for x, mask, golds in held_out:
                    outputs = CALL
                    for o, gold in zip(outputs, golds):
                        hits.append(tokenizer.decode(o) == gold)
            return sum(hits) / len(hits)


        def main(data, held_out, config, tokenizer):
            net = Reader(config)
            opt = torch.optim.Adam(net.parameters())
            for epoch in range(9):
                net.train()
                for x, y in data:
                    opt.zero_grad()
                    net(input_ids=x, labels=y)[0].backward()
                    opt.step()
                print(evaluate(net, held_out, tokenizer))
        """
METHODS = {
    "generate": (
        """def generate(self, input_ids, attention_mask, max_length):
                return super().generate(input_ids=input_ids.view(1, -1), attention_mask=attention_mask, max_length=max_length)""",
        "model.generate(x, mask, 50)",
    ),
    "with the class": (
        """def generate(self, *args, **kwargs):
                kwargs.setdefault("max_length", 50)
                return super(Reader, self).generate(*args, **kwargs)""",
        "model.generate(x, attention_mask=mask)",
    ),
    "by another name": (
        """def answer(self, x, mask):
                return super().generate(input_ids=x, attention_mask=mask)""",
        "model.answer(x, mask)",
    ),
    "sampled": (
        """def generate(self, x, mask):
                self.encoder.passages = x.size(1)
                return super().generate(x.flatten(1), mask.flatten(1), do_sample=False)""",
        "model.generate(x, mask)",
    ),
}


def _program(method: str, call: str, switch: str, gradients: str = "with torch.no_grad():") -> str:
    marked = call + "  # expect: LL302" if switch == "pass" else call
    return PROGRAM.replace("METHOD", method).replace("CALL", marked).replace("SWITCH", switch).replace("GRADIENTS", gradients)


@pytest.mark.parametrize(("method", "call"), METHODS.values(), ids=METHODS)
def test_it_runs_in_train_mode(method: str, call: str) -> None:
    assert_marked(_program(method, call, "pass"))


@pytest.mark.parametrize(("method", "call"), METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("gradients", ["with torch.no_grad():", "if True:"], ids=["off", "switched off by itself"])
def test_in_eval_mode(method: str, call: str, gradients: str) -> None:
    assert_marked(_program(method, call, "model.eval()", gradients))
