"""Programs made at random: of what training loops are made of, and of Python's grammar."""

from __future__ import annotations

import random
from collections.abc import Iterator

_CALLS = (
    "opt.zero_grad()", "opt.zero_grad(set_to_none=True)", "net.zero_grad()", "loss.backward()", "(loss / 4).backward(retain_graph=True)", "opt.step()",
    "opt.step(lambda: loss)", "sched.step()", "sched.step(loss)", "net.train()", "net.eval()", "net.train(flag)", "loss = crit(net(x), y)", "total += loss",
    "total += loss.item()", "hist.append(loss)", "hist.append(loss.detach())", "nn.utils.clip_grad_norm_(net.parameters(), 1.0)", "scaler.unscale_(opt)",
    "scaler.scale(loss).backward()", "scaler.step(opt)", "scaler.update()", "net.to('cpu')", "net = net.cuda()", "net.head = nn.Linear(1, 1)", "break",
    "continue", "return loss", "return", "opt = torch.optim.SGD(net.parameters(), lr=1)", "opt = torch.optim.AdamW([{'params': net.head.parameters()}])",
    "sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.1, 10)", "del loss", "del net, opt", "opt, net = net, opt", "net = nn.Sequential(net)",
    "x = [n for n in net.parameters()]", "f = lambda: opt.step()", "f()", "helper(net, opt)", "helper(*hist, **{'a': net})", "yield loss",
    "loss = yield from run(net, opt, loader, crit, sched, scaler, hist, flag)", "run(opt, net, loader, crit, sched, scaler, hist, flag)", "self.opt = opt",
    "self.opt.step()", "self.fit(net)", "torch.save(net.state_dict(), 'a.pt')", "net.load_state_dict(best)", "best = copy.deepcopy(net.state_dict())",
    "best = net.state_dict()", "for p in net.parameters(): p.requires_grad = False", "net.requires_grad_(False)", "y = net(x).argmax(1)", "x = x.to(device)",
    "out = nn.functional.softmax(net(x), dim=1)", "loss = nn.CrossEntropyLoss()(out, y)", "global net", "nonlocal net", "assert loss", "raise ValueError(loss)",
    "import torch as t", "t.autograd.grad(loss, net.parameters())", "net = getattr(self, name)", "exec(name)", "(opt := net.opt).step()", "loss: int = loss",
    "[o.step() for o in (opt, sched)]", "opts = {'a': opt}", "opts[name].step()", "await loss", "print(f'{loss:.3f} {opt.step()!r}')", "pass",
)  # fmt: skip
_HEADERS = (
    "for x, y in loader:", "for i, (x, y) in enumerate(loader):", "for i in range(3):", "while True:", "while loss > 0:", "if i % 4 == 0:", "if (i + 1) % n == 0:",
    "with torch.no_grad():", "with torch.inference_mode(), open(name) as f:", "with torch.autocast('cuda'):", "with torch.set_grad_enabled(flag):", "try:",
    "for net in [net, net]:", "for opt, sched in zip(opts, hist):", "if net is None:", "if isinstance(net, nn.Module):", "if flag:", "def inner(net=net, *a, **k):",
    "async def later(opt, /, net):", "@torch.no_grad()\ndef evaluated(net):", "class C(nn.Module):", "class T(Base, metaclass=M):", "match x:", "for phase in ['train', 'val']:",
    "with torch.enable_grad() as g, net.no_sync():", "async for x in loader:",
)  # fmt: skip
_HEAD = """\
import copy
import torch
from torch import nn


def helper(a, b=None, **k):
    return a


class Base:
    def fit(self, net):
        self.opt.step()

"""
_DEPTH = 5
# So many programs are made at a time.
_BATCH = 20


def loop_shaped(seed: int) -> str:
    """A program of what training loops are made of; not each is one that CPython compiles."""
    draw = random.Random(seed)
    text = _HEAD + "    def run(self, net, opt, loader, crit, sched, scaler, hist, flag, total=0):\n"
    text += "".join(f"        {line}\n" for line in _block(draw, 0))
    text += "\n\ndef run(net, opt, loader, crit, sched, scaler, hist, flag, total=0, self=None):\n"
    text += "".join(f"    {line}\n" for line in _block(draw, 0))
    return (
        text
        + "\n\nnet = nn.Linear(2, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nrun(net, opt, [], nn.MSELoss(), None, None, [], True)\n"
    )


def _block(draw: random.Random, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw.randint(1, 5)):
        if depth >= _DEPTH or draw.random() < 0.55:
            lines.append(draw.choice(_CALLS))
            continue
        header = draw.choice(_HEADERS)
        lines += header.split("\n")
        if header == "match x:":
            for case in ("case 1:", "case [net, *_] if flag:", "case {'a': opt}:", "case _:")[draw.randint(0, 3) :]:
                lines += [f"    {case}", *_indented(draw, depth + 1, 8)]
            continue
        lines += _indented(draw, depth, 4)
        if header == "try:":
            lines += draw.choice([["finally:"], ["except (ValueError, KeyError) as e:"], ["except Exception:"]])
            lines += _indented(draw, depth, 4)
        elif header.startswith(("if", "for", "while")) and draw.random() < 0.4:
            lines += ["else:", *_indented(draw, depth, 4)]
    return lines


def _indented(draw: random.Random, depth: int, blanks: int) -> list[str]:
    return [" " * blanks + line for line in _block(draw, depth + 1)]


def from_grammar(count: int) -> Iterator[str]:
    """Programs of Python's grammar, by hypothesmith, each between the beginning and the loop of a training script."""
    from hypothesis import HealthCheck, Phase, given, seed, settings
    from hypothesmith import from_grammar as programs

    from benchmarks.robustness.families import HEAD, LOOP

    found: list[str] = []
    generated = settings(
        max_examples=_BATCH, phases=[Phase.generate], database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    for batch in range(-(-count // _BATCH)):

        def collect(text: str) -> None:
            found.append(text)

        seed(batch)(generated(given(programs())(collect)))()
        yield from (f"{HEAD}{text}\n{LOOP}" for text in found[: count - batch * _BATCH])
        found.clear()
