"""Scripts of kinds that hooks could disturb: what is compiled from the text of a hooked function, deep recursions, unusual tensors and classes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from looplint.runtime.evidence.joining import failures, witnesses
from looplint.runtime.streams.record import Options, record
from looplint.runtime.streams.warm import Warm

pytestmark = pytest.mark.slow

START = """
    import torch
    from torch import nn
    from torch.nn import functional as F
    torch.manual_seed(0)
"""
LEARN = """
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(4):
        optimizer.zero_grad()
        loss = net(*given).pow(2).mean()
        loss.backward()
        optimizer.step()
    print(loss.item())
"""
SCRIPTS = {
    "TorchScript of functions that are hooked": """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(4, 3)
        def forward(self, x, y):
            x = F.dropout(self.first(x), 0.5, self.training)
            return F.cross_entropy(x, y) + F.scaled_dot_product_attention(x[None], x[None], x[None]).sum()
    net, given = torch.jit.script(Net()), (torch.randn(8, 4), torch.randint(0, 3, (8,)))
    @torch.jit.script
    def loss_of(x, y):
        return F.binary_cross_entropy_with_logits(x, y)
    print(loss_of(torch.zeros(3), torch.ones(3)), torch.jit.script(F.cross_entropy)(torch.eye(3), torch.arange(3)))
    """
    + LEARN,
    "TorchScript of layers": """
    net = torch.jit.script(nn.TransformerEncoderLayer(4, 2, 8))
    given = (torch.randn(5, 2, 4),)
    """
    + LEARN,
    "a recursion that comes near to Python's limit": """
    class Deep(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.rest = Deep(depth - 1) if depth else nn.Identity()
        def forward(self, x):
            return self.rest(self.layer(x))
    net, given = Deep(230), (torch.randn(2, 4),)
    """
    + LEARN,
    "sparse, complex and half gradients": """
    table = nn.Embedding(10, 4, sparse=True)
    others = [nn.Parameter(torch.randn(3, dtype=dtype)) for dtype in (torch.complex64, torch.float64, torch.bfloat16)]
    optimizers = torch.optim.SparseAdam(table.parameters()), torch.optim.Adam(others)
    for i in range(6):
        for optimizer in optimizers:
            optimizer.zero_grad() if i % 2 else [p.grad.zero_() for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        (table(torch.tensor([1, 2, 2])).pow(2).sum() + sum(p.abs().sum().float() for p in others)).backward()
        nn.utils.clip_grad_value_(others[1:], 1.0)
        for optimizer in optimizers:
            optimizer.step()
    print(table.weight.sum().item(), others)
    """,
    "a mode that counts operations": """
    from collections import Counter
    from torch.utils._python_dispatch import TorchDispatchMode
    counted = Counter()
    class Counts(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            counted[str(function)] += 1
            return function(*args, **(kwargs or {}))
    net, given = nn.Linear(4, 3), (torch.randn(8, 4),)
    Counts().__enter__()
    """
    + LEARN
    + """
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    print(sorted(counted.items()))
    """,
    "classes that answer no question": """
    class Net(nn.Linear):
        def __len__(self):
            return 0
        def __getattr__(self, name):
            if name == "dropout":
                raise RuntimeError
            return super().__getattr__(name)
    class Optimizer(torch.optim.SGD):
        def __bool__(self):
            raise RuntimeError
    torch.optim.SGD = Optimizer
    net, given = Net(4, 3), (torch.randn(8, 4),)
    """
    + LEARN,
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_does_with_the_recorder_what_it_does_without(script: str, tmp_path: Path, warm: Warm) -> None:
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(START + SCRIPTS[script]))
    plain, recorded = (record(path, Options(seconds=60, hooks=hooks), warm.launch) for hooks in (False, True))
    assert plain.message == "ran to its end", plain.stderr
    assert (recorded.message, recorded.stdout) == (plain.message, plain.stdout), recorded.stderr
    assert failures(recorded.stream) == {}
    assert len(recorded.stream.of("step")) >= 4
    assert [w for w in witnesses(recorded.stream) if w.alone] == []


@pytest.mark.parametrize("output", [0, 1, 2])
def test_a_backward_may_come_through_any_output_of_a_forward(output: int, tmp_path: Path, warm: Warm) -> None:
    path = tmp_path / "script.py"
    source = f"""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = nn.ModuleList(nn.Linear(4, 3) for i in range(3))
        def forward(self, x):
            one, two, three = (part(x) for part in self.parts)
            return one, {{"rest": [two, three]}}
    net = Net()
    one, rest = net(torch.randn(8, 4))
    (one, *rest["rest"])[{output}].sum().backward()
    """
    path.write_text(textwrap.dedent(START + source))
    stream = record(path, Options(seconds=60), warm.launch).stream
    assert [e.facts["forwards"] for e in stream.of("backward")] == [[e.n for e in stream.of("forward")]]
