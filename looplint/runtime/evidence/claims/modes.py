"""Train mode, eval mode and grad mode, and validation passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from looplint.runtime.evidence.claim import GRADIENTS, Claim, Observation
from looplint.runtime.evidence.questions import epochs_seen, most_alive, optimizers, states, within
from looplint.runtime.evidence.signals import Signal, share
from looplint.runtime.evidence.witness import Count, Place, Tally, Witness, mostly
from looplint.runtime.streams.stream import Event, Frame, Mark, Stream


def reached_forwards(stream: Stream) -> set[int]:
    """The forwards that some backward reached."""
    found = {n for e in stream.of("backward") for n in e.facts.get("forwards", ())}
    return found | {n for mark in stream.marked("grad") for n in mark.facts.get("forwards", ())}


def trained_in_eval(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> tuple[int, int]:
        reached = reached_forwards(stream)
        trained = [e for e in stream.of("forward") if e.n in reached and stream.things[e.object].facts.get("trainable")]
        return sum(not e.facts["training"] or e.facts.get("active", 1) < e.facts.get("moody", 1) for e in trained), len(trained)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, share(mine, whole), f"{mine} of {whole} training forwards ran in eval mode (repaired: {others})")


def where_trained_in_eval(stream: Stream) -> Iterator[Witness]:
    """LL301 and LL304: forwards in eval mode, once the module has been put there, whose gradients its optimizer used."""
    tally, evaluated, trained = Tally(), False, _trained(stream)
    settled = trained | {e.n for e in _settled(stream)}
    began = {e.object for e in stream.of("forward") if e.n in trained and e.facts["training"]}
    evals: dict[int, list[Event]] = {}  # by module: its calls of eval(), and its forwards in eval mode
    for event in stream.events:
        evaluated |= event.kind == "eval"
        if event.kind == "forward" and evaluated and event.n in settled:
            used = event.n in trained
            # Where a part is frozen, the rest is trained on outputs in eval mode on purpose: linear probing.
            bad = used and not event.facts["training"] and not event.facts.get("frozen")
            had_turn = any(_comes_back(event, other) for other in evals.get(event.object, ()))
            tally.add(event.stack, bad, event.object, decisive=stream.over or (used and had_turn))
        if event.kind == "eval" or (event.kind == "forward" and not _all_active(event)):
            evals.setdefault(event.object, []).append(event)
    say = "{} of {} forwards here, after an eval(), trained in eval mode"
    moody = {e.object for e in stream.of("forward") if e.facts.get("moody")}
    yield from tally.witnesses("LL301", lambda c: say.format(c.bad, c.whole), lambda c: c.objects <= began & moody)
    yield from tally.witnesses("LL304", lambda c: say.format(c.bad, c.whole))


def _all_active(forward: Event) -> bool:
    return bool(forward.facts["training"]) and forward.facts.get("active", 0) == forward.facts.get("moody", 0)


def _comes_back(forward: Event, evaluated: Event) -> bool:
    """Whether a forward is in a later epoch than the first, or in a loop in which its module was put in eval mode before: an eval() that stays on shows there."""
    later = bool(forward.batches) and forward.batches[-1][1] > 0
    return later or (bool(forward.loops) and forward.loops[0][:2] == next(iter(evaluated.loops), ("", 0, 0))[:2])


def _trained(stream: Stream) -> set[int]:
    """The forwards whose gradients a step used, of an optimizer that holds parameters of the module."""
    found: set[int] = set()
    modules = {e.n: e.object for e in stream.of("forward")}
    holders: dict[int, set[int]] = {}
    for event in stream.of("forward"):
        holders.setdefault(event.object, set()).update(event.facts.get("holders", ()))
    for optimizer in optimizers(stream):
        waiting: list[int] = []
        for event, _ in states(stream, optimizer):
            if event.kind == "backward":
                waiting += [n for n in event.facts.get("forwards", ()) if optimizer.id in holders.get(modules.get(n, 0), ())]
            elif event.kind in ("clear", "step"):
                found.update(waiting if event.kind == "step" else ())
                waiting = []
    return found


def _settled(stream: Stream) -> list[Event]:
    """The forwards whose iteration is over: in a run that was cut short, a backward might still have used those of the last one."""
    forwards = stream.of("forward")
    last = stream.events[-1] if stream.events else None
    if stream.over or last is None or not last.loops:
        return forwards
    return [e for e in forwards if not within(e, last)]


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


def where_measured(stream: Stream) -> Iterator[Witness]:
    """LL302 and LL303: forwards that no backward used, in train mode or with a graph."""
    mode, graph, reached = Tally(), Tally(), reached_forwards(stream)
    training = {loader for e in stream.of("backward") for loader, _, _ in e.batches}
    alone, branching, turned = set[Place](), set[Place](), epochs_seen(stream)
    for event in _settled(stream):
        if not stream.things[event.object].facts.get("parameters"):
            continue
        # Passes that only gather the statistics of batch norm are made in train mode, and use no output.
        unused = event.n not in reached and not event.facts.get("calibrates")
        # One place may serve training and validation: until the latter had its turn, forwards that were trained on refute nothing.
        decisive = unused or turned
        mode.add(event.stack, unused and event.facts["training"] and event.facts.get("active", 0) > 0, event.object, decisive=decisive)
        graph.add(event.stack, unused and bool(event.facts.get("graph")), event.object, decisive=decisive)
        if event.stack and unused and _validation(stream, event, training):
            alone.add((event.file, event.line))
            if stream.things[event.object].facts.get("branches"):
                branching.add((event.file, event.line))
    for code, tally, say in (
        ("LL302", mode, "{} of {} forwards here, which no backward used, ran with dropout or running statistics active"),
        ("LL303", graph, "{} of {} forwards here built a graph that no backward used"),
    ):
        for witness in tally.witnesses(code, partial(_said, say), mostly(1)):
            # A model that does other things in train mode may be there for its losses.
            reported = alone - branching if code == "LL302" else alone
            yield replace(witness, alone=witness.alone and (witness.file, witness.line) in reported)


def _validation(stream: Stream, event: Event, training: set[int]) -> bool:
    """Whether a forward belongs to a pass over data in which nothing is trained."""
    return bool(event.batches) and bool(training) and not any(loader in training for loader, _, _ in event.batches)


def _said(words: str, count: Count) -> str:
    return words.format(count.bad, count.whole)


def given_again(stream: Stream) -> Iterator[tuple[tuple[Frame, ...], bool, str]]:
    """Each place that a forward or a loss without a backward reached for several batches of one pass, and whether it got the same tensor each time."""
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


def where_batch_unused(stream: Stream) -> Iterator[Witness]:
    """LL306: places of a validation pass that got the same tensor for each batch. A difference does not refute it: another name may be the unused one."""
    tally = Tally()
    for stack, again, _ in given_again(stream):
        tally.add(stack, again, decisive=False)
    yield from tally.witnesses(
        "LL306", lambda c: f"in {c.bad} of {c.whole} validation passes this place got the same tensor for all batches"
    )


def dropped_in_eval(run: Stream, right: Stream) -> Signal:
    mine, others = ([bool(m.facts["in_eval"]) for m in s.marked("dropout")] for s in (run, right))
    text = f"{sum(mine)} of {len(mine)} measured dropouts dropped while their module was in eval mode (repaired: {sum(others)})"
    return Signal(sum(mine) > sum(others), share(sum(mine), len(mine)), text)


def where_dropped_in_eval(stream: Stream) -> Iterator[Witness]:
    """LL307: dropouts whose module is in eval mode."""
    tally = Tally()
    for mark in stream.marked("dropout"):
        tally.add(mark.stack, bool(mark.facts["in_eval"]), decisive=bool(mark.facts["in_eval"]))
    say = "{} of {} measured dropouts here dropped while their module was in eval mode"
    yield from tally.witnesses("LL307", partial(_said, say), lambda count: count.bad > 1)


CLAIMS = (
    Claim(
        "LL301",
        trained_in_eval,
        Observation(
            where_trained_in_eval,
            needs="a forward whose gradients a step uses, in a later epoch or loop turn than an eval() of its module, or the end of the script",
            confirms="a forward in eval mode whose gradients a step uses",
            channels=(*GRADIENTS, "forwards", "modes"),
            turns=1,
            cause="LL304",
        ),
    ),
    Claim(
        "LL302",
        measured_in_train,
        Observation(
            where_measured,
            needs="a forward that no backward uses, whose iteration is over, or a second epoch",
            confirms="a forward that no backward uses, with dropout or running statistics active",
            channels=("forwards", "backwards", "loaders"),
        ),
    ),
    Claim(
        "LL303",
        graph_for_nothing,
        Observation(
            where_measured,
            needs="a forward that no backward uses, whose iteration is over, or a second epoch",
            confirms="a forward that builds a graph which no backward uses",
            channels=("forwards", "backwards", "loaders"),
            compared=True,
        ),
    ),
    Claim(
        "LL304",
        trained_in_eval,
        Observation(
            where_trained_in_eval,
            needs="a forward whose gradients a step uses, in a later epoch or loop turn than an eval() of its module, or the end of the script",
            confirms="a forward in eval mode whose gradients a step uses",
            channels=(*GRADIENTS, "forwards", "modes"),
            turns=1,
        ),
    ),
    Claim(
        "LL306",
        batch_unused,
        Observation(
            where_batch_unused,
            needs="two batches of a pass over a loader that get the same tensor",
            confirms="a validation pass in which a forward or a loss gets the same tensor for each batch",
            channels=("forwards", "losses", "backwards", "loaders"),
        ),
    ),
    Claim(
        "LL307",
        dropped_in_eval,
        Observation(
            where_dropped_in_eval,
            needs="a dropout of a module in eval mode",
            confirms="a dropout that drops while its module is in eval mode",
            channels=("dropouts", "modes"),
        ),
    ),
)
