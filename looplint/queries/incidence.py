"""Which events a program has, and to which objects each of them happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

import libcst as cst

from looplint.domain.objects import Data, Engine, Loss, Module, Obj, Optimizer, Scaler, StateDict
from looplint.domain.values import refs
from looplint.flow.automaton import Touch
from looplint.flow.events import Backward, Clear, Clip, Construct, Escape, Event, LoadState, Save, Snapshot, Step, Unscale
from looplint.flow.graph import EventGraph
from looplint.flow.remarks import Remark
from looplint.interpreter.facts import Uses
from looplint.knowledge import naming
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.attribution import used_events
from looplint.queries.handed_gradients import Source, sources
from looplint.queries.relations import exclude_each_other, held_by, involved, may_follow, related, rule_each_other_out

if TYPE_CHECKING:
    from looplint.domain.values import EventKey

E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Event)


# What happens to a module in the branch that builds it, and is still so after the branches have met.
_BEFORE_A_JOIN = frozenset({"construct", "train", "eval"})
# What happens to no optimizer but those that are its subjects.
_OF_SUBJECTS = frozenset({"construct", "step", "unscale", "train", "eval", "mode", "forward"})


def _is_freed(escape: Escape, backwards: Iterable[Backward]) -> bool:
    """Whether one of some backwards, which all go through the graph of an output, runs whenever that output escapes.

    A graph goes backward once: had the unknown code sent it backward, the backward in sight would fail, and after that one the graph is gone.
    """
    return any(
        backward.root == escape.root
        and set(backward.guards) <= set(escape.guards)
        and (backward.retain_graph is False or backward.index > escape.index)
        for backward in backwards
    )


def _leaves_gradients(escape: Escape) -> bool:
    """Whether code out of sight gets models and data alone, and not to train by its name, where no gradient is recorded or it is a callback."""
    name = escape.callee.rpartition(".")[2]
    only_models = bool(escape.subjects) and all(isinstance(o, Module | Loss | Data) for o in escape.subjects)
    return only_models and (escape.grad is False or naming.is_called_back(name)) and not naming.changes_gradients(name)


def _is_an_action(event: Event) -> bool:
    """Whether an output is given to an environment as an action: it is no loss by its name."""
    call = event.site.node
    if not isinstance(event, Escape) or not isinstance(call, cst.Call) or not naming.acts(event.callee):
        return False
    return not any(isinstance(a.value, cst.Name) and names_a_loss(a.value.value) for a in call.args)


def _sharing(obj: Obj) -> set[Obj]:
    """The modules that share parts with a module that is no part of them, or may share some with that or with one that it is part of."""
    around = [*obj.lineage()]
    found: set[Obj] = {other for each in around if isinstance(each, Module) for other in each.shares_with}
    if obj.borrowed or obj.lent_to:
        beside = obj.lent_to.union(*(part.lineage() for part in obj.borrowed)) - obj.borrowed
        found |= {other for other in beside if other not in around and obj not in set(other.lineage())}
    return found


def _met_before(obj: Obj) -> set[Obj]:
    """What an object that is one of several was on the way, where branches had met within a branch: one of fewer."""
    met = {each for one in obj.one_of for each in one.joined_with()}
    return met - {obj, *obj.joined_with()}


def _passes_over(whole: bool, picked: Iterable[Obj], parts: Iterable[Obj]) -> bool:
    """Whether what is picked from some modules, unless it is their `whole`, may have no parameter of others: they are parts of these at most."""
    return not whole and not any(set(module.lineage()).intersection(parts) for module in picked)


def _may_apply(called: Iterable[Obj], parts: Iterable[Obj]) -> bool:
    """Whether what is called by a name of a model out of sight may be a method that applies other parts of it: `model.shared_step(batch)`."""
    around = {whole for part in parts for whole in part.lineage()}
    return any(
        isinstance(each, Module) and each.part and each.symbolic and each.cls is None and not around.isdisjoint([*each.lineage()][1:])
        for each in called
    )


def _have_the_names_of(called: Iterable[Obj], parts: Iterable[Obj]) -> bool:
    """Whether all that is called of a model out of sight has the name of one of some parts, further inside: `model.critic(x)` applies `model.net.critic`."""
    held = [part for part in parts if _is_read_of_a_model(part)]

    def is_named_so(obj: Obj) -> bool:
        return any(obj.parent is not None and obj.parent in part.lineage() and _own_name(part) == _own_name(obj) for part in held)

    return all(_is_read_of_a_model(each) and is_named_so(each) for each in called)


def _is_read_of_a_model(obj: Obj) -> bool:
    return isinstance(obj, Module) and obj.part and obj.symbolic and obj.cls is None and not obj.many and _own_name(obj).isidentifier()


def _own_name(obj: Obj) -> str:
    return obj.name.rpartition(".")[2]


class Incidence:
    """The events of a program by their kinds, and what they happen to, for sure or perhaps."""

    def __init__(self, graph: EventGraph, remarks: Iterable[Remark], uses: Uses) -> None:
        self.graph = graph
        # What becomes of forwards' outputs.
        self.uses = uses
        self._remarks = list(remarks)
        # What is asked by many rules, of each event and each object.
        self._touches: dict[tuple[Event, Obj], Touch | None] = {}
        # The events of several kinds together, in the order of the graph.
        self._of_kinds: dict[tuple[type[Event], ...], list[Event]] = {}

    @cached_property
    def events(self) -> list[Event]:
        """The events of the graph, without the escapes of outputs that go backward in sight: no other code can have sent them backward."""
        events = self.graph.events()
        backwards: dict[EventKey, list[Backward]] = {}
        for backward in (e for e in events if isinstance(e, Backward)):
            for forward in backward.forwards:
                backwards.setdefault(forward, []).append(backward)
        return [
            e for e in events if not (isinstance(e, Escape) and e.forwards and all(_is_freed(e, backwards.get(f, ())) for f in e.forwards))
        ]

    @cached_property
    def _by_kind(self) -> dict[type[Event], list[Event]]:
        found: dict[type[Event], list[Event]] = {}
        for event in [*self.events, *self._remarks]:
            for kind in type(event).__mro__:
                if issubclass(kind, Event):
                    found.setdefault(kind, []).append(event)
        return found

    @overload
    def of(self, kind: type[E], /) -> list[E]: ...

    @overload
    def of(self, one: type[E], other: type[F], /) -> list[E | F]: ...

    @overload
    def of(self, *kinds: type[Event]) -> list[Event]: ...

    def of(self, *kinds: type[Event]) -> Sequence[Event]:
        """The events of some kinds, in the order of the graph; remarks stand where they were noted."""
        if len(kinds) == 1:
            return self._of_kind(kinds[0])
        found = self._of_kinds.get(kinds)
        if found is None:
            found = self._of_kinds[kinds] = sorted((e for kind in kinds for e in self._of_kind(kind)), key=lambda e: e.index)
        return found

    def _of_kind(self, kind: type[Event]) -> list[Event]:
        found = self._by_kind.get(kind)
        if found is None:
            assert issubclass(kind, Event), f"{kind!r} is no kind of event"
        return found or []

    def escapes(self, obj: Obj) -> bool:
        """Whether an object escapes into code that cannot be followed."""
        return obj.escaped

    @cached_property
    def _used(self) -> frozenset[Obj]:
        """The objects to which more happens than that they are built, and put in a mode."""
        return frozenset(obj for event in self.events if event.kind not in _BEFORE_A_JOIN for obj in involved(event))

    def stands(self, obj: Obj) -> bool:
        """Whether an object is one of its own: one that a branch builds is part of what the branches build, but for what the branch does with it."""
        return obj in self._used or (obj.merged is None and not (obj.one_of and any(o in self._used for o in obj.one_of)))

    @cached_property
    def _optimizers_by_root(self) -> dict[str, set[Optimizer | Engine]]:
        found: dict[str, set[Optimizer | Engine]] = {}
        for event in self.events:
            for obj in event.subjects:
                if isinstance(obj, Optimizer | Engine) and event.kind in ("construct", "clear", "step") and self.stands(obj):
                    found.setdefault(event.root, set()).add(obj)
        return found

    @cached_property
    def _by_root(self) -> dict[str, list[Event]]:
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.root, []).append(event)
        return found

    @cached_property
    def _by_subject(self) -> dict[Obj, list[Event]]:
        found: dict[Obj, list[Event]] = {}
        for event in self.events:
            for obj in involved(event):
                found.setdefault(obj, []).append(event)
        return found

    @cached_property
    def _escapes(self) -> dict[str, list[Event]]:
        return {root: [e for e in events if e.kind == "escape"] for root, events in self._by_root.items()}

    @cached_property
    def _beside_optimizers(self) -> dict[str, list[Event]]:
        """By roots, the events that may happen to optimizers that are none of their subjects."""
        return {root: [e for e in events if e.kind not in _OF_SUBJECTS or e.kind == "unscale"] for root, events in self._by_root.items()}

    def may_touch(self, root: str, obj: Obj) -> Sequence[Event]:
        """The events of a root among which those are that happen to an object, in the order of the graph."""
        if isinstance(obj, StateDict) or obj.merged is not None:
            return self._by_root.get(root, ())
        around = {outer for each in (obj, *obj.one_of) for outer in each.lineage()} | _sharing(obj) | _met_before(obj)
        own = (e for each in around for e in self._by_subject.get(each, ()) if e.root == root)
        others = self._beside_optimizers if isinstance(obj, Optimizer) else self._escapes
        return sorted({*own, *others.get(root, ())}, key=lambda e: e.index)

    def touches(self, event: Event, obj: Obj) -> Touch | None:
        """Whether an event happens to an optimizer, a module or another object; None where it does not."""
        if (event, obj) not in self._touches:
            self._touches[event, obj] = self._touch(event, obj)
        return self._touches[event, obj]

    def _touch(self, event: Event, obj: Obj) -> Touch | None:
        if obj.merged is not None and _is_of_kin(event.subjects, obj):
            return "may" if event.kind != "construct" else None
        if isinstance(obj, Optimizer):
            return self._touches_optimizer(event, obj)
        if isinstance(obj, StateDict):
            return self._touches_state(event, obj)
        if isinstance(obj, Module) and obj.one_of and event.kind in _BEFORE_A_JOIN:
            # It was built, and put in its mode, as whichever of them it is: where the branches meet nothing happens to it.
            if any(s in event.subjects or builds(event, s) for s in obj.one_of):
                return "must" if event.certain else "may"
            if event.kind == "construct":
                return None
            if not event.subjects.isdisjoint(_met_before(obj)):
                return "must" if event.certain else "may"
        if obj in event.subjects:
            return "must" if event.certain and len(event.subjects) == 1 else "may"
        if isinstance(obj, Scaler) and isinstance(event, Step | Unscale) and event.scaler is obj:
            return "must" if event.certain else "may"
        if builds(event, obj):
            return "must" if event.certain and len(event.subjects) == 1 else "may"
        if isinstance(obj, Module) and event.kind in ("train", "eval", "mode", "copy", "escape", "move"):
            if any(s in event.subjects for s in obj.lineage()):
                return "must" if event.certain else "may"
            if event.kind == "escape" and any(obj in set(s.lineage()) for s in event.subjects):
                return "must"
            if not _sharing(obj).isdisjoint(event.subjects):
                return "may"
        return None

    def _touches_state(self, event: Event, state: StateDict) -> Touch | None:
        """A state dict is read by what is given it, and changes with the object it was taken of."""
        if state in event.subjects or (isinstance(event, Save | LoadState) and state in event.states):
            return "must"
        if event.kind == "snapshot" and isinstance(state.key, tuple) and event.key[:2] == state.key[:2]:
            return "must"  # the state of another of the objects that the call can go to: what was kept here is gone
        if event.kind == "snapshot" and any(other in event.subjects for other in self._other_branches.get(state, ())):
            return "must"  # the name that held this one holds the other branch's now
        if event.kind == "step":
            holds = held_by(event.subjects)
            changes = state.owner in event.subjects or not holds or related(holds, [state.owner])
            return "must" if changes and not self._gets_no_gradients(state.owner) else None
        if isinstance(event, LoadState) and state.owner in event.subjects:
            return "must" if event.certain and _is_given_another(event) else None  # what the state holds gets the values of another
        if event.kind in ("construct", "move"):
            return "must" if related(event.subjects, [state.owner]) else None
        return None

    def _gets_no_gradients(self, owner: Obj) -> bool:
        """Whether nothing in the program gives a module gradients: the steps of an optimizer pass over parameters that have none.

        What is handed in may be the module or have parts of it, and code out of sight that gets it, or what it puts out, may send something backward.
        """
        return (
            self._filled is not None and isinstance(owner, Module) and not _may_be_elsewhere(owner) and not related(self._filled, [owner])
        )

    @cached_property
    def _filled(self) -> frozenset[Obj] | None:
        """The modules that get gradients, or may get them where their outputs escape; None where that is not known of some backward, or none is in sight."""
        filled = [e for e in self.of(Backward, Escape) if isinstance(e, Backward) or e.output]
        backwards = [e for e in filled if isinstance(e, Backward)]
        found = frozenset[Obj]().union(*(e.subjects for e in filled))
        known = all(e.known and e.subjects and not e.manual for e in backwards) and all(isinstance(o, Module) for o in found)
        return found if backwards and known and not any(each.symbolic for o in found for each in o.lineage()) else None

    def touches_parameters(self, event: Event, module: Obj) -> Touch | None:
        """Whether an event happens to the parameters of a module: for a freeze, to all of them; for any other event, perhaps to some."""
        if event.kind == "construct":
            return "must" if module in event.subjects else None
        if event.kind == "freeze":
            return ("must" if event.certain else "may") if any(s in event.subjects for s in module.lineage()) else None
        if event.kind == "mode" or (isinstance(event, Escape) and event.output):
            return None
        return "must" if not event.subjects or related(_wholes(event.subjects), [module]) else None

    @cached_property
    def _other_branches(self) -> dict[Obj, set[Obj]]:
        """The states that take a state's place: in other branches of a condition, or under the same name or key."""
        taken = {obj: e for e in self.of(Snapshot) for obj in e.subjects}
        found: dict[Obj, set[Obj]] = {}
        for event in self.of(LoadState, Save):
            states = [s for s in event.states if s in taken]
            for one in states:
                found.setdefault(one, set()).update(
                    other
                    for other in states
                    if exclude_each_other(taken[one], taken[other]) or (one is not other and _get_one_name(taken[one], taken[other]))
                )
        return found

    @cached_property
    def sources(self) -> Mapping[Optimizer, Source]:
        """For each optimizer that steps with the gradients of a model which it does not hold: that model."""
        built = (o for those in self._optimizers_by_root.values() for o in those if isinstance(o, Optimizer))
        return sources(self.of(Backward), dict.fromkeys(built))

    def holding(self, objects: Iterable[Obj]) -> frozenset[Obj]:
        """The modules whose parameters the optimizers among some objects hold, and those whose gradients they step with."""
        found = [*objects]
        return held_by(found) | {self.sources[o].module for o in found if isinstance(o, Optimizer) and o in self.sources}

    def _touches_optimizer(self, event: Event, obj: Optimizer) -> Touch | None:
        if isinstance(event, Backward | Clear | Clip) and obj in self.sources and event.variant != "output":
            return self.sources[obj].touches(event, obj)
        if obj in event.subjects:
            return "must" if event.certain and sum(isinstance(s, Optimizer) for s in event.subjects) == 1 else "may"
        if event.kind == "unscale" and (not event.subjects or related(obj.holds, held_by(event.subjects))):
            return "may"  # the gradients of what another optimizer holds as well are unscaled for both
        if event.kind in _OF_SUBJECTS:
            return None
        if self._is_apart(obj, event) or (isinstance(event, Escape) and _leaves_gradients(event)):
            return None
        if isinstance(event, Clear | Backward) and event.of_inputs and obj.holds and not obj.with_tensors:
            return None
        if isinstance(event, Backward) and event.cut_off and obj.exact and not obj.with_tensors:
            return None
        if event.kind in ("move", "replace"):
            return "must" if related(obj.holds, event.subjects) else None
        if any(isinstance(s, Optimizer) for s in event.subjects):
            return self._through_another(event, obj)
        holds = obj.holds
        modules = frozenset(s for s in event.subjects if isinstance(s, Module | Loss | Engine))
        if event.variant == "output":
            if event.key in self.uses.made_into_a_loss or _is_an_action(event):
                return None  # no loss is computed of what has gone backward, and an action is no loss
            return "may" if not holds or related(holds, modules) else None
        if event.kind in ("copy", "escape"):
            return "must" if holds and related(holds, modules) else None
        rivals = self._rivals(event, obj)
        alone = rivals <= {obj}
        are_its_own = related(holds, modules)
        if not are_its_own and self._is_clip_of_another(event, obj, rivals):
            return None
        if not modules or not holds:
            if obj not in rivals and not alone:
                return None
            alone = alone or event in self._used_events.get(obj, ()) or (isinstance(event, Clip) and self._are_of(obj, modules))
            return ("must" if event.certain else "may") if alone else "may"
        if not are_its_own:
            if event.kind == "backward" and (self._may_apply_held(modules, obj, rivals) or self._is_left_for(event, obj, rivals)):
                return "must" if event.certain else "may"
            certain = event.kind in ("clear", "clip") or (
                isinstance(event, Backward) and event.known and not any(h.symbolic for h in holds)
            )
            if certain and obj.exact and not any(m.symbolic for m in modules):
                return None
            others = any(related(o.holds, modules) for o in rivals if o is not obj)
            symbolic = any(h.symbolic for h in holds) != any(s.symbolic for s in modules)
            apart = isinstance(event, Backward) and event.known and (self._is_older(holds, modules) or self._is_older(modules, holds))
            return None if others and (not symbolic or apart) else "may"
        if event.kind == "clear" and not all(any(m in h.lineage() for m in modules) for h in holds):
            return "may"
        if isinstance(event, Clip) and (_passes_over(event.whole, modules, holds) or _passes_over(obj.exact, holds, modules)):
            return "may"
        return "must" if event.certain else "may"

    def _rivals(self, event: Event, obj: Optimizer) -> set[Optimizer | Engine]:
        """The optimizers, this one among them, to which an event may happen, as far as its place tells."""
        return {o for o in self._optimizers_by_root.get(event.root, ()) if o is obj or not self._drives_elsewhere(o, event)}

    def may_apply(self, forward: Event, optimizer: Optimizer) -> bool:
        """Whether a forward may apply what an optimizer holds: by what it is a forward of, or the optimizer is the one there is, of a part of the same model."""
        holds, called = optimizer.holds, forward.subjects
        return not holds or related(holds, called) or self._may_apply_held(called, optimizer, self._rivals(forward, optimizer))

    def _may_apply_held(self, called: Set[Obj], optimizer: Optimizer, rivals: Set[Optimizer | Engine]) -> bool:
        """Whether what is called of a model out of sight applies what an optimizer holds of it, and no other does: the one there is, or that of its name."""
        others = [o for o in rivals if o is not optimizer]
        if not others:
            return _may_apply(called, optimizer.holds)
        around = {whole for part in optimizer.holds for whole in part.lineage()}
        of_model = [each for each in called if not around.isdisjoint(each.lineage())]
        of_others = {part for o in others for part in o.holds}
        return (
            bool(of_model)
            and _have_the_names_of(of_model, optimizer.holds)
            and not any(related(of_others, [each]) or _have_the_names_of([each], of_others) for each in of_model)
        )

    def _is_left_for(self, event: Event, optimizer: Optimizer, rivals: Set[Optimizer | Engine]) -> bool:
        """Whether a backward through methods of a model out of sight is for the optimizer of a part of it, whose step uses what it leaves.

        A method applies parts of the object that it is called of. What several optimizers use is for all of them, unless steps of this one come after
        other backwards too: each may be for one of them.
        """
        used = self._used_events.get(optimizer, frozenset())
        if event not in used:
            return False
        others = [o for o in rivals if o is not optimizer]
        alone = not any(event in self._used_events.get(o, ()) for o in others if isinstance(o, Optimizer))
        if not alone and any(isinstance(e, Backward) and e is not event for e in used):
            return False
        around = {whole for part in optimizer.holds for whole in part.lineage()}
        of_others = {part for o in others for part in o.holds}
        of_whole = [each for each in event.subjects if each.parent in around and not related(of_others, [each])]
        return _may_apply([each for each in of_whole if not _have_the_names_of([each], of_others)], optimizer.holds)

    def _is_older(self, handed: Set[Obj], built: Set[Obj]) -> bool:
        """Whether modules are handed to a function that builds others then: whatever they are, they are none of these, nor have these a part of them."""
        roots = {m.handed_to if isinstance(m, Module) else "" for m in handed}
        made = [each for module in built for each in module.one_of or (module,)]
        taken = {whole for each in made for value in each.heap.values() for part in refs(value, Module) for whole in part.lineage()}
        return "" not in roots and len(roots) == 1 and handed.isdisjoint(taken) and all(self._built_in.get(each) == roots for each in made)

    @cached_property
    def _built_in(self) -> Mapping[Obj, set[str]]:
        """The roots in which each object is built."""
        found: dict[Obj, set[str]] = {}
        for event in self.of(Construct):
            for obj in event.subjects:
                found.setdefault(obj, set()).add(event.root)
        return found

    def _is_clip_of_another(self, event: Event, optimizer: Optimizer, rivals: Set[Optimizer | Engine]) -> bool:
        """Whether a clip of parameters that are not known is what the step of another optimizer comes after, or clips a model that is another's."""
        return isinstance(event, Clip) and any(
            o in rivals and o is not optimizer and (event in events or (not optimizer.holds and self._are_of(o, event.subjects)))
            for o, events in self._used_events.items()
        )

    def _are_of(self, optimizer: Optimizer, modules: Set[Obj]) -> bool:
        """Whether an optimizer whose parameters are not known must have those of some modules."""
        return bool(modules) and not optimizer.holds and modules <= self._models_apart.get(optimizer, frozenset())

    @cached_property
    def _models_apart(self) -> Mapping[Optimizer, frozenset[Obj]]:
        """The modules that go backward by themselves for the steps of one optimizer, and of no other."""
        users: dict[Event, list[Optimizer]] = {}
        for optimizer, events in self._used_events.items():
            for event in events:
                if isinstance(event, Backward) and len(event.subjects) == 1:
                    users.setdefault(event, []).append(optimizer)
        found: dict[Obj, set[Optimizer]] = {}
        for event, optimizers in users.items():
            for obj in event.subjects:
                found.setdefault(obj, set()).update(optimizers if len(optimizers) == 1 else ())
        return {optimizer: frozenset(m for m, those in found.items() if those == {optimizer}) for optimizer in self._used_events}

    def _drives_elsewhere(self, other: Optimizer | Engine, event: Event) -> bool:
        """Whether an engine only works under conditions that those of an event rule out: `if deepspeed: model.step()`."""
        return (
            isinstance(other, Engine)
            and bool(event.guards)
            and all(rule_each_other_out(e.guards, event.guards) for e in self._of_engines(other))
        )

    def _of_engines(self, engine: Engine) -> list[Event]:
        """What an engine does with the optimizer in it."""
        return [e for e in self._by_subject.get(engine, ()) if e.kind in ("construct", "clear", "step")]

    @cached_property
    def _used_events(self) -> Mapping[Optimizer, frozenset[Event]]:
        return used_events(self.graph)

    def _through_another(self, event: Event, obj: Optimizer) -> Touch | None:
        """Whether an optimizer that holds parameters of this one as well clears or clips them for it."""
        shared = event.kind in ("clear", "clip") and related(obj.holds, held_by(event.subjects))
        return "may" if shared else None

    def _is_apart(self, optimizer: Obj, event: Event) -> bool:
        """Whether something happens before an optimizer is built, or after its last step: in another call of the same training, with another one.

        So it is where the constructor of the program's own object has decided that either this happens or the optimizer steps: never both.
        """
        if self.escapes(optimizer):
            return False
        built, steps = self._by_optimizer["construct"].get(optimizer, ()), self._by_optimizer["step"].get(optimizer, ())
        before = bool(built) and not any(may_follow(event, e) for e in built)
        if before or (bool(steps) and not any(may_follow(e, event) for e in steps)):
            return True
        settled = [g for g in event.guards if g.owner is not None]
        return bool(settled and steps) and all(rule_each_other_out(settled, [g for g in e.guards if g.owner is not None]) for e in steps)

    @cached_property
    def _by_optimizer(self) -> dict[str, dict[Obj, list[Event]]]:
        found: dict[str, dict[Obj, list[Event]]] = {"construct": {}, "step": {}}
        for event in self.of(Construct, Step):
            for obj in event.subjects:
                found[event.kind].setdefault(obj, []).append(event)
        return found


def _is_given_another(event: LoadState) -> bool:
    """Whether it is known what a model gets: a state in sight, what a file holds, or that of another object (`net.load_state_dict(ema.state_dict())`)."""
    match event.site.node:
        case cst.Call(args=[cst.Arg(value=given)]) if _is_state_of_an_object(given):
            return True
        case cst.Call(args=args) if any(a.keyword is not None and a.keyword.value == "assign" for a in args):
            return False  # it gets new tensors
    return bool(event.states or event.files)


def _is_state_of_an_object(given: cst.BaseExpression) -> bool:
    """Whether a text asks another object for its state, or for an entry of it: `ema.state_dict()["params"]`."""
    match given:
        case cst.Subscript(value=value):
            return _is_state_of_an_object(value)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="state_dict"))):
            return True
    return False


def _get_one_name(one: Event, other: Event) -> bool:
    """Whether the states of two events get the same name or key, in one call of a function: `state["net"] = ...` in a `try` and in its handler."""
    match one.statement, other.statement:
        case cst.Assign(targets=[first], value=left), cst.Assign(targets=[second], value=right):
            alone = left is one.site.node and right is other.site.node
            return alone and one.key[0] == other.key[0] and first.deep_equals(second)
    return False


def _wholes(objects: Iterable[Obj]) -> list[Obj]:
    """Some objects; in place of any part of a module, which may be each, the module."""
    return [o.parent if o.parent is not None and (o.many or (isinstance(o, Module) and o.part)) else o for o in objects]


def _is_of_kin(objects: Iterable[Obj], one: Obj) -> bool:
    """Whether one of some objects is this one to a part of the program: what it is joined with, or another that is joined with the same."""
    joined = set(one.joined_with())
    return any(o in joined or (o is not one and o.merged is not None and not joined.isdisjoint(o.joined_with())) for o in objects)


def _may_be_elsewhere(module: Module) -> bool:
    """Whether code out of sight has a module, or one that it is part of, or has made it."""
    return any(each.symbolic or each.escaped for one in (module, *module.one_of) for each in one.lineage())


def built_with(obj: Obj) -> Iterator[Obj]:
    """The modules whose constructors have built an object as a part, from the inside out."""
    while isinstance(obj, Module) and obj.assembled and obj.parent is not None:
        obj = obj.parent
        yield obj


def builds(event: Event, obj: Obj) -> bool:
    """Whether an event is the building of an object, or of the module whose constructor has built it as a part."""
    return event.kind == "construct" and any(each in event.subjects for each in (obj, *built_with(obj)))
