"""Bugs that make every batch wait for the device: LP004, LP005, LL403."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import Cycle, cycles, enclosing_top
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.mutators.accelerated import accelerated, moved
from benchmarks.mutation.mutators.new_schedules import imports_torch
from benchmarks.mutation.roles import called_in_loop, callee, receiver
from benchmarks.mutation.script import After, Before, Replace, Script

_READING = frozenset(
    {"item", "tolist", "cpu", "numpy", "float", "int", "print", "format", "info", "write", "set_description", "set_postfix"}
)
_METER = """class Meter:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, count=1):
        self.total += value * count
        self.count += count


"""


def sync_every_batch(script: Script) -> Iterator[Change]:
    """LP004. Each batch of a training loop on an accelerator asks for its loss; or a script that asks for it moves to one.

    Real where nothing else in the loop reads a number unasked: the place is the first that waits.
    """
    move = () if accelerated(script) else moved(script)
    if move is None:
        return
    for cycle in _plain(script):
        loop, step = cycle.loop, cycle.step.stmt
        assert loop is not None
        loss = cycle.backwards[-1].who
        if _reads(script, cycle):
            if move and any(_records(script, s, loss) for s in loop.body):
                yield Change("a script that reads its loss moves to an accelerator", move, None)
            continue
        for form, start, line in (
            ("total += loss.item()", "read_so_far = 0.0", f"read_so_far += {loss}.item()"),
            ("total += float(loss)", "read_so_far = 0.0", f"read_so_far += float({loss})"),
            ("append(loss.item())", "read_so_far = []", f"read_so_far.append({loss}.item())"),
            ("append(loss.detach().cpu())", "read_so_far = []", f"read_so_far.append({loss}.detach().cpu())"),
            ("append(loss.detach().cpu().numpy())", "read_so_far = []", f"read_so_far.append({loss}.detach().cpu().numpy())"),
            ("extend(loss.tolist())", "read_so_far = []", f"read_so_far.append({loss}.tolist())"),
            ("print(loss.item())", "", f"print({loss}.item())"),
            ("print of an f-string", "", f'print(f"loss {{{loss}.item():.4f}}")'),
            ("print of the tensor", "", f'print("loss", {loss})'),
        ):
            before = (Before(loop, start),) if start else ()
            yield Change(form, (*move, *before, After(step, line)), None)
        meter = (
            Before(enclosing_top(script, loop), _METER),
            Before(loop, "meter_of_loss = Meter()"),
            After(step, f"meter_of_loss.update({loss}.item())"),
        )
        yield Change("a meter", (*move, *meter), None)
    for cycle in _plain(script):
        for report in _rare(script, cycle):
            if move == () and not _reads(script, cycle) and any(callee(c) == "item" for c in _calls(report)):
                yield Change("the condition on a report left out", (Replace(report, _body(script, report)),))


def empty_cache_in_loop(script: Script) -> Iterator[Change]:
    """LP005. The cached memory is given back in every batch: before or behind the batch's work, under its own name, or in a helper."""
    if "empty_cache" in "".join(part.source for part in script.program) or not imports_torch(script):
        return
    for cycle in _plain(script):
        assert cycle.loop is not None
        step, first, last = cycle.step.stmt, cycle.loop.body[0], cycle.loop.body[-1]
        top = enclosing_top(script, cycle.loop)
        call = "torch.cuda.empty_cache()"
        yield Change("behind the step", (After(step, call),), ())
        yield Change("at the head of the batch", (Before(first, call),), ())
        if last is not step and not isinstance(last, ast.Continue | ast.Break | ast.Return | ast.If):
            yield Change("at the end of the batch", (After(last, call),), ())
        yield Change("with the collector", (Before(top, "import gc\n"), After(step, f"gc.collect()\n{call}")), ())
        yield Change("the function imported", (Before(top, "from torch.cuda import empty_cache\n"), After(step, "empty_cache()")), ())
        yield Change("in a helper", (Before(top, f"def free_memory():\n    {call}\n\n\n"), After(step, "free_memory()")), ())
        yield Change("where there is a device", (After(step, f"if torch.cuda.is_available():\n    {call}"),), ())


def formatted_tensor(script: Script) -> Iterator[Change]:
    """LL403. A report in every batch loses its `.item()`, or one with the tensor is added, in the ways a text is made."""
    for cycle in _plain(script):
        loss, step = cycle.backwards[-1].who, cycle.step.stmt
        for form, line in (
            ("print(loss)", f"print({loss})"),
            ("print beside a text", f'print("loss:", {loss})'),
            ("an f-string", f'print(f"loss {{{loss}}}")'),
            ("an f-string with a format", f'print(f"loss {{{loss}:.4f}}")'),
            ("str.format", f'print("loss {{:.4f}}".format({loss}))'),
            ("the % operator", f'print("loss %.4f" % {loss})'),
            ("the % operator with a tuple", f'print("loss %.4f of %d" % ({loss}, 1))'),
            ("str()", f'print("loss " + str({loss}))'),
            ("a text with a name", f'line_of_loss = f"loss {{{loss}}}"\nprint(line_of_loss)'),
        ):
            yield Change(form, (After(step, line),), (After(step, line.replace(loss, f"{loss}.item()")),))
        for stmt in cycle.loop.body if cycle.loop is not None else ():
            if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call) and callee(stmt.value) == "print":
                for item in (c for c in _calls(stmt) if callee(c) == "item" and receiver(c) == loss):
                    yield Change("a report without its .item()", (Replace(item, loss),))
        for report in _rare(script, cycle):
            ops = tuple(Replace(c, loss) for c in _calls(report) if callee(c) == "item" and receiver(c) == loss)
            if ops:
                text = _body(script, report).replace(f"{loss}.item()", loss)
                yield Change("a report without .item(), in every batch", (Replace(report, text),))


def _plain(script: Script) -> Iterator[Cycle]:
    """The cycles whose step stands in the loop itself, behind the backward of a plain name, in a loop that epochs repeat."""
    for cycle in cycles(script):
        loop, backward = cycle.loop, cycle.backwards[-1]
        if (
            not isinstance(loop, ast.For)
            or script.bodies[cycle.step.stmt] is not loop.body
            or script.bodies[backward.stmt] is not loop.body
        ):
            continue
        scope = script.scope(loop)
        repeated = bool(script.loops(loop)) or (not isinstance(scope, ast.Module) and called_in_loop(script, scope))
        skipped = any(isinstance(n, ast.Continue | ast.Break | ast.Return) for s in loop.body for n in ast.walk(s))
        if backward.who.isidentifier() and repeated and not skipped:
            yield cycle


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in ast.walk(node) if isinstance(n, ast.Call))


def _reads(script: Script, cycle: Cycle) -> bool:
    """Whether a statement of the loop that no condition guards reads a number, as far as the text tells."""
    assert cycle.loop is not None
    return any(callee(c) in _READING for stmt in cycle.loop.body if not isinstance(stmt, ast.If) for c in _calls(stmt))


def _records(script: Script, stmt: ast.stmt, loss: str) -> bool:
    """`total += loss.item()`, `history.append(loss.item())`, `print(loss.item())`."""
    if not isinstance(stmt, ast.AugAssign | ast.Expr):
        return False
    return any(callee(c) == "item" and receiver(c) == loss for c in _calls(stmt))


def _rare(script: Script, cycle: Cycle) -> Iterator[ast.If]:
    """`if i % 100 == 0: print(...)`, and nothing but calls under it."""
    assert cycle.loop is not None
    for stmt in cycle.loop.body:
        if not isinstance(stmt, ast.If) or stmt.orelse or "%" not in ast.unparse(stmt.test):
            continue
        if all(isinstance(s, ast.Expr) for s in stmt.body) and any(callee(c) == "print" for c in _calls(stmt)):
            yield stmt


def _body(script: Script, stmt: ast.If) -> str:
    return "".join(script.dedented(s) for s in stmt.body)
