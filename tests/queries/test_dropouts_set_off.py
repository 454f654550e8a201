"""A program that sets the rate of all dropouts of a model to 0 has a model whose modes do not differ, unless it normalises over the batch."""

import pytest

from programs import assert_marked

_PROGRAM = """
{off}

def evaluate(model, loader):
    losses = []
    with torch.no_grad():
        for x, y in loader:
            losses.append(nn.functional.mse_loss(model(x), y).item()){mark}
    print(sum(losses) / len(losses))

def main(loader, valid, args):
    model = {model}
    {call}
    opt = torch.optim.Adam(model.parameters())
    model.train()
    for epoch in range(3):
        for x, y in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            opt.step()
        evaluate(model, valid)
"""
_LAYERS = "nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5), nn.Linear(3, 1))"
_NORMED = "nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))"
_LOOP = """
def off(model):
    for module in model.modules():
        if isinstance(module, (nn.Dropout, nn.Dropout2d)):
            module.p = {rate}
"""
_NAMED = """
def off(model):
    for name, module in model.named_modules():
        if type(module) is nn.Dropout:
            setattr(module, "p", 0.0)
"""
_RECURSIVE = """
def off(model):
    for child in model.children():
        if isinstance(child, nn.Dropout):
            child.p = 0
        else:
            off(child)
"""
_APPLIED = """
def set_off(module):
    if isinstance(module, nn.Dropout):
        module.p = 0.0

def off(model):
    model.apply(set_off)
"""
_APPLIED_HALF = _APPLIED.replace("0.0", "0.5")
_SOME = """
def off(model):
    for name, module in model.named_modules():
        if isinstance(module, nn.Dropout) and "embed" in name:
            module.p = 0
"""
_ONE = """
def off(model):
    model[1].p = 0
"""
_BACK = _LOOP.format(rate="0") + _LOOP.format(rate="0.1").replace("off", "on")


@pytest.mark.parametrize("model", [_LAYERS, "Net.from_pretrained('base')"], ids=["layers", "out of sight"])
@pytest.mark.parametrize("off", [_LOOP.format(rate="0"), _LOOP.format(rate="0.0"), _NAMED, _RECURSIVE, _APPLIED])
def test_is_quiet_about_the_mode_of_a_model_without_rates(off: str, model: str) -> None:
    assert_marked("from transformers import AutoModel as Net\n" + _PROGRAM.format(off=off, model=model, call="off(model)", mark=""))


def test_is_quiet_where_each_part_of_the_model_loses_its_rates() -> None:
    model = f"nn.Sequential({_LAYERS}, nn.ReLU())"
    program = _PROGRAM.format(off=_LOOP.format(rate="0"), model=model, call="for part in [model]:\n        off(part)", mark="")
    assert_marked(program)


@pytest.mark.parametrize(
    ("off", "model", "call"),
    [
        pytest.param("", _LAYERS, "pass", id="nothing sets a rate"),
        pytest.param(_LOOP.format(rate="0"), _NORMED, "off(model)", id="batch norm"),
        pytest.param(_LOOP.format(rate="0.1"), _LAYERS, "off(model)", id="another rate"),
        pytest.param(_LOOP.format(rate="0"), _LAYERS, "if args.plain:\n        off(model)", id="by an option"),
        pytest.param(_LOOP.format(rate="0"), _LAYERS, "off(nn.Sequential(nn.Dropout()))", id="another model"),
        pytest.param(_APPLIED_HALF, _LAYERS, "off(model)", id="another rate for each part"),
        pytest.param(_SOME, _LAYERS, "off(model)", id="some of them"),
        pytest.param(_BACK, _LAYERS, "off(model); on(model)", id="set back"),
        pytest.param(_LOOP.format(rate="0"), "nn.LSTM(3, 3, 2, dropout=0.5)", "off(model)", id="a rate of another layer"),
    ],
)
def test_reports_a_model_whose_modes_differ(off: str, model: str, call: str) -> None:
    assert_marked(_PROGRAM.format(off=off, model=model, call=call, mark="  # expect: LL302"))
