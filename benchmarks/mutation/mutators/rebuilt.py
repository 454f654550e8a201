"""Bugs of what is built twice: LL206. The optimizer is built anew behind its scheduler, which keeps the old one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import OPTIMIZERS, SCHEDULERS, built, events
from benchmarks.mutation.script import After, Before, Script


def scheduler_of_other_optimizer(script: Script) -> Iterator[Change]:
    """LL206. The statement that builds the optimizer stands a second time: behind the scheduler, or above the loop.

    Real where both are built once, one after the other in one statement list, the optimizer steps in the program, the scheduler is stepped
    in a loop, and nobody sets a rate by hand.
    """
    if any('["lr"]' in part.source or "['lr']" in part.source for part in script.program):
        return
    optimizers, schedulers = list(built(script, OPTIMIZERS)), list(built(script, SCHEDULERS))
    stepped = {c.optimizer for part in script.program for c in cycles(part)}
    scheduled = {e.who for part in script.program for e in events(part) if e.kind == "schedule" and part.loops(e.stmt)}
    for name, stmt, call in schedulers:
        body = script.bodies[stmt]
        given = ast.unparse(call.args[0]) if call.args else ""
        own = [s for n, s, _ in optimizers if n == given]
        if len(own) != 1 or own[0] not in body or body.index(own[0]) > body.index(stmt) or given not in stepped or name not in scheduled:
            continue
        if sum(n == name for n, _, _ in schedulers) != 1 or script.loops(stmt):
            continue
        again = script.text(own[0])
        yield Change("the optimizer built again behind the scheduler", (After(stmt, again),))
        loop = next((s for s in body[body.index(stmt) + 1 :] if isinstance(s, ast.For | ast.While)), None)
        if loop is not None:
            yield Change("the optimizer built again before the loop", (Before(loop, again),))
