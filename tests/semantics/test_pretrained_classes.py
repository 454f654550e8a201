"""A class of the program that derives from a library's pretrained model is built by its `from_pretrained`, and is in eval mode then."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
import argparse
from torch.nn import functional as F
from diffusers import ModelMixin
from huggingface_hub import PyTorchModelHubMixin
from transformers import BertModel, BertPreTrainedModel


class Tagger({base}):
    def __init__({parameters}):
        super().__init__()
        {first}
        self.dropout = nn.Dropout(0.1)
        self.out = nn.Linear(10, 10)

    def forward(self, x, labels=None):
        logits = self.out(self.dropout(x))
        if labels is None:
            return logits
        return F.cross_entropy(F.softmax(logits, dim=-1), labels), logits{softmax}


MODELS = {{"tagger": (Tagger, 1), "other": (Tagger, 2)}}
parser = argparse.ArgumentParser()
parser.add_argument("--model", default="tagger")
parser.add_argument("--path", default="")
args = parser.parse_args()
model = {built}
{mode}
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
loader = torch.utils.data.DataLoader([(torch.randn(10), 1)] * 8, shuffle=True)
for epoch in range(3):
    for x, labels in loader:
        optimizer.zero_grad()
        loss = model(x, labels)[0]{expected}
        loss.backward()
        optimizer.step()
"""
OF_TRANSFORMERS = {"base": "BertPreTrainedModel", "parameters": "self, config, freeze=False", "first": "self.bert = BertModel(config)"}
OF_DIFFUSERS = {"base": "ModelMixin", "parameters": "self, channels=4, dropout=0.0", "first": "self.channels = channels"}
OF_THE_HUB = {"base": "nn.Module, PyTorchModelHubMixin", "parameters": "self, width: int", "first": "self.width = width"}
SOFTMAX = "  # expect: LL701"
LEFT = "  # expect: LL301"

BASES = pytest.mark.parametrize("base", [OF_TRANSFORMERS, OF_DIFFUSERS, OF_THE_HUB], ids=["transformers", "diffusers", "hub"])


@BASES
@pytest.mark.parametrize(
    "built", ["Tagger.from_pretrained(args.path)", "MODELS[args.model][0].from_pretrained(args.path)"], ids=["by name", "of a table"]
)
def test_its_own_layers_and_forward_are_judged(base: dict[str, str], built: str) -> None:
    assert_marked(PROGRAM.format(**base, built=built, mode="model.train()", softmax=SOFTMAX, expected=""))


@BASES
def test_it_is_in_eval_mode(base: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**base, built="Tagger.from_pretrained(args.path)", mode="", softmax=SOFTMAX, expected=LEFT))


@BASES
def test_built_anew_it_is_in_train_mode(base: dict[str, str]) -> None:
    assert_marked(PROGRAM.format(**base, built="Tagger(args.path)", mode="", softmax=SOFTMAX, expected=""))
