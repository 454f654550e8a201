"""What a container ends in, where the number of its parts is not known: the last layer of a network that a loop builds."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        import sys


        class Block(nn.Module):
            def __init__(self, activation):
                super().__init__()
                self.fc = nn.Linear(8, 8)
                self.activation = activation

            def forward(self, x):
                return self.activation(self.fc(x))


        class Net(nn.Module):
            def __init__(self, depth):
                super().__init__()
                BUILD

            def forward(self, x):
                FORWARD


        net = Net(len(sys.argv))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in data:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(net(x), y)MARK
            loss.backward()
            opt.step()
        """
TAB = " " * 16
LIST = ["layers = []", "for i in range(depth):", "    layers.append(nn.Linear(8, 8))", "    layers.append(nn.ReLU())"]
SPREAD, HANDED = "self.layers = nn.Sequential(*layers)", "self.layers = nn.ModuleList(layers)"
PARTS = ["self.layers = nn.ModuleList()", "for i in range(depth):", "    self.layers.append(Block(torch.relu))"]
SOFTMAX, LAST = "layers.append(nn.Softmax(dim=1))", "self.layers.append(nn.Softmax(dim=1))"
APPLY, THROUGH = ["return self.layers(x)"], ["for layer in self.layers:", "    x = layer(x)", "return x"]
ENDS = {
    "a list that is spread": ([*LIST, SOFTMAX, SPREAD], APPLY),
    "a list that is handed over": ([*LIST, SOFTMAX, HANDED], THROUGH),
    "added at once": ([*LIST, "layers += [nn.Linear(8, 3), nn.Softmax(dim=1)]", SPREAD], APPLY),
    "behind those of a list": ([*LIST, "self.layers = nn.Sequential(*layers, nn.Softmax(dim=1))"], APPLY),
    "by a name": (["self.layers = nn.Sequential()", *PARTS[1:2], "    self.layers.add_module(str(i), nn.Linear(8, 8))",
                   'self.layers.add_module("last", nn.Softmax(dim=1))'], APPLY),
    "parts of a list of modules": ([*PARTS, LAST], THROUGH),
    "a block with an activation": ([*PARTS, "self.layers.append(Block(nn.Softmax(dim=1)))"], THROUGH),
    "numbered": ([*PARTS, LAST], ["for i, layer in enumerate(self.layers):", *THROUGH[1:]]),
    "the last one by itself": ([*PARTS, LAST], ["for layer in self.layers[:-1]:", "    x = layer(x)", "return self.layers[-1](x)"]),
}  # fmt: skip
OTHERS = {
    "none at the end": ([*LIST, SOFTMAX, "layers.append(nn.Linear(8, 3))", SPREAD], APPLY),
    "none at the end of the parts": ([*PARTS, LAST, "self.layers.append(nn.Linear(8, 3))"], THROUGH),
    "under a condition": ([*LIST, f"if depth > 2: {SOFTMAX}", SPREAD], APPLY),
    "under a condition, of the parts": ([*PARTS, f"if depth > 2: {LAST}"], THROUGH),
    "more under a condition": ([*LIST, SOFTMAX, "if depth > 2: layers.append(nn.Linear(8, 3))", SPREAD], APPLY),
    "at the front": ([*LIST, "layers.insert(0, nn.Softmax(dim=1))", SPREAD], APPLY),
    "in the loop": ([*LIST, f"    {SOFTMAX}", "    layers.append(nn.Linear(8, 8))", SPREAD], APPLY),
    "taken out again": ([*LIST, SOFTMAX, "layers.pop()", SPREAD], APPLY),
    "replaced": ([*PARTS, LAST, "self.layers[-1] = nn.Linear(8, 3)"], THROUGH),
    "the loop ends before it": ([*PARTS, LAST], ["for layer in self.layers:", "    if x.sum() > 1: break", "    x = layer(x)", "return x"]),
    "another one after it": ([*PARTS, LAST, "self.head = nn.Linear(8, 3)"], [*THROUGH[:2], "return self.head(x)"]),
}  # fmt: skip
LISTS = {
    "each": "loss = sum(nn.functional.cross_entropy(out, y) for out in net(x))",
    "the last": "loss = nn.functional.cross_entropy(net(x)[-1], y)",
    "one by its number": "loss = nn.functional.cross_entropy(net(x)[number], y)",
}


def _program(parts: tuple[list[str], list[str]], mark: str) -> str:
    build, forward = (f"\n{TAB}".join(lines) for lines in parts)
    return PROGRAM.replace("BUILD", build).replace("FORWARD", forward).replace("MARK", mark)


@pytest.mark.parametrize("parts", ENDS.values(), ids=ENDS)
def test_what_it_ends_in(parts: tuple[list[str], list[str]]) -> None:
    assert_marked(_program(parts, "  # expect: LL701"))


@pytest.mark.parametrize("parts", OTHERS.values(), ids=OTHERS)
def test_where_that_is_not_known(parts: tuple[list[str], list[str]]) -> None:
    assert_marked(_program(parts, ""))


@pytest.mark.parametrize("loss", LISTS.values(), ids=LISTS)
def test_a_list_of_outputs(loss: str) -> None:
    forward = ["outs = []", "for layer in self.layers:", "    outs.append(layer(x).softmax(1))"]
    one_kind, two_kinds = ["return outs"], ["outs.append(self.layers[0](x))", "return outs"]
    for end, mark in ((one_kind, "  # expect: LL701"), (two_kinds, "")):
        program = _program((PARTS, [*forward, *end]), mark)
        assert_marked(program.replace("loss = nn.functional.cross_entropy(net(x), y)", loss))
