"""States that are taken, stored and restored."""

from __future__ import annotations

from collections.abc import Iterator

from looplint.runtime.evidence.claim import Claim, Observation
from looplint.runtime.evidence.signals import Signal, crashes, share
from looplint.runtime.evidence.witness import Tally, Witness, fails
from looplint.runtime.streams.stream import Event, Stream


def restored(stream: Stream) -> list[Event]:
    """The loads that gave a module its tensors."""
    return stream.of("load", where=lambda e: e.facts.get("tensors", 0) > 0)


def first_steps(stream: Stream) -> dict[int, int]:
    """The number of each optimizer's first step, by the optimizer's own."""
    first: dict[int, int] = {}
    for step in stream.of("step"):
        first.setdefault(step.object, step.n)
    return first


def holders_of(stream: Stream, load: Event) -> set[int]:
    """The optimizers that hold parameters of a module that is given its tensors, built before it or later."""
    later = {e.object for e in stream.of("construct") if load.object in e.facts.get("modules", ())}
    return later.union(load.facts.get("holders", ()))


def given_states(stream: Stream) -> set[int]:
    """The objects that were given a state by load_state_dict."""
    return {e.object for e in stream.of("load") if e.facts.get("function") == "load_state_dict"}


def restores_itself(run: Stream, right: Stream) -> Signal:
    loads = run.of("load", where=lambda e: e.facts.get("tensors", 0) > 0)
    shared = sum(e.facts.get("shared", 0) > 0 for e in loads)
    return Signal(shared > 0, float(shared), f"{shared} of {len(loads)} restored states were the model's own storage")


def where_restores_itself(stream: Stream) -> Iterator[Witness]:
    """LL801: states taken from a module that later was given its own storage back."""
    tally = Tally()
    for load in restored(stream):
        for taken in stream.of("save"):
            if taken.object == load.object and taken.n < load.n:
                # A state from a file is another than the one that was taken.
                tally.add(taken.stack, load.facts.get("shared", 0) > 0, load.object, decisive=not load.facts.get("from_file"))
    yield from tally.witnesses("LL801", lambda c: f"{c.bad} of {c.whole} states taken here were, when restored, the model's own tensors")


def resumed_without_state(run: Stream, right: Stream) -> Signal:
    given, first, loads = given_states(run), first_steps(run), restored(run)
    anew = [o for o, n in first.items() if o not in given and any(e.n < n and o in holders_of(run, e) for e in loads)]
    return Signal(
        bool(anew), float(len(anew)), f"{len(anew)} of {len(first)} optimizers began without a state after a model's was restored"
    )


def where_resumed_without_state(stream: Stream) -> Iterator[Witness]:
    """LL802: a module's state restored before the first step of an optimizer that holds its parameters and never got one."""
    tally, given, first = Tally(), given_states(stream), first_steps(stream)
    for load in restored(stream):
        later = [optimizer for optimizer in holders_of(stream, load) if first.get(optimizer, 0) > load.n]
        if later:
            tally.add(load.stack, any(optimizer not in given for optimizer in later), load.object)
    yield from tally.witnesses("LL802", lambda c: f"after {c.bad} of {c.whole} states restored here an optimizer began without one")


def placed_by_file(run: Stream, right: Stream) -> Signal:
    loads = run.of("load", where=lambda e: e.facts.get("function") == "torch.load")
    found = sum(not e.facts.get("map_location") for e in loads)
    return Signal(found > 0, float(found), f"{found} of {len(loads)} files were loaded to where they had been saved from")


def where_placed_by_file(stream: Stream) -> Iterator[Witness]:
    """LL803."""
    tally = Tally()
    for load in stream.of("load", where=lambda e: e.facts.get("function") == "torch.load"):
        tally.add(load.stack, not load.facts.get("map_location"))
    yield from tally.witnesses("LL803", lambda c: f"{c.bad} of {c.whole} files loaded here went to where they had been saved from")


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


def where_never_given_back(stream: Stream) -> Iterator[Witness]:
    """LL804: states taken of a module that was never given one again, in a run that came to its end."""
    tally, ended = Tally(), stream.over
    # A state from a file is another than the one that was taken.
    returned = [load for load in restored(stream) if not load.facts.get("from_file")]
    for taken, bad in states_left(stream):
        again = any(load.object == taken.object and load.n > taken.n for load in returned)
        tally.add(taken.stack, bad and ended, taken.object, decisive=again)
    yield from tally.witnesses("LL804", lambda c: f"{c.bad} of {c.whole} states taken here were never given back")


def goes_on_anew(stream: Stream) -> Iterator[tuple[Event, list[str]]]:
    """The loads of an optimizer's state before it steps, each with the schedulers and scalers of it that begin anew after that."""
    given = given_states(stream)
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
        yield load, [stream.things[number].name for number in anew if number not in given]


def resumed_anew(run: Stream, right: Stream) -> Signal:
    names = [name for _, anew in goes_on_anew(run) for name in anew]
    others = sum(len(anew) for _, anew in goes_on_anew(right))
    text = f"after an optimizer's state was restored, {', '.join(names) or 'nothing'} began anew (repaired: {others})"
    return Signal(len(names) > others, float(len(names)), text)


def where_resumed_anew(stream: Stream) -> Iterator[Witness]:
    """LL805: an optimizer's state restored, and a scheduler or scaler of it that started over."""
    tally = Tally()
    for load, anew in goes_on_anew(stream):
        tally.add(load.stack, bool(anew), load.object)
    yield from tally.witnesses("LL805", lambda c: f"after {c.bad} of {c.whole} states restored here a scheduler or scaler began anew")


def missing_entry(run: Stream, right: Stream) -> Signal:
    """The error of a file that lacks an entry: without a file that was read, it is that of another dict."""
    signal = crashes("KeyError", "")(run, right)
    read = run.of("load", where=lambda e: e.facts.get("function") == "torch.load")
    return signal if read else Signal(False, None, "no file was read")


def where_missing_entry(stream: Stream) -> Iterator[Witness]:
    """LL806: the KeyError that ends a run which has read a file."""
    error = stream.end.get("error") or {}
    if error.get("type") == "KeyError" and stream.of("load", where=lambda e: e.facts.get("function") == "torch.load"):
        yield from fails("LL806", "")(stream)


CLAIMS = (
    Claim(
        "LL801",
        restores_itself,
        Observation(
            where_restores_itself,
            needs="a state that is taken and, not by way of a file, later restored",
            confirms="a restored state that is the model's own storage",
            channels=("states",),
            harm=True,
        ),
    ),
    Claim(
        "LL802",
        resumed_without_state,
        Observation(
            where_resumed_without_state,
            needs="a state that is restored, and a later first step of an optimizer of the module",
            confirms="a first step without a state, after a model's was restored",
            channels=("states", "optimizers", "steps"),
            turns=1,
        ),
    ),
    Claim(
        "LL803",
        placed_by_file,
        Observation(
            where_placed_by_file,
            needs="a file that is loaded",
            confirms="a torch.load without map_location",
            channels=("files",),
        ),
    ),
    Claim(
        "LL804",
        never_given_back,
        Observation(
            where_never_given_back,
            needs="a state that is taken, and the end of the script",
            confirms="states of a model that are never given back to it",
            channels=("states",),
        ),
    ),
    Claim(
        "LL805",
        resumed_anew,
        Observation(
            where_resumed_anew,
            needs="an optimizer's state that is restored, and later steps of it and of its scheduler or scaler",
            confirms="a scheduler or scaler that starts over after its optimizer's state was restored",
            channels=("states", "steps", "schedules", "scalers"),
            turns=1,
        ),
    ),
    Claim(
        "LL806",
        missing_entry,
        Observation(
            where_missing_entry,
            needs="a checkpoint that is read",
            confirms="the KeyError of an entry that is not in the file",
            channels=("files",),
            harm=True,
        ),
    ),
)
