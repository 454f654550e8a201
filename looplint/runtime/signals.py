"""What each rule claims a run shows, measured on recorded streams.

A signal gets the stream of the run in question and the stream of the expert's repair, and says whether the run shows the rule's damage.
The repair's stream is the measure for what is only large or small by comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from looplint.runtime.stream import Event, Stream, Thing

EARLY = 50  # steps over which two runs are compared: later on they have gone different ways


@dataclass(frozen=True, slots=True)
class Signal:
    """Whether a run shows what the rule claims, by how much, and in words."""

    shown: bool
    value: float | None
    text: str


Measure = Callable[[Stream, Stream], Signal]


def optimizers(stream: Stream) -> list[Thing]:
    return stream.with_role("optimizer")


def steps_of(stream: Stream, optimizer: Thing) -> list[Event]:
    return stream.of("step", where=lambda e: e.object == optimizer.id and not e.facts.get("skipped"))


def concerns(event: Event, optimizer: Thing) -> bool:
    return event.object == optimizer.id or optimizer.id in event.facts.get("holders", ())


def empty(step: Event) -> bool:
    """Whether a step found no gradients, or only zeros."""
    return step.facts["grads"] == 0 or step.facts.get("norm") == 0.0


def unchanged(stream: Stream, optimizer: Thing) -> bool:
    """Whether the optimizer's parameters end bitwise as they began."""
    for entry in stream.end.get("optimizers", ()):
        if entry["object"] == optimizer.id and entry["start"]:
            return bool(entry["start"] == entry["end"])
    return False


def norms(stream: Stream, optimizer: Thing) -> list[float]:
    """The gradient norm that each early step would have used, had nothing clipped it."""
    found: list[float] = []
    clipped: float | None = None
    for event in stream.events:
        if event.kind == "clip" and concerns(event, optimizer) and event.facts["function"] == "clip_grad_norm_":
            clipped = event.facts.get("norm") if event.facts["grads"] else None
        elif event.kind == "step" and event.object == optimizer.id:
            norm = clipped if clipped is not None else event.facts.get("norm")
            if norm is not None:
                found.append(norm)
            clipped = None
    return found[:EARLY]


def worst(signals: Iterable[Signal], otherwise: str) -> Signal:
    """The signal that shows most."""
    return max(signals, key=lambda s: (s.shown, abs(s.value or 0.0)), default=Signal(False, None, otherwise))


def per_optimizer(measure: Callable[[Stream, Thing, Stream, Thing | None], Signal]) -> Measure:
    """A signal of single optimizers: the run shows it when one of them does; they are matched with the repair's by the order they were built in."""

    def signal(run: Stream, right: Stream) -> Signal:
        matches = optimizers(right)
        pairs = [(o, matches[i] if i < len(matches) else None) for i, o in enumerate(optimizers(run))]
        return worst((measure(run, o, right, match) for o, match in pairs), "no optimizer was built")

    return signal


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# The gradient cycle


def _steps_use_nothing(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    hollow = sum(empty(step) for step in steps)
    still = ", parameters unchanged" if unchanged(run, optimizer) else ""
    text = f"{hollow} of {len(steps)} steps found no gradient{still}"
    backward = bool(run.of("backward"))
    return Signal(backward and bool(steps) and hollow / len(steps) >= 0.5, share(hollow, len(steps)), text)


def _gradients_add_up(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    stale, after_step, cleared, steps = 0, False, False, 0
    for event in run.events:
        if event.kind == "step" and event.object == optimizer.id:
            after_step, cleared, steps = True, False, steps + 1
        elif event.kind == "clear" and concerns(event, optimizer):
            cleared = True
        elif event.kind == "backward" and after_step:
            stale += not cleared and event.facts["before"].get(str(optimizer.id), 0) > 0
            after_step = False
    mine, others = norms(run, optimizer), norms(right, match) if match else []
    ratio = fmean(mine) / fmean(others) if mine and others and fmean(others) > 0 else None
    grown = f", the norm before a step is {ratio:.2f} times that of the cleared loop" if ratio is not None else ""
    shown = steps > 1 and stale >= 0.5 * (steps - 1) and ratio is not None and ratio > 1.1
    return Signal(shown, ratio, f"{stale} of {steps} steps left their gradients to the next backward{grown}")


def _beyond_the_clip(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    limit: float | None = None
    kind, over, most, steps = "norm", 0, 0.0, 0
    clips = [e for e in run.of("clip") if concerns(e, optimizer) or (not e.facts["holders"] and not e.facts["grads"])]
    for clip in clips[:1]:
        kind = "norm" if clip.facts["function"] == "clip_grad_norm_" else "largest"
        limit = clip.facts.get("max_norm" if kind == "norm" else "clip_value")
    if limit is None:
        return Signal(False, None, f"{optimizer.name} is not clipped")
    for step in steps_of(run, optimizer):
        value = step.facts.get(kind)
        if value is not None:
            steps += 1
            over += value > limit * 1.001
            most = max(most, value / limit if limit else 0.0)
    what = "gradient norm" if kind == "norm" else "gradient entry"
    return Signal(over > 0, most, f"{over} of {steps} measured steps used a {what} above the limit of {limit:g} (up to {most:.3g} times it)")


def _first_step_before_backward(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    if not steps:
        return Signal(False, None, "no step")
    later = [e for e in run.of("backward") if e.n > steps[0].n]
    shown = empty(steps[0]) and bool(later)
    hollow = sum(empty(step) for step in steps)
    return Signal(shown, float(hollow), f"the first step found {'no' if empty(steps[0]) else 'its'} gradient; {hollow} of {len(steps)} steps were lost")


def _never_steps(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    backwards, steps = len(run.of("backward")), len(steps_of(run, optimizer))
    still = unchanged(run, optimizer)
    shown = backwards > 0 and steps == 0 and still
    return Signal(shown, float(backwards), f"{backwards} backwards, {steps} steps of {optimizer.name}, parameters {'un' if still else ''}changed")


def _never_filled(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    steps = steps_of(run, optimizer)
    hollow, still = sum(empty(step) for step in steps), unchanged(run, optimizer)
    return Signal(bool(steps) and hollow == len(steps) and still, float(hollow), f"{hollow} of {len(steps)} steps found no gradient, parameters {'un' if still else ''}changed")


def _accumulated_norm(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = norms(run, optimizer), norms(right, match) if match else []
    if not mine or not others or not others[0]:
        return Signal(False, None, "no step to compare")
    first = steps_of(run, optimizer)[0]
    backwards = sum(e.n < first.n for e in run.of("backward"))
    ratio = mine[0] / others[0]
    return Signal(ratio > 1.5, ratio, f"at the first step, after {backwards} backwards, the gradient norm is {ratio:.3f} times that of the scaled loop")


def _retained(run: Stream, right: Stream) -> Signal:
    mine, others = _most(run, "held_bytes"), _most(right, "held_bytes")
    retained = sum(bool(e.facts.get("retain_graph")) for e in run.of("backward"))
    text = f"{retained} backwards kept their graph; up to {mine:,} bytes of saved tensors outlive the iteration (repaired: {others:,})"
    return Signal(retained > 0 and mine > 1.5 * others, float(mine), text)


def _most(stream: Stream, fact: str) -> int:
    return max((int(mark.facts.get(fact, 0)) for mark in stream.marked("graph")), default=0)


# The schedule


def _rates(stream: Stream) -> list[float]:
    return [e.facts["lr"][0] for e in stream.of("step") if e.facts.get("lr") and e.facts["lr"][0] is not None]


def _too_often(run: Stream, right: Stream) -> Signal:
    mine, others = len(run.of("schedule")), len(right.of("schedule"))
    rates = _rates(run)
    changes = sum(a != b for a, b in zip(rates, rates[1:], strict=False))
    return Signal(mine >= 1.5 * others > 0, share(mine, others), f"{mine} schedule steps instead of {others}; the learning rate changed {changes} times")


def _too_seldom(run: Stream, right: Stream) -> Signal:
    mine, others = len(run.of("schedule")), len(right.of("schedule"))
    ends = ", ".join(f"{name} ends at {rates[-1]:.3g}" for name, rates in (("it", _rates(run)), ("the repaired one", _rates(right))) if rates)
    return Signal(0 < 1.5 * mine <= others, share(mine, others), f"{mine} schedule steps instead of {others}; {ends}")


def _first_value_skipped(run: Stream, right: Stream) -> Signal:
    def early(stream: Stream) -> list[Event]:
        """Schedule steps that came before their optimizer's first step."""
        first: dict[int, int] = {}
        for step in stream.of("step"):
            first.setdefault(step.object, step.n)
        return [e for e in stream.of("schedule") if e.facts.get("optimizer") in first and e.n < first[e.facts["optimizer"]]]

    found = early(run)
    if not found:
        return Signal(False, 0.0, "the first step used the schedule's first value")
    before, after = found[0].facts["lr_before"], found[-1].facts["lr"]
    return Signal(len(found) > len(early(right)), float(len(found)), f"the schedule moved from {before} to {after} before the first step")


def _metric_missing(run: Stream, right: Stream) -> Signal:
    error = run.end.get("error", {})
    failed = any(e.facts.get("error") == "TypeError" for e in run.of("schedule"))
    return Signal(failed, None, f"{error.get('type', '')}: {error.get('message', '')}" if failed else "the scheduler took its metric")


def _constant_rate(run: Stream, right: Stream) -> Signal:
    idle = [s for s in run.with_role("scheduler") if not any(e.object == s.id for e in run.of("schedule"))]
    constant = []
    for scheduler in idle:
        rates = {tuple(e.facts["lr"]) for e in run.of("step") if e.object == scheduler.facts.get("optimizer")}
        if len(rates) == 1:
            constant.append(scheduler.name)
    text = f"{', '.join(constant)} never stepped, the learning rate stayed at one value" if constant else "every scheduler stepped"
    return Signal(bool(constant), float(len(constant)), text)


# Modes


def reached_forwards(stream: Stream) -> set[int]:
    """The forwards that some backward came through."""
    found = {n for e in stream.of("backward") for n in e.facts.get("forwards", ())}
    return found | {n for mark in stream.marked("grad") for n in mark.facts.get("forwards", ())}


def _trained_in_eval(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> tuple[int, int]:
        reached = reached_forwards(stream)
        trained = [e for e in stream.of("forward") if e.n in reached and stream.things[e.object].facts["trainable"]]
        return sum(not e.facts["training"] or e.facts.get("active", 1) < e.facts.get("moody", 1) for e in trained), len(trained)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, share(mine, whole), f"{mine} of {whole} training forwards ran in eval mode (repaired: {others})")


def _measured_in_train(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> tuple[int, int]:
        reached = reached_forwards(stream)
        measured = [e for e in stream.of("forward") if e.n not in reached and e.facts.get("moody")]
        return sum(e.facts["active"] > 0 for e in measured), len(measured)

    (mine, whole), (others, _) = count(run), count(right)
    return Signal(mine > others, share(mine, whole), f"{mine} of {whole} validation forwards ran with dropout or running statistics active (repaired: {others})")


def _graph_for_nothing(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> int:
        reached = reached_forwards(stream)
        return sum(bool(e.facts.get("graph")) for e in stream.of("forward") if e.n not in reached)

    mine, others = count(run), count(right)
    held = _most(run, "held_bytes")
    return Signal(mine > others, float(mine), f"{mine} forwards built a graph that no backward used (repaired: {others}); up to {held:,} bytes were held for one")


# Logging


def _nodes_grow(run: Stream, right: Stream) -> Signal:
    mine, others = _most(run, "nodes"), _most(right, "nodes")
    shown = mine > 2 * max(others, 1) and mine > others + 10
    return Signal(shown, float(mine), f"up to {mine:,} autograd nodes were alive between iterations (repaired: {others:,})")


# Which parameters the optimizer holds


def _most_in_steps(stream: Stream, optimizer: Thing | None, fact: str) -> int:
    return max((int(s.facts.get(fact, 0)) for s in steps_of(stream, optimizer)), default=0) if optimizer else 0


def _dead_parameters(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    orphans, displaced = _most_in_steps(run, optimizer, "orphans"), _most_in_steps(run, optimizer, "displaced")
    shown = orphans > _most_in_steps(right, match, "orphans") or displaced > _most_in_steps(right, match, "displaced")
    text = f"{orphans} of {optimizer.name}'s parameters are in no module that ran, the state of {displaced} is on another device"
    return Signal(shown, float(orphans + displaced), text)


def _strays(run: Stream, optimizer: Thing, right: Stream, match: Thing | None) -> Signal:
    mine, others = _most_in_steps(run, optimizer, "strays"), _most_in_steps(right, match, "strays")
    return Signal(mine > others, float(mine), f"{mine} parameters get gradients and are held by no optimizer (repaired: {others})")


def _model_forwards(run: Stream, right: Stream) -> Signal:
    def count(stream: Stream) -> int:
        return sum(stream.things[e.object].facts["parameters"] > 0 for e in stream.of("forward"))

    mine, others = count(run), count(right)
    return Signal(mine < others, float(mine), f"{mine} calls went through the module's call, where its hooks run (repaired: {others})")


def _held_parameters(run: Stream, right: Stream) -> Signal:
    mine, others = (sum(o.facts["parameters"] for o in optimizers(s)) for s in (run, right))
    return Signal(mine < others, float(mine), f"the optimizers hold {mine} parameters (repaired: {others})")


def crashes(kind: str, words: str) -> Measure:
    """A claim that the script fails with a certain error."""

    def signal(run: Stream, right: Stream) -> Signal:
        error = run.end.get("error") or {}
        shown = error.get("type") == kind and words in error.get("message", "")
        return Signal(shown, None, f"{error['type']}: {error['message'][:120]}" if error else "no error")

    return signal


# Mixed precision


def _clipped_while_scaled(run: Stream, right: Stream) -> Signal:
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


def _never_updated(run: Stream, right: Stream) -> Signal:
    steps = [e for e in run.of("step") if "scaler" in e.facts]
    updates = len(run.of("update"))
    return Signal(len(steps) > 0 and updates == 0, float(updates), f"{len(steps)} scaler steps, {updates} updates; the run {run.outcome}")


def _half_unscaled(run: Stream, right: Stream) -> Signal:
    half = {e.n for e in run.of("forward") if e.facts.get("autocast") == "float16"}
    found = sum(bool(half & set(e.facts.get("forwards", ()))) and "scaler" not in e.facts for e in run.of("backward"))
    return Signal(found > 0, float(found), f"{found} backwards went unscaled through float16 forwards")


def _scaler_bypassed(run: Stream, right: Stream) -> Signal:
    scaled, found, steps = False, 0, 0
    for event in run.events:
        if event.kind == "backward":
            scaled = "scaler" in event.facts
        elif event.kind == "step":
            steps += 1
            found += scaled and "scaler" not in event.facts
    return Signal(found > 0, share(found, steps), f"{found} of {steps} steps on a scaled loss's gradients bypassed the scaler")


# Losses, checkpoints, data


def _loss_input(function: str, fact: str, words: str) -> Measure:
    def signal(run: Stream, right: Stream) -> Signal:
        marks = [m for m in run.marked("loss") if m.facts["function"] == function]
        found = sum(bool(m.facts.get(fact)) for m in marks)
        return Signal(found > 0 and found >= 0.5 * len(marks), share(found, len(marks)), f"{found} of {len(marks)} measured inputs of {function} {words}")

    return signal


def _restores_itself(run: Stream, right: Stream) -> Signal:
    loads = run.of("load", where=lambda e: e.facts.get("tensors", 0) > 0)
    shared = sum(e.facts.get("shared", 0) > 0 for e in loads)
    return Signal(shared > 0, float(shared), f"{shared} of {len(loads)} restored states were the model's own storage")


def _in_order(run: Stream, right: Stream) -> Signal:
    trained = {loader for e in run.of("backward") for loader, _, _ in e.batches}
    names = [f"{run.things[n].name} ({run.things[n].facts['sampler']})" for n in sorted(trained)]
    found = [n for n in trained if run.things[n].facts["sampler"] == "SequentialSampler"]
    return Signal(bool(found), float(len(found)), f"training batches came from {', '.join(names) or 'no loader'}")


def _both_flags(run: Stream, right: Stream) -> Signal:
    flags = run.end.get("flags", {})
    return Signal(bool(flags.get("benchmark") and flags.get("deterministic")), None, f"benchmark {flags.get('benchmark')}, deterministic {flags.get('deterministic')}")


def _epoch_never_set(run: Stream, right: Stream) -> Signal:
    distributed = [m for m in run.marked("pass") if run.things[m.facts["object"]].facts["sampler"] == "DistributedSampler"]
    told = len(run.marked("set_epoch"))
    return Signal(len(distributed) > 1 and told == 0, float(told), f"{len(distributed)} passes over a distributed sampler, {told} calls of set_epoch")


SIGNALS: dict[str, Measure] = {
    "LL101": per_optimizer(_steps_use_nothing),
    "LL102": per_optimizer(_gradients_add_up),
    "LL103": per_optimizer(_beyond_the_clip),
    "LL104": per_optimizer(_beyond_the_clip),
    "LL105": per_optimizer(_first_step_before_backward),
    "LL106": per_optimizer(_never_steps),
    "LL107": per_optimizer(_never_filled),
    "LL108": per_optimizer(_accumulated_norm),
    "LL109": per_optimizer(_gradients_add_up),
    "LL110": _retained,
    "LL201": _too_often,
    "LL202": _too_seldom,
    "LL203": _first_value_skipped,
    "LL204": _metric_missing,
    "LL205": _constant_rate,
    "LL301": _trained_in_eval,
    "LL302": _measured_in_train,
    "LL303": _graph_for_nothing,
    "LL401": _nodes_grow,
    "LL402": _nodes_grow,
    "LL501": per_optimizer(_dead_parameters),
    "LL502": per_optimizer(_strays),
    "LL504": _model_forwards,
    "LL505": _held_parameters,
    "LL506": crashes("AttributeError", "before Module.__init__() call"),
    "LL601": _clipped_while_scaled,
    "LL602": _never_updated,
    "LL603": _half_unscaled,
    "LL604": _scaler_bypassed,
    "LL701": _loss_input("cross_entropy", "sums_to_one", "were probabilities already"),
    "LL702": _loss_input("binary_cross_entropy_with_logits", "in_unit", "were probabilities already"),
    "LL703": crashes("RuntimeError", "between 0 and 1"),
    "LL801": _restores_itself,
    "LL901": _in_order,
    "LL902": _both_flags,
    "LL903": _epoch_never_set,
}


def measure(code: str, run: Stream, right: Stream) -> Signal | None:
    """A rule's signal on a run, or None where the rule claims nothing that a run could show."""
    signal = SIGNALS.get(code)
    return signal(run, right) if signal is not None else None


def same_end(a: Stream, b: Stream) -> bool | None:
    """Whether two runs end with bitwise the same parameters; None where there were none to compare."""
    ends = [_end(stream) for stream in (a, b)]
    return ends[0] == ends[1] if any(ends[0]) or any(ends[1]) else None


def _end(stream: Stream) -> tuple[Sequence[object], Sequence[object]]:
    end = stream.end
    return [o["end"] for o in end.get("optimizers", ())], [list(m["tensors"].items()) for m in end.get("modules", ())]
