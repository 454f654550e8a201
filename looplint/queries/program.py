"""A program as rules see it: its events, its objects, and the states in which events find them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.objects import (
    AnyObj,
    Disk,
    Engine,
    File,
    Loader,
    Module,
    Obj,
    Optimizer,
    ParameterIterator,
    Sampler,
    Scaler,
    Scheduler,
    Settings,
    StateDict,
)
from looplint.domain.tags import Mark, SentBackward, tell_of_a_graph, told_by
from looplint.domain.values import Arguments, Atom, Const, EventKey, Ref, Tensor, Tuple, exact_items, is_over_loader, refs
from looplint.flow.automaton import Automaton, Touch, Visit, run
from looplint.flow.events import (
    Accumulate,
    Backward,
    Construct,
    Escape,
    Eval,
    Event,
    Forward,
    Keep,
    LoadState,
    Move,
    Replace,
    Schedule,
    SetMode,
    Step,
    Train,
)
from looplint.flow.graph import Guard, Loop
from looplint.flow.remarks import BuildLoader, EpochSet
from looplint.flow.slicing import Slices
from looplint.interpreter.elements import loaders_in
from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge.pytorch import names_a_loss
from looplint.queries.incidence import Incidence, builds
from looplint.queries.relations import (
    exclude_each_other,
    held_by,
    involved,
    moves_where_asked,
    only_in_train_mode,
    related,
    rule_each_other_out,
    stands_under,
)
from looplint.queries.torch_versions import WITH_NO_GRAD, needs_no_grad
from looplint.semantics.loaders import only_loader
from looplint.semantics.schedulers import counts_epochs
from looplint.syntax import ir
from looplint.syntax.members import by_loop

# What the rules say of PyTorch was measured on it.
CURRENT_TORCH = (2, 13)


@dataclass(frozen=True, slots=True)
class Pass:
    """A loop over a loader that trains, in the loop that repeats it: what is built there, and the backward in it."""

    loader: Event
    backward: Event
    epochs: Loop
    batches: Loop
    # What builds the loaders that a run may have in the place of this one.
    others: tuple[Event, ...]


class Program(Incidence):
    """One linted file with everything that was followed from it."""

    def __init__(self, interpreter: Interpreter, main: str = "", complete: bool = True) -> None:
        super().__init__(interpreter.graph, interpreter.remarks.values(), interpreter.uses)
        # Which gradients the program touches by itself, and what holds for all of it.
        self.gradients = interpreter.gradients
        self.flags = interpreter.flags
        self.reached = interpreter.reached
        self.applications = interpreter.applications
        self.heap = interpreter.heap
        # The functions that code out of sight gets, and may call.
        self.handed_out = interpreter.agenda.handed_out
        self.main = main
        # The file, and the modules of the project of which something was read.
        self.modules_read = dict.fromkeys((interpreter.main, *interpreter.project.modules))
        # Whether all of it that may train was followed.
        self.complete = complete
        # The oldest version of PyTorch the code has to run on, for rules that depend on it: `program.target_torch >= (2, 3)`.
        self.target_torch: tuple[int, ...] = CURRENT_TORCH
        # What automata found, by what happens to objects, and by the objects.
        self._runs: dict[object, list[Visit]] = {}
        self._visits: dict[tuple[Automaton, Obj], list[Visit]] = {}
        # The part of the graph around all events; what an automaton runs over is a part of it.
        self.slices = Slices(interpreter.graph)
        self._touching: dict[Obj, list[tuple[Event, Touch]]] = {}

    @cached_property
    def all_optimizers(self) -> list[Optimizer | Engine]:
        return self._subjects(Optimizer, Engine)

    @cached_property
    def optimizers(self) -> list[Optimizer | Engine]:
        """The optimizers whose steps use gradients."""
        return [o for o in self.all_optimizers if isinstance(o, Engine) or o.uses_gradients]

    @cached_property
    def schedulers(self) -> list[Scheduler]:
        return self._subjects(Scheduler)

    @cached_property
    def scalers(self) -> list[Scaler]:
        return self._subjects(Scaler)

    @cached_property
    def modules(self) -> list[Module]:
        return self._subjects(Module)

    @cached_property
    def iterators(self) -> list[ParameterIterator]:
        """The iterators over parameters that assignments keep."""
        return self._subjects(ParameterIterator)

    @cached_property
    def settings(self) -> list[Settings]:
        return self._subjects(Settings)

    @cached_property
    def states(self) -> list[StateDict]:
        """The state dicts that are taken."""
        return self._subjects(StateDict)

    @cached_property
    def disks(self) -> list[Disk]:
        """What files are saved to and loaded from."""
        return self._subjects(Disk)

    def _subjects(self, *kinds: type[AnyObj]) -> list[AnyObj]:
        found: dict[AnyObj, None] = {}
        for event in self.events:
            for obj in sorted(involved(event), key=lambda o: (o.name, o.kind, o.number)):
                if isinstance(obj, kinds) and self.stands(obj):
                    found.setdefault(obj)
        return list(found)

    def run(self, automaton: Automaton, obj: Obj, *, only_with: type[Event] | None = None, without: Collection[Event] = ()) -> list[Visit]:
        """The visits of an automaton for one object; none, and nothing is run, where no event of a kind happens to it without which there is nothing to say."""
        touching = self._events_touching(obj)
        if only_with is not None and not any(isinstance(event, only_with) for event, _ in touching):
            return []
        if without:
            return self.run_past(automaton, obj, (), without)
        if (automaton, obj) not in self._visits:
            self._visits[automaton, obj] = _once_built(obj, touching, self._run(automaton, touching))
        return self._visits[automaton, obj]

    def _run(self, automaton: Automaton, touching: list[tuple[Event, Touch]]) -> list[Visit]:
        relevant = {event.index: certainty for event, certainty in touching if event.kind in automaton.kinds}
        # Parts of one model that the same events happen to are in the same states.
        key = (automaton, tuple(relevant.items()))
        if key not in self._runs:
            # Each automaton needs a part of the slices around all events that happen to the object.
            slices = self.slices.narrowed({event.index for event, _ in touching})
            self._runs[key] = run(slices, automaton, relevant)
        return self._runs[key]

    def run_past(self, automaton: Automaton, obj: Obj, others: Iterable[Event], without: Collection[Event] = ()) -> list[Visit]:
        """The visits of an automaton for one object, at other events too, which change a state where it has an arrow for them, and past some as if they were not."""
        touching = self._events_touching(obj)
        relevant = {event.index: certainty for event, certainty in touching if event.kind in automaton.kinds and event not in without}
        relevant |= {event.index: "must" for event in others}
        key = (automaton, tuple(sorted(relevant.items())))
        if key not in self._runs:
            self._runs[key] = run(self.slices, automaton, relevant)
        return _once_built(obj, touching, self._runs[key])

    def _events_touching(self, obj: Obj) -> list[tuple[Event, Touch]]:
        """The events that happen to an object, for sure or perhaps."""
        found = self._touching.get(obj)
        if found is None:
            events = [e for root in self._roots_of(obj) for e in self.may_touch(root, obj)]
            found = self._touching[obj] = [(e, certainty) for e in events if (certainty := self.touches(e, obj))]
        return found

    @cached_property
    def _roots_by_object(self) -> dict[Obj, set[str]]:
        found: dict[Obj, set[str]] = {}
        for subject, events in self._by_subject.items():
            for obj in subject.lineage():
                found.setdefault(obj, set()).update(e.root for e in events)
        return found

    def _roots_of(self, obj: Obj) -> list[str]:
        """The roots from which something happens to an object, to what it holds or to what contains it."""
        related_objects = [*obj.lineage(), *held_by([obj])]
        return sorted({root for o in related_objects for each in o.lineage() for root in self._roots_by_object.get(each, ())})

    def built_after(self, event: Event) -> bool:
        """Whether an optimizer that holds some of an event's modules, or a part that it brings, is built after it."""
        modules = {*event.subjects, *(event.new if isinstance(event, Replace) else ())}
        later = [e for e in self.of(Construct) if e.index > event.index and e.root == event.root]
        return any(isinstance(o, Optimizer) and related(o.holds, modules) for e in later for o in e.subjects)

    @cached_property
    def moved_or_switched(self) -> frozenset[Obj]:
        """The objects that are moved to a device somewhere, whose mode is set, or whose `forward` is called so: modules, whatever else of them is out of sight."""
        named = (e for e in self.of(Forward) if isinstance(e.site.node, cst.Call) and _is_forward(e.site.node.func))
        return frozenset().union(*(e.subjects for e in (*self.of(Move, Eval, Train), *named)))

    @cached_property
    def steps_unknown_objects(self) -> bool:
        """Whether something steps that is not known, and has no name or that of an optimizer: `self.optimizers()[0].step()`, `wrapped.optimizer.step()`."""
        known = {id(e.site.node) for e in self.of(Step, Schedule)}
        return any(
            isinstance(call.func, ir.Attr)
            and call.func.attr == "step"
            and not call.args
            and ((path := ir.path_of(call.func.value)) is None or "opt" in path.rpartition(".")[2].lower())
            and id(call.node) not in known
            for call in self.reached.gradient_calls
        )

    # -- loops

    @cached_property
    def batch_loops(self) -> frozenset[Loop]:
        """The innermost loops whose bodies run backward, or go over the batches that such a loop does several things with."""
        return frozenset(_of_batches(e.loops[-1]) for e in self.of(Backward) if e.loops and not e.manual)

    @cached_property
    def stepping_loops(self) -> frozenset[Loop]:
        return frozenset(e.loops[-1] for e in self.of(Step) if e.loops)

    @cached_property
    def member_loops(self) -> frozenset[Loop]:
        """The loops of which each turn steps with an optimizer of its own, as over the agents of a team: they have as many turns as there are optimizers."""
        found = set()
        for event in self.of(Step):
            chain = {id(site.node) for site in event.chain}
            for loop in event.loops:
                members = by_loop(loop.function).get(id(loop.stmt)) if loop.function is not None else None
                if members is not None and (not chain.isdisjoint(members.called) or id(event.site.node) in members.given):
                    found.add(loop)
        return frozenset(found)

    def batch_loop(self, event: Event) -> Loop | None:
        """The batch loop that an event is in."""
        return next((loop for loop in reversed(event.loops) if loop in self.batch_loops), None)

    def counts_epochs(self, loop: Loop) -> bool:
        """Whether a loop's turns are epochs by name: it is no batch loop, though each turn may be a single full batch."""
        return counts_epochs(loop.counting, loop.targets)

    def every_iteration(self, event: Event, loop: Loop) -> bool:
        """Whether an event happens in each iteration of a loop: no condition that changes from turn to turn stands before it."""
        return not self.varying(event, loop)

    def in_each_iteration_of(self, others: Iterable[Event], event: Event, loop: Loop) -> bool:
        """Whether an event happens in each iteration of a loop in which one of the others does."""
        return all(guard in other.guards for guard in self.varying(event, loop) for other in others)

    def varying(self, event: Event, loop: Loop) -> list[Guard]:
        """The conditions of an event inside a loop that can change from one iteration to the next."""
        depth = event.loops.index(loop) + 1
        return [g for g in event.guards if g.depth >= depth and not g.stays and self.varies(g, loop)]

    def varies(self, guard: Guard, loop: Loop) -> bool:
        """Whether the outcome of a condition can change from one iteration of a loop to the next."""
        if guard.home is loop.frame:
            names = guard.names if guard.frame is guard.home else ir.paths_in(guard.meaning)
            return any(name in loop.assigned or name.partition(".")[0] in loop.assigned for name in names)
        # Whatever frame its words are of, the loop may set an attribute that it asks for.
        attributes = {path.rpartition(".")[2] for path in loop.assigned if "." in path}
        if any(name.rpartition(".")[2] in attributes for name in guard.names if "." in name):
            return True
        if guard.home in loop.frame.outward() or guard.home.outer is None:
            return False  # nothing sets its names as long as the loop runs: they are of a call around it, or of a module that has run
        return not all(_is_setting(name) for name in guard.names)

    @cached_property
    def training_passes(self) -> dict[Loader, Pass]:
        """The loaders whose batches some loop trains on, once in each epoch."""
        found: dict[Loader, Pass] = {}
        built = {obj: e for e in self.of(BuildLoader) for obj in e.subjects}
        stepping = {loop for e in self.of(Step) for loop in e.loops}
        stepping |= {loop for e in self.of(Backward) if related(self.stepped_by_hand, e.subjects) for loop in e.loops}
        for event in self.of(Backward):
            for depth, loop in enumerate(event.loops):
                if not depth or loop not in stepping or event.manual or not event.loops[depth - 1].repeats:
                    continue
                one = only_loader(loop.over) or _only(loop.taken)
                loaders = [one] if one is not None else _one_of(loop, event, built)
                for loader in loaders:
                    if loader in built and event.loops[depth - 1] not in built[loader].loops:
                        others = tuple(built[o] for o in loaders if o is not loader)
                        found.setdefault(loader, Pass(built[loader], event, event.loops[depth - 1], loop, others))
        return found

    def carries_state(self, loop: Loop) -> bool:
        """Whether a module that a loop applies carries something from one batch to the next."""
        return any(isinstance(o, Module) and o.carries for e in self.of(Forward) if loop in e.loops for o in e.subjects)

    def epoch_is_set(self, sampler: Sampler, loader: Loader, *, by_callers: bool = True) -> bool:
        """Whether the epoch of a sampler may be set anywhere: by the program, or by code into which it escapes, as those are who call the program's functions."""
        called = any(not e.subjects or e.subjects & {sampler, loader} for e in self.of(EpochSet))
        escaped = any(obj.escaped if by_callers else obj.lost for obj in (sampler, loader))
        return called or escaped or loader.prepared

    # -- checkpoints

    @cached_property
    def device_choice(self) -> Move | None:
        """A move of a module to the CPU or to an accelerator, whichever the machine has, or to a GPU where one is asked for."""
        return next((e for e in self.of(Move) if e.chosen or moves_where_asked(e, self.of(Move))), None)

    def may_move_to_either(self, objects: Iterable[Obj]) -> bool:
        """Whether some of these models, or of those that these optimizers hold, may be on a GPU on one machine and on the CPU on another.

        An optimizer beside models of which it holds none is one of several that are restored at one place: its models have files of their own.
        """
        given = list(objects)
        models = [o for o in given if not isinstance(o, Optimizer)]
        held = held_by(o for o in given if isinstance(o, Optimizer) and (not models or related(o.holds, models)))
        models += held
        if not models or any(o.symbolic or o.escaped for o in models):
            return True
        moves = [e for e in self.of(Move) if related(e.subjects, models)]
        return any(e.chosen or e.device is None or moves_where_asked(e, moves) for e in moves)

    def restored_from(self, file: File) -> list[LoadState]:
        """Where what was read from a file is given to objects as their state."""
        return [e for e in self.of(LoadState) if file in e.files]

    # -- forwards

    @cached_property
    def forwards(self) -> dict[object, Forward]:
        return {e.key: e for e in self.of(Forward)}

    def forwards_of(self, keys: Iterable[object]) -> list[Forward]:
        """The forwards with some keys, in the order of the graph."""
        return sorted((self.forwards[key] for key in keys if key in self.forwards), key=lambda e: e.index)

    def graph_of(self, tensor: Tensor) -> list[Forward] | list[Backward]:
        """Where a tensor's graph is known from: the forwards that it comes from, or else the backwards that it went through, or will go through."""
        return self.forwards_of(tensor.forwards) or [
            e for e in self.of(Backward) if SentBackward(e.key) in tensor.tags or tensor in e.of_parameters
        ]

    def carries_graph(self, tensor: Tensor) -> bool:
        """Whether a tensor has its graph: it is known to, or it is a loss of predictions through which some backward goes, if not from every branch.

        Where a branch has a constant in the place of a tensor, the others have it with its graph. That one of these is taken is told by what goes backward,
        of this call or, if an option or a setting decides it, of another one.
        """
        if tensor.graph == "maybe" and tell_of_a_graph(tensor.tags) and tensor.forwards:
            left = tensor.forwards - self.uses.trained
            settled = Mark.PLACE_HELD in tensor.tags and Mark.UNSETTLED not in tensor.tags
            return not left or (
                settled and all(key in self.forwards and self._is_trained_in_another_call(self.forwards[key]) for key in left)
            )
        if tensor.graph != "yes" or (tensor.forwards and tensor.forwards <= self._graphless):
            return False
        # In a program for torch 0.3 a volatile input leaves no graph.
        return not any(self.is_volatile(e) or any(map(self.is_untrained_method, e.subjects)) for e in self.forwards_of(tensor.forwards))

    def is_volatile(self, event: Forward) -> bool:
        """Whether a forward leaves no graph in the words of torch 0.3, in a program that may run on it."""
        return event.volatile and self.heeds_volatility

    @cached_property
    def heeds_volatility(self) -> bool:
        """Whether what is volatile may have no graph: no file of the program is written for torch 0.4 or later, which makes nothing of that word."""
        codes = (module.code for module in self.modules_read if module.code is not None)
        return self.target_torch < WITH_NO_GRAD or not needs_no_grad(codes)

    @cached_property
    def _graphless(self) -> frozenset[EventKey]:
        """The forwards of which some part becomes an array as it is, and so has no graph, and of which alone nothing goes backward."""
        alone = {key for each in self.of(Backward) if len(each.forwards) == 1 for key in each.forwards}
        return frozenset(self.uses.graphless - alone)

    def _is_trained_in_another_call(self, event: Forward) -> bool:
        """Whether a forward records its graph, and goes backward where another call of the function that it stands in applies the same model."""
        return event.grad is True and (id(event.site.node), event.subjects) in self._trained_at

    @cached_property
    def _trained_at(self) -> frozenset[tuple[int, frozenset[Obj]]]:
        """The nodes at which forwards stand whose results go backward, with the models that they apply there."""
        return frozenset((id(e.site.node), e.subjects) for e in self.of(Forward) if e.key in self.uses.trained)

    def may_be_a_method(self, part: Obj) -> bool:
        """Whether what goes by a name of a module out of sight may be a method of it: none is moved to a device, or switched between the modes."""
        return isinstance(part, Module) and part.symbolic and part.part and part not in self.moved_or_switched

    def is_untrained_method(self, part: Obj) -> bool:
        """Whether what may be a method out of sight gives nothing that goes backward anywhere, and no loss by its name: what it gives may have no graph."""
        return self.may_be_a_method(part) and part not in self._trained_subjects and not names_a_loss(part.name.rpartition(".")[2])

    @cached_property
    def _trained_subjects(self) -> frozenset[Obj]:
        return frozenset(o for e in self.of(Forward) if self.is_trained(e) for o in e.subjects)

    @cached_property
    def differentiating_loops(self) -> frozenset[Loop]:
        """The loops in which something is differentiated, or a loss goes backward."""
        forwards = (e for e in self.of(Forward) if self.is_trained(e) or e.key in self.uses.differentiated)
        return frozenset(loop for e in (*(b for b in self.of(Backward) if not b.manual), *forwards) for loop in e.loops)

    @cached_property
    def escapes_in_evaluations(self) -> dict[Escape, list[tuple[Eval, Loop]]]:
        """What code out of sight gets without gradients in the turns of a loop that trains nothing; with each `eval()` that is called for it before the loop.

        Such code leaves that mode as it is: the next turn needs it.
        """
        switches: dict[object, list[Eval]] = {}
        for each in self.of(Eval):
            if each.certain:
                switches.setdefault((each.root, tuple(each.loops)), []).append(each)
        training = self.differentiating_loops.union(*(e.loops for e in self.of(Train, SetMode, Step)))
        found: dict[Escape, list[tuple[Eval, Loop]]] = {}
        for escape in self.of(Escape):
            if escape.grad is not False or escape.output:
                continue
            for depth, loop in enumerate(escape.loops):
                before = switches.get((escape.root, tuple(escape.loops[:depth])), ()) if loop not in training else ()
                for each in before:
                    if each.index < escape.index and each.calls == escape.calls[: len(each.calls)] and stands_under(escape, each.guards):
                        found.setdefault(escape, []).append((each, loop))
        return found

    def arguments_of(self, event: Forward) -> Arguments | None:
        """What a forward is given, where its class is known."""
        return self.applications.arguments.get((*event.key[:2], "applied"))

    def is_trained(self, event: Forward) -> bool:
        """Whether a forward's result goes backward."""
        return event.key in self.uses.trained or event.key in self.uses.attacked

    def certainly_trains(self, event: Forward, module: Obj) -> bool:
        """Whether a forward is certainly one of a module's own training, by an optimizer of the program."""
        return (
            self.is_trained(event)
            and not event.frozen
            and event.certain
            and not self.for_input_gradient(event)
            and related(self.stepped_modules, {module})
            and self._updates(event, module)
            and not self._goes_backward_in_train_mode_only(event)
        )

    def _goes_backward_in_train_mode_only(self, event: Forward) -> bool:
        """Whether a forward goes backward under tests of the mode alone, `if model.training:`, so that what it finds is a training where it trains."""
        backwards = [e for e in self.of(Backward) if event.key in e.forwards]
        return bool(backwards) and all(map(only_in_train_mode, backwards))

    def _updates(self, event: Forward, module: Obj) -> bool:
        """Whether the gradients that a forward leads to are those of the module's own phase: where its loop steps, some of these steps use them.

        A backward in a loop of its own, in and around which nothing steps, fills gradients for something else: a saliency map in a validation.
        What `autograd.grad` gives in a loop in which nothing goes backward, sets gradients or steps, is measured.
        """
        loops = self._loops_of_backwards.get(event.key, {})
        if not loops and event.loops and not any(event.loops[-1] in e.loops for e in self.of(Step, Backward)):
            return False
        steps = [e for loop in loops for e in self._steps_by_loop.get(loop, ())]
        if loops and not steps and any(e.root == event.root for e in self.of(Step)):
            around = {each for loop in loops for each in loop.lineage()}
            return any(e.root == event.root and (not e.loops or e.loops[-1] in around) for e in self.of(Step))
        if steps and all(map(_only_of_tensors, steps)):
            return False  # an image is made, or a latent code is sought
        subjects = {obj for e in steps for obj in e.subjects}
        holds = self.holding(subjects) | {obj for obj in subjects if isinstance(obj, Engine)}
        return not holds or any(not e.subjects for e in steps) or related(holds | self.stepped_by_hand, {module})

    @cached_property
    def _loops_of_backwards(self) -> dict[object, dict[Loop, None]]:
        """For each forward: the innermost loops in which its result goes backward."""
        found: dict[object, dict[Loop, None]] = {}
        for event in self.of(Backward):
            for key in event.forwards if event.loops else ():
                found.setdefault(key, {}).setdefault(event.loops[-1])
        return found

    @cached_property
    def _steps_by_loop(self) -> dict[Loop, list[Step]]:
        found: dict[Loop, list[Step]] = {}
        for event in self.of(Step):
            for loop in event.loops:
                found.setdefault(loop, []).append(event)
        return found

    def goes_backward(self, event: Keep | Accumulate) -> bool:
        """Whether what is kept or added up at a place goes backward, in this call of the function around it or in another."""
        return event.key in self.uses.going_backward or event.site.node in self._going_backward or self._is_made_into_a_loss(event)

    def _is_made_into_a_loss(self, event: Keep | Accumulate) -> bool:
        """Whether code out of sight gets the object in which something is kept, and something goes backward behind the loop that fills it."""
        if event.value.forwards.isdisjoint(self.uses.lent):
            return False
        later = (e for e in self.of(Backward) if e.index > event.index and e.root == event.root and not e.manual)
        return any(not set(event.carried) & set(e.loops) for e in later)

    @cached_property
    def _going_backward(self) -> frozenset[object]:
        return frozenset(e.site.node for e in self.of(Keep, Accumulate) if e.key in self.uses.going_backward)

    def feeds_training(self, event: Forward) -> bool:
        """Whether a forward's result is what another one is trained on, or towards: a generator's samples, the codes of an encoder, pseudo-labels."""
        return self.gives_inputs(event) or event.key in self.uses.supervising

    def gives_inputs(self, event: Forward) -> bool:
        """Whether another forward is trained on a forward's result: the samples of a generator, the features for a head."""
        return event.key in self._fed

    @cached_property
    def _fed(self) -> frozenset[object]:
        given = [e.inputs for e in self.of(Forward) if self.is_trained(e)]
        return frozenset(key for inputs in given if inputs is not None for key in inputs.origins | told_by(inputs.tags))

    def looks_again(self, event: Forward) -> bool:
        """Whether a forward goes over a batch that another one in the same turn of the loop is trained on."""
        loop, batch = event.loops[-1:], event.batches
        others = (e for e in self.of(Forward) if e.subjects & event.subjects and e.loops[-1:] == loop and self.is_trained(e))
        return bool(loop) and bool(batch) and any(e.batches == batch for e in others)

    def for_input_gradient(self, event: Forward) -> bool:
        """Whether a forward is made for the gradient of its input: an attack, a saliency map."""
        inputs = event.inputs
        wanted = inputs is not None and Mark.INPUT_GRADIENT in inputs.tags and not self._only_steps(event)
        return wanted or (event.key in self.uses.attacked and event.key not in self.uses.trained)

    def _only_steps(self, event: Forward) -> bool:
        """Whether the gradients that a forward leads to are stepped on, and nothing reads those of inputs: `Variable(x, requires_grad=True)` by habit."""
        read = self.gradients.read_of_tensors
        steps = (step for loop in self._loops_of_backwards.get(event.key, ()) for step in self._steps_by_loop.get(loop, ()))
        return not self.gradients.read_unknown and not read.intersection(event.loops) and not all(map(_only_of_tensors, steps))

    @cached_property
    def kept_in_eval(self) -> frozenset[Obj]:
        """The modules that are set to eval mode, and neither they nor what they are part of to train mode: frozen feature extractors."""
        evaluated, trained = ({obj for e in self.of(kind) for obj in e.subjects} for kind in (Eval, Train))
        return frozenset(obj for obj in evaluated if not trained & set(obj.lineage()))

    @cached_property
    def held_modules(self) -> frozenset[Obj]:
        """The modules whose parameters some optimizer holds, whether it steps or not."""
        return self.holding(self.all_optimizers) | {o for o in self.all_optimizers if isinstance(o, Engine)}

    @cached_property
    def stepped_by_hand(self) -> frozenset[Obj]:
        """The modules whose parameters the program steps with no optimizer: it applies their gradients, and writes their parameters."""
        read, written = self.gradients.applied, self.gradients.written
        around = {each for obj in written for each in obj.lineage()}
        stepped = self.gradients.stepped | {obj for obj in read if obj in around or not written.isdisjoint(obj.lineage())}
        engines = {obj for e in self.of(Construct) for obj in e.subjects if isinstance(obj, Engine)} if stepped else set()
        return stepped | {engine for engine in engines if related(stepped, refs(engine.model, Module))}

    @cached_property
    def stepped_modules(self) -> frozenset[Obj]:
        """The modules whose parameters some optimizer steps, or the program itself."""
        stepped = {obj for event in self.of(Step) for obj in event.subjects}
        unknown = [(e, o) for e in self.of(Step) for o in e.subjects if isinstance(o, Optimizer) and not o.holds and not o.of_tensors]
        alone = [self._goes_with(step, optimizer) for step, optimizer in unknown]
        return self.holding(stepped) | {obj for obj in stepped if isinstance(obj, Engine)} | self.stepped_by_hand.union(*alone)

    def _goes_with(self, step: Event, optimizer: Optimizer) -> frozenset[Obj]:
        """The modules that the gradients for a step are those of, where no analysed code builds the optimizer.

        Of several such optimizers it is not known which holds what: together they hold what is put in train mode and goes backward, and each what
        alone goes backward for its steps. Where one model goes backward, each time for all of them, they hold its parts.
        """
        beside = self._optimizers_by_root.get(step.root, set())
        if any(o.holds for o in beside if isinstance(o, Optimizer)) or not all(
            isinstance(o, Optimizer) and o.symbolic for o in beside - {optimizer}
        ):
            return frozenset()
        filled = [e for e in self.of(Backward) if e.root == step.root and set(e.loops) & set(step.loops)]
        modules = {obj for e in filled for obj in e.subjects if isinstance(obj, Module)}
        several = len({whole for obj in modules for *_, whole in [list(obj.lineage())]}) > 1
        if several or not all(isinstance(o, Optimizer) and self._used_events.get(o, frozenset()).issuperset(filled) for o in beside):
            trained = {obj for e in self.of(Train) for obj in e.subjects} | self._models_apart.get(optimizer, frozenset())
            modules &= trained  # what only lies in between is not trained
        return frozenset(modules)


def _is_forward(called: cst.BaseExpression) -> bool:
    """Whether what is called is the `forward` of something: `self.encoder.forward`."""
    return isinstance(called, cst.Attribute) and called.attr.value == "forward"


def _only(objects: Collection[Obj]) -> Loader | None:
    """The one loader among some objects, where it is nothing else."""
    found = next(iter(objects)) if len(objects) == 1 else None
    return found if isinstance(found, Loader) and not found.many else None


def _one_of(loop: Loop, event: Event, built: Mapping[Obj, Event]) -> list[Loader]:
    """The loaders of which a loop goes over that which a run has built, in one branch of a condition or another, where each may lead to an event."""
    found = [o for o in sorted(loaders_in(loop.over), key=lambda o: o.name) if isinstance(o, Loader) and not o.many and o in built]
    if len(found) < len(loop.over) or any(rule_each_other_out(built[o].guards, event.guards) for o in found):
        return []
    return found if all(exclude_each_other(built[a], built[b]) for a, b in combinations(found, 2)) else []


def _only_of_tensors(step: Step) -> bool:
    """Whether a step changes nothing but tensors of the program's own."""
    return bool(step.subjects) and all(isinstance(o, Optimizer) and o.of_tensors for o in step.subjects)


def _of_batches(loop: Loop) -> Loop:
    """The loop over a loader in which another one goes over a few numbers or texts that are written there: `for batch in loader: for number in [0, 1]:`."""
    outer = loop.parent
    written = bool(loop.over) and all(map(_is_written, loop.over))
    return outer if outer is not None and written and is_over_loader(outer.over) else loop


def _is_written(atom: Atom) -> bool:
    items = exact_items(frozenset({atom})) if isinstance(atom, Ref | Tuple) else None
    return bool(items) and all(isinstance(a, Const) for item in items or () for a in item)


def _is_setting(name: str) -> bool:
    """Names that hold settings of a run rather than something of an iteration."""
    return name.partition(".")[0] in ("self", "args", "cfg", "config", "opt", "opts", "hparams", "params", "FLAGS") or name.isupper()


def _once_built(obj: Obj, touching: Sequence[tuple[Event, Touch]], visits: list[Visit]) -> list[Visit]:
    """The visits of what is built in sight in states of paths that have built it: on the others there is nothing to use, whatever holds it.

    A script begins with nothing. What a function keeps somewhere may be there from an earlier call of it.
    """
    kinds = obj.one_of or (obj,)
    built = [e for e, certainty in touching if e.kind == "construct" and certainty == "must" and not (e.root and obj.outlives)]
    if not built or any(o.symbolic or not any(builds(e, o) for e in built) for o in kinds):
        return visits
    roots = {e.root for e in built}
    return [there for visit in visits if (there := visit.once_built() if visit.event.root in roots else visit).states]
