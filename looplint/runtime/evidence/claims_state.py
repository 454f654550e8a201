"""The claims of the rules on modes, logging, parameters, precision, losses, checkpoints and data (LL3 to LL9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from looplint.runtime.evidence.claims import Measure, Signal, most_alive, optimizers, share, steps_of
from looplint.runtime.streams.stream import Event, Frame, Mark, Stream, Thing

# What autograd says of a loss that has no graph.
GRAPHLESS = "does not require grad and does not have a grad_fn"

# Modes


def reached_forwards(stream: Stream) -> set[int]:
    """The forwards that some backward came through."""
    found = {n for e in stream.of("backward") for n in e.facts.get("forwards", ())}
    return found | {n for mark in stream.marked("grad") for n in mark.facts.get("forwards", ())}


def trained_in_eval(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> tuple[int, int]:
        reached = reached_forwards(stream)
        trained = [e for e in stream.of("forward") if e.n in reached and stream.things[e.object].facts["trainable"]]
        return sum(not e.facts["training"] or e.facts.get("active", 1) < e.facts.get("moody", 1) for e in trained), len(trained)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, share(mine, whole), f"{mine} of {whole} training forwards ran in eval mode (repaired: {others})")


def measured_in_train(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> tuple[int, int]:
        reached = reached_forwards(stream)
        measured = [e for e in stream.of("forward") if e.n not in reached and e.facts.get("moody")]
        return sum(e.facts["active"] > 0 for e in measured), len(measured)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(
        mine > others,
        share(mine, whole),
        f"{mine} of {whole} validation forwards ran with dropout or running statistics active (repaired: {others})",
    )


def graph_for_nothing(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> int:
        reached = reached_forwards(stream)
        return sum(bool(e.facts.get("graph")) for e in stream.of("forward") if e.n not in reached)

    mine, others = count(run), count(right)
    held = most_alive(run, "held_bytes")
    return Signal(
        mine > others,
        float(mine),
        f"{mine} forwards built a graph that no backward used (repaired: {others}); up to {held:,} bytes were held for one",
    )


def given_again(stream: Stream) -> Iterator[tuple[tuple[Frame, ...], bool, str]]:
    """Each place where, of several batches in one pass over a loader, a forward or a loss got something and no backward came of it; and whether it was the same."""
    reached = reached_forwards(stream)
    calls = [(e.stack, e.batches, e.facts["given"], "forwards") for e in stream.of("forward") if e.n not in reached and "given" in e.facts]
    calls += [(m.stack, _batches(m), m.facts["target"], "losses") for m in stream.marked("loss") if "target" in m.facts]
    found: dict[tuple[Frame, tuple[int, int], str], tuple[tuple[Frame, ...], dict[int, str]]] = {}
    for stack, batches, given, what in calls:
        if stack and batches:
            loader, number, batch = batches[-1]
            found.setdefault((stack[-1], (loader, number), what), (stack, {}))[1][batch] = given
    for (_, _, what), (stack, by_batch) in found.items():
        if len(by_batch) > 1:
            yield stack, len(set(by_batch.values())) == 1, what


def _batches(mark: Mark) -> tuple[tuple[int, int, int], ...]:
    return tuple((loader, number, batch) for loader, number, batch in mark.facts.get("loops", ()))


def batch_unused(run: Stream, right: Stream) -> Signal:
    same = [what for _, again, what in given_again(run) if again]
    others = sum(again for _, again, _ in given_again(right))
    text = f"in {len(same)} validation passes all {same[0] if same else 'forwards'} got the same tensor (repaired: {others})"
    return Signal(len(same) > others, float(len(same)), text)


# Logging


def nodes_grow(run: Stream, right: Stream) -> Signal:
    mine, others = most_alive(run, "nodes"), most_alive(right, "nodes")
    shown = mine > 2 * max(others, 1) and mine > others + 10
    return Signal(shown, float(mine), f"up to {mine:,} autograd nodes were alive between iterations (repaired: {others:,})")


# Which parameters the optimizer holds


def most_in_steps(stream: Stream, optimizer: Thing | None, fact: str) -> int:
    return max((int(s.facts.get(fact, 0)) for s in steps_of(stream, optimizer)), default=0) if optimizer else 0


def dead_parameters(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    orphans, displaced = most_in_steps(run, optimizer, "orphans"), most_in_steps(run, optimizer, "displaced")
    shown = orphans > most_in_steps(right, match, "orphans") or displaced > most_in_steps(right, match, "displaced")
    text = f"{orphans} of {optimizer.name}'s parameters are in no module that ran, the state of {displaced} is on another device or of another type"
    return Signal(shown, float(orphans + displaced), text)


def strays(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = most_in_steps(run, optimizer, "strays"), most_in_steps(right, match, "strays")
    return Signal(mine > others, float(mine), f"{mine} parameters get gradients and are held by no optimizer (repaired: {others})")


def model_forwards(run: Stream, right: Stream) -> Signal:
    """A forward that is called directly is no call of its module; those of its parts are, instead."""

    def count(stream: Stream) -> Counter[str]:
        return Counter(stream.things[e.object].kind for e in stream.of("forward") if stream.things[e.object].facts["parameters"])

    mine, others = count(run), count(right)
    passed_by = {kind: number - mine[kind] for kind, number in others.items() if number > mine[kind]}
    names = ", ".join(f"{number} of {others[kind]} calls of {kind}" for kind, number in passed_by.items())
    hooks = max((m.facts["hooks"] for m in run.marked("direct")), default=0)
    unrun = f"; {hooks} hook{'s' if hooks != 1 else ''} of it did not run" if hooks else ""
    direct = len(run.marked("direct"))
    text = f"{names or f'{direct} forwards' if direct else 'no forward'} went past the module's call{unrun}"
    return Signal(bool(passed_by) or hooks > 0, float(sum(passed_by.values()) or direct), text)


def dropped_casts(run: Stream, right: Stream) -> Signal:
    def changing(stream: Stream) -> list[str]:
        return [" to ".join(m.facts["forms"]) for m in stream.marked("cast") if m.facts["changes"]]

    found, whole = changing(run), len(run.marked("cast"))
    kinds = f" ({', '.join(sorted(set(found))[:3])})" if found else ""
    return Signal(
        bool(found) and not changing(right),
        float(len(found)),
        f"{len(found)} of {whole} conversions gave another tensor, which was dropped{kinds}",
    )


def held_parameters(run: Stream, right: Stream) -> Signal:
    mine, others = (sum(o.facts["parameters"] for o in optimizers(s)) for s in (run, right))
    return Signal(mine < others, float(mine), f"the optimizers hold {mine} parameters (repaired: {others})")


def all_frozen(run: Stream, right: Stream) -> Signal:
    """Steps of parameters that take no gradients; or the backward that fails where nothing does."""
    steps = run.of("step")
    found = sum(bool(e.facts.get("frozen")) for e in steps)
    failed = crashes("RuntimeError", GRAPHLESS)(run, right)
    if failed.shown:
        return failed
    return Signal(found > 0, share(found, len(steps)), f"{found} of {len(steps)} steps were of parameters that are all frozen")


def crashes(kind: str, words: str) -> Measure:
    """A claim that the script fails with a certain error."""

    def signal(run: Stream, right: Stream) -> Signal:
        error = run.end.get("error") or {}
        shown = error.get("type") == kind and words in error.get("message", "")
        return Signal(shown, None, f"{error['type']}: {error['message'][:120]}" if error else "no error")

    return signal


# Mixed precision


def clipped_while_scaled(run: Stream, right: Stream) -> Signal:
    scaled, found, clips = False, 0, 0
    for event in run.events:
        if event.kind == "backward":
            scaled = "scaler" in event.facts
        elif event.kind == "unscale":
            scaled = False
        elif event.kind == "clip":
            clips += 1
            found += scaled
    return Signal(found > 0, share(found, clips), f"{found} of {clips} clips met gradients that were still scaled")


def never_updated(run: Stream, right: Stream) -> Signal:
    steps = [e for e in run.of("step") if "scaler" in e.facts]
    updates = len(run.of("update"))
    return Signal(len(steps) > 0 and updates == 0, float(updates), f"{len(steps)} scaler steps, {updates} updates; the run {run.outcome}")


def half_unscaled(run: Stream, right: Stream) -> Signal:
    half = {e.n for e in run.of("forward") if e.facts.get("autocast") == "float16"}
    found = sum(bool(half & set(e.facts.get("forwards", ()))) and "scaler" not in e.facts for e in run.of("backward"))
    return Signal(found > 0, float(found), f"{found} backwards went unscaled through float16 forwards")


def scaler_bypassed(run: Stream, right: Stream) -> Signal:
    scaled, found, steps = False, 0, 0
    for event in run.events:
        if event.kind == "backward":
            scaled = "scaler" in event.facts
        elif event.kind == "step":
            steps += 1
            found += scaled and "scaler" not in event.facts
    return Signal(found > 0, share(found, steps), f"{found} of {steps} steps on a scaled loss's gradients bypassed the scaler")


# Losses, checkpoints, data


def loss_input(function: str, fact: str, words: str) -> Measure:
    def signal(run: Stream, right: Stream) -> Signal:
        marks = [m for m in run.marked("loss") if m.facts["function"] == function]
        found = sum(bool(m.facts.get(fact)) for m in marks)
        return Signal(
            found > 0 and found >= 0.5 * len(marks),
            share(found, len(marks)),
            f"{found} of {len(marks)} measured inputs of {function} {words}",
        )

    return signal


def restores_itself(run: Stream, right: Stream) -> Signal:
    loads = run.of("load", where=lambda e: e.facts.get("tensors", 0) > 0)
    shared = sum(e.facts.get("shared", 0) > 0 for e in loads)
    return Signal(shared > 0, float(shared), f"{shared} of {len(loads)} restored states were the model's own storage")


def restored(stream: Stream) -> list[Event]:
    """The loads that gave a module its tensors."""
    return stream.of("load", where=lambda e: e.facts.get("tensors", 0) > 0)


def first_steps(stream: Stream) -> dict[int, int]:
    """The number of each optimizer's first step, by the optimizer's own."""
    first: dict[int, int] = {}
    for step in stream.of("step"):
        first.setdefault(step.object, step.n)
    return first


def given_states(stream: Stream) -> set[int]:
    """The objects that were given a state by load_state_dict."""
    return {e.object for e in stream.of("load") if e.facts.get("function") == "load_state_dict"}


def states_left(stream: Stream) -> list[tuple[Event, bool]]:
    """The states that a program took of its modules, each with whether the module was never given one after that."""
    given = restored(stream)
    taken = stream.of("save", where=lambda e: e.object > 0 and e.facts.get("function") == "state_dict")
    return [(e, not any(load.object == e.object and load.n > e.n for load in given)) for e in taken]


def never_given_back(run: Stream, right: Stream) -> Signal:
    mine, others = states_left(run), states_left(right)
    left, rest = sum(bad for _, bad in mine), sum(bad for _, bad in others)
    return Signal(
        left > rest, share(left, len(mine)), f"{left} of {len(mine)} states that were taken were never given back (repaired: {rest})"
    )


def resumed_without_state(run: Stream, right: Stream) -> Signal:
    told, first, loads = given_states(run), first_steps(run), restored(run)
    anew = [o for o, n in first.items() if o not in told and any(e.n < n for e in loads)]
    return Signal(
        bool(anew), float(len(anew)), f"{len(anew)} of {len(first)} optimizers began without a state after a model's was restored"
    )


def goes_on_anew(stream: Stream) -> Iterator[tuple[Event, list[str]]]:
    """The loads of an optimizer's state before it steps, each with the schedulers and scalers of it that begin anew after that."""
    told = given_states(stream)
    for load in stream.of("load", where=lambda e: e.facts.get("function") == "load_state_dict"):
        steps = [e for e in stream.of("step") if e.object == load.object and e.n > load.n]
        if not steps:
            continue
        first: dict[int, Event] = {}
        for event in stream.of("schedule"):
            if event.n > steps[0].n and event.facts.get("optimizer") == load.object:
                first.setdefault(event.object, event)
        anew = [number for number, event in first.items() if event.facts.get("count") == 1]
        anew += sorted({e.facts["scaler"] for e in steps if e.facts.get("scaler")})
        yield load, [stream.things[number].name for number in anew if number not in told]


def resumed_anew(run: Stream, right: Stream) -> Signal:
    names = [name for _, anew in goes_on_anew(run) for name in anew]
    others = sum(len(anew) for _, anew in goes_on_anew(right))
    text = f"after an optimizer's state was restored, {', '.join(names) or 'nothing'} began anew (repaired: {others})"
    return Signal(len(names) > others, float(len(names)), text)


def placed_by_file(run: Stream, right: Stream) -> Signal:
    loads = run.of("load", where=lambda e: e.facts.get("function") == "torch.load")
    found = sum(not e.facts.get("map_location") for e in loads)
    return Signal(found > 0, float(found), f"{found} of {len(loads)} files were loaded to where they had been saved from")


def in_order(run: Stream, right: Stream) -> Signal:
    trained = {loader for e in run.of("backward") for loader, _, _ in e.batches}
    names = [f"{run.things[n].name} ({run.things[n].facts['sampler']})" for n in sorted(trained)]
    found = [n for n in trained if run.things[n].facts["sampler"] == "SequentialSampler"]
    return Signal(bool(found), float(len(found)), f"training batches came from {', '.join(names) or 'no loader'}")


def both_flags(run: Stream, right: Stream) -> Signal:
    flags = run.end.get("flags", {})
    return Signal(
        bool(flags.get("benchmark") and flags.get("deterministic")),
        None,
        f"benchmark {flags.get('benchmark')}, deterministic {flags.get('deterministic')}",
    )


def backwards_left(stream: Stream) -> int:
    """How many backwards came after the last step."""
    last = max((e.n for e in stream.of("step")), default=0)
    return len(stream.of("backward", where=lambda e: e.n > last))


def left_over(run: Stream, right: Stream) -> Signal:
    mine, others = backwards_left(run), backwards_left(right)
    return Signal(mine > others, float(mine), f"{mine} backwards came after the last step (repaired: {others})")


def seeded_late(run: Stream, right: Stream) -> Signal:
    seeds = run.marked("seed")
    drawn = seeds[0].facts["parameters"] if seeds else 0
    return Signal(drawn > 0, float(drawn), f"{drawn} parameters were there when the first seed was set")


def epoch_never_set(run: Stream, right: Stream) -> Signal:
    distributed = [m for m in run.marked("pass") if run.things[m.facts["object"]].facts["sampler"] == "DistributedSampler"]
    told = len(run.marked("set_epoch"))
    return Signal(
        len(distributed) > 1 and told == 0, float(told), f"{len(distributed)} passes over a distributed sampler, {told} calls of set_epoch"
    )
