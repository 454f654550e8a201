"""Bugs of chance: LL904. The seed is set too late for the first weights."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.cycles import cycles
from benchmarks.mutation.mutant import Change
from benchmarks.mutation.roles import OPTIMIZERS, built, callee, trained_models
from benchmarks.mutation.script import MoveAfter, MoveBefore, Script

_GIVEN = ("pretrained", "weights", "state_dict", "apply(", "init.", "fork_rng", "set_rng_state", "Accelerator", "Fabric", "deepcopy")


def seed_after_model(script: Script) -> Iterator[Change]:
    """LL904. The seed is put behind the construction of the optimizer, or of the model.

    Real where the program seeds torch once, above the model in the same statement list, and the model keeps the weights that it draws.
    """
    seeds = [n for part in script.program for n in part.nodes if isinstance(n, ast.Call) and "seed" in ast.unparse(n.func).lower()]
    torch_seeds = [
        s for s in script.statements() if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and callee(s.value) == "manual_seed"
    ]
    others = [n for n in seeds if ast.unparse(n.func).split(".")[0] not in ("np", "numpy", "random") and "cuda" not in ast.unparse(n.func)]
    if len(others) != 1 or len(torch_seeds) != 1 or any(word in part.source for part in script.program for word in _GIVEN):
        return
    (seed,) = torch_seeds
    body = script.bodies[seed]
    models, stepped = trained_models(script), {c.optimizer for c in cycles(script)}
    for name, stmt, _ in built(script, OPTIMIZERS):
        if name not in models or name not in stepped or script.bodies[stmt] is not body or stmt.lineno < seed.lineno:
            continue
        model = next(
            (s for s in body if isinstance(s, ast.Assign) and ast.unparse(s.targets[0]) == models[name] and isinstance(s.value, ast.Call)),
            None,
        )
        if model is not None and seed.lineno < model.lineno < stmt.lineno:
            # What is drawn between the seed's old place and the model is another matter: the weights must not hang on it.
            right = (MoveBefore(seed, _first_drawn(body, seed, set(models.values()))),)
            yield Change("the seed put after the optimizer", (MoveAfter(seed, stmt),), right)
            yield Change("the seed put after the model", (MoveAfter(seed, model),), right)


def _first_drawn(body: list[ast.stmt], seed: ast.stmt, models: set[str]) -> ast.stmt:
    """The first statement below the seed that builds a model, or a layer that one is built of."""
    below = [s for s in body if isinstance(s, ast.Assign) and s.lineno > seed.lineno]
    wanted, found = set(models), []
    for stmt in reversed(below):
        names = {ast.unparse(t) for target in stmt.targets for t in (target.elts if isinstance(target, ast.Tuple) else [target])}
        if names & models or (names & wanted and "nn." in ast.unparse(stmt.value)):
            found.append(stmt)
            wanted |= {n.id for n in ast.walk(stmt.value) if isinstance(n, ast.Name)}
    return found[-1]
