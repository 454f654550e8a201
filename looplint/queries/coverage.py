"""Which training loops of a program were understood: that nothing is reported about the others means nothing, and the output says so.

What counts as a training loop is read off the text alone: a call of `backward` in its innermost loop (or in its function, where a caller loops), in a
program that steps. It is *judged* where that call is known to reach parameters that an optimizer in sight steps, or could step; only then do the rules
see all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from looplint.dataclass import dataclass
from looplint.domain.objects import Engine, FrameworkObject, Optimizer
from looplint.flow.events import Backward, Escape, Event, Schedule, Step
from looplint.knowledge.frameworks import FRAMEWORK_HOOKS
from looplint.queries.cut_graphs import holds_known_models, is_whole_model
from looplint.queries.program import Program
from looplint.queries.relations import related
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo
from looplint.syntax.site import Site

# What has a `step` beside optimizers: what has nothing to do with training, and schedulers.
_NO_TRAINING = ("env", "prof", "prun")
_NO_OPTIMIZER = (*_NO_TRAINING, "sched", "lr_", "warmup")


@dataclass(frozen=True, slots=True)
class TrainingLoop:
    """A training loop of the text, the `number`-th of its file: the call of `backward` it is known by, and how far it was understood.

    `function` is the qualified name of the function it stands in, `reason` says why it is not judged; `owner` names the library that runs the loop in
    place of the program. `roots` are the functions ("file::function") from which it was followed. `certain` are the numbers of those of its calls of
    `backward` of which it is certain that they reach what one optimizer certainly steps.
    """

    site: Site
    number: int
    function: str = ""
    reason: str = ""
    owner: str = ""
    roots: tuple[str, ...] = ()
    certain: tuple[int, ...] = ()


def training_loops(program: Program, main: ModuleInfo, modules: Iterable[ModuleInfo]) -> Iterator[TrainingLoop]:
    """The training loops of the linted file, and those of other files that were judged with this file's objects.

    Args:
        program: what was followed.
        main: the linted file.
        modules: all files of the project of which something was read.
    """
    known = _Known(program)
    for info in modules:
        for number, calls in enumerate(_loops(info)):
            reason = _reason(program, known, info, calls)
            if reason and info.code is not None and info is main:
                # Where the script itself ends in an error, that is why its functions were followed without what it hands them.
                reason = program.reached.misfits.get(info.code.top, reason)
            if reason == "" or (info is main and reason is not None):
                roots = sorted({event.root for call in calls for event in known.backwards.get(id(call.call.node), ())})
                certain = tuple(position for position, call in enumerate(calls) if _is_certain(program, known, call))
                yield TrainingLoop(Site(info, calls[0].call.node), number, calls[0].function.qualname, reason, "", tuple(roots), certain)
    hooks = list(_of_hooks(program, main))
    yield from hooks
    # A Trainer beside a class with hooks runs the loop over these.
    trainers = (
        {} if hooks else {id(o.node): o for o in program.heap.objects.values() if isinstance(o, FrameworkObject) and o.source is main}
    )
    for number, trainer in enumerate(trainers.values(), 1):
        # What is done with each batch was followed, where it is a function that the trainer is given.
        if trainer.node is not None and not trainer.updates:
            yield TrainingLoop(Site(main, trainer.node), -number, owner=trainer.qualname.partition(".")[0])


def _of_hooks(program: Program, main: ModuleInfo) -> Iterator[TrainingLoop]:
    """The loops that a framework runs over hooks of the linted file, and goes backward in: known by the hook that gives the loss."""
    found: dict[int, list[Backward]] = {}
    for event in program.of(Backward):
        if event.via == "framework" and event.site.module is main:
            found.setdefault(id(event.site.node), []).append(event)
    for number, events in enumerate(found.values(), len(list(_loops(main)))):
        hook = events[0].site.node
        name = hook.name.value if isinstance(hook, cst.FunctionDef) else "training_step"
        reason = "" if any(event.subjects for event in events) else f"what `{name}` gives is not known to be a loss of the model"
        yield TrainingLoop(events[0].site, number, name, reason, roots=tuple(sorted({event.root for event in events})))


class _Known:
    """What the graph has of each call of the text."""

    def __init__(self, program: Program) -> None:
        self.backwards: dict[int, list[Event]] = {}
        steps = program.of(Step)
        # A class may have a method of its own that it is called through: `self.step()`.
        self.steps = {id(site.node) for step in (*steps, *program.of(Schedule)) for site in step.chain}
        self.stepped = {obj for step in steps for obj in step.subjects if isinstance(obj, Optimizer | Engine)}
        self.surely_stepped = {obj for obj in self.stepped if any(program.touches(step, obj) == "must" for step in steps)}
        for backward in program.of(Backward):
            for site in backward.chain:
                self.backwards.setdefault(id(site.node), []).append(backward)
        # By files and qualified names of functions, the calls of `step` that can be an optimizer's.
        self._beside: dict[int, dict[str, list[ir.GradientCall]]] = {}

    def steps_beside(self, info: ModuleInfo, call: ir.GradientCall) -> list[ir.GradientCall]:
        """The calls of `step` that can be an optimizer's in the function of a call of `backward`, or that are given this function as their closure."""
        by_function = self._beside.get(id(info))
        if by_function is None:
            by_function = self._beside[id(info)] = {}
            for step in _steps(info):
                if len(step.call.args) <= 1 and not _names(step.call, _NO_OPTIMIZER):
                    where = step.function.qualname
                    by_function.setdefault(where, []).append(step)
                    for closure in (arg.value.id for arg in step.call.args if isinstance(arg.value, ir.Name)):
                        by_function.setdefault(closure if where == "<module>" else f"{where}.{closure}", []).append(step)
        return by_function.get(call.function.qualname, [])


def _loops(info: ModuleInfo) -> Iterable[list[ir.GradientCall]]:
    """The calls of `backward` in a file, those of one innermost loop together."""
    found = info.code.gradient_calls if info.code is not None else ()
    calls = [call for call in found if call.kind == "backward" and not _is_of_its_callers(call)]
    if not calls:
        # What wraps an optimizer goes backward and steps for loops that stand elsewhere: it is the part of them that this file has.
        stepping = {id(call.cls) for call in found if call.kind == "step" and call.cls is not None}
        calls = [call for call in found if call.kind == "backward" and id(call.cls) in stepping]
    groups: dict[tuple[int, int], list[ir.GradientCall]] = {}
    for call in calls:
        groups.setdefault((id(call.function), id(call.loop)), []).append(call)
    return groups.values()


def _is_of_its_callers(call: ir.GradientCall) -> bool:
    """Whether a call of `backward` is what a method of this name does for a loop that calls it."""
    return call.function.name == "backward" and call.cls is not None


def _reason(program: Program, known: _Known, info: ModuleInfo, calls: list[ir.GradientCall]) -> str | None:
    """Why a loop is not judged: "" where it is, None where it is no training loop."""
    real = [call for call in calls if not program.reached.only_called_so.get(call.call)]
    calls = real or calls
    if not real and not known.steps_beside(info, calls[0]):
        return None  # a method of this name computes the loss, which a validation wants as well
    events = [event for call in calls for event in known.backwards.get(id(call.call.node), ())]
    first = calls[0]
    steps = known.steps_beside(info, first)
    backwards = [event for event in events if isinstance(event, Backward)]
    if backwards and not steps and all(_is_of_inputs(program, b) and not _is_stepped(program, known, b) for b in backwards):
        return None  # what a classifier says of its input steers a sampler
    if any(program.touches(event, obj) == "must" for event in events for obj in known.stepped):
        return ""
    if any(related(program.stepped_by_hand, event.subjects) for event in events):
        return ""
    if not steps and any(program.touches(event, obj) == "must" for event in events for obj in program.all_optimizers):
        return ""  # that nothing steps is known as well
    steps_somewhere = any(not _names(step.call, _NO_TRAINING) for step in _steps(info))
    if not steps_somewhere and not _hands_over(first.call):
        # Gradients of inputs, checks of gradients: nothing here is trained, unless gradients are cleared beside a backward that a call in error hides.
        hidden = not any(call.call in program.reached.gradient_calls for call in calls) and "zero_grad" in first.function.methods
        return program.reached.misfit(first.function) if hidden else None
    if events and not steps and all(_never_steps(program, e.root) or _happens_once(program, e) for e in events):
        return None  # checks of gradients, in a file that steps elsewhere
    if not any(call.call in program.reached.gradient_calls for call in calls):
        return _unreached(program, first)
    loss = _loss(first.call)
    if not events:
        return program.reached.misfit(first.function) or f"`{loss}` is not known to be a loss"
    if not any(event.subjects for event in events):
        return f"the model that `{loss}` comes from is not known"
    unknown = sorted((step for step in steps if id(step.call.node) not in known.steps), key=lambda step: step.loop is not first.loop)
    if unknown and isinstance(unknown[0].call.func, ir.Attr):
        ends_before = program.reached.misfits.get(first.function)
        return ends_before or f"`{ir.render(unknown[0].call.func.value)}` is not known to be an optimizer"
    if not known.stepped:
        return "no step of an optimizer was found"
    if all(is_whole_model(o) for event in events for o in event.subjects) and all(_is_misplaced(program, o) for o in known.stepped):
        return ""  # that the optimizer holds others is known as well
    return _held_by(program, events, loss)


def _held_by(program: Program, events: Iterable[Event], loss: str) -> str:
    """What is known of the optimizers that hold the parameters which a backward reaches, where none of them is known to step on all of these."""
    touches = {program.touches(event, obj) for event in events for obj in program.all_optimizers}
    if "must" in touches:
        return f"the optimizer that holds the parameters that `{loss}` comes from is not known to step"
    if "may" in touches:
        return f"which optimizer holds the parameters that `{loss}` comes from is not known"
    return f"no known optimizer holds the parameters that `{loss}` comes from"


def _is_misplaced(program: Program, obj: Optimizer | Engine) -> bool:
    """Whether an optimizer holds models that are known, and nothing goes backward through them."""
    return holds_known_models(obj) and not any(program.touches(event, obj) for event in program.of(Backward))


def _is_of_inputs(program: Program, event: Backward) -> bool:
    """Whether a backward goes through forwards alone that are made for the gradients of their inputs, or is known to reach no parameters."""
    forwards = program.forwards_of(event.forwards)
    return all(map(program.for_input_gradient, forwards)) if forwards else event.known and not event.subjects


def _is_stepped(program: Program, known: _Known, event: Event) -> bool:
    """Whether its caller goes on to step, in the same turn, what holds the parameters that a backward fills: inputs may ask for gradients beside them."""
    filled = [obj for obj in known.stepped if program.touches(event, obj) == "must"]
    return any(
        step.root == event.root and step.loops == event.loops and step.index > event.index and not step.subjects.isdisjoint(filled)
        for step in (program.of(Step) if filled else ())
    )


def _never_steps(program: Program, root: str) -> bool:
    """Whether a run that nobody goes on after, of a script or of a test, has no step, and no code that is out of sight gets what could be stepped."""
    return _is_whole_run(root) and not any(e.root == root and (isinstance(e, Step) or not e.output) for e in program.of(Step, Escape))


def _happens_once(program: Program, event: Event) -> bool:
    """Whether a run goes backward once, through what no code out of sight gets."""
    return (
        not event.loops
        and _is_whole_run(event.root)
        and not any(e.root == event.root and not e.output and e.subjects & event.subjects for e in program.of(Escape))
    )


def _is_whole_run(root: str) -> bool:
    """Whether nobody goes on after what is followed from a root: a script, or a test."""
    return not root or root.rpartition("::")[2].rpartition(".")[2].startswith("test")


def _is_certain(program: Program, known: _Known, call: ir.GradientCall) -> bool:
    """Whether a call of `backward` is known to reach what an optimizer holds that is known to step."""
    return any(
        program.touches(event, obj) == "must" for event in known.backwards.get(id(call.call.node), ()) for obj in known.surely_stepped
    )


def _hands_over(call: ir.Call) -> bool:
    """Whether a call of `backward` gets the loss and what is trained: `strategy.backward(loss, model, optimizer)`; what steps goes by another name."""
    return sum(arg.keyword is None and isinstance(arg.value, ir.Name | ir.Attr) for arg in call.args) > 1


def _unreached(program: Program, call: ir.GradientCall) -> str:
    """Why no path that was followed leads to a call."""
    if call.cls is not None and call.function.name in FRAMEWORK_HOOKS:
        return f"`{call.function.name}` is called by a framework"
    if not program.complete:
        return "the program is too large to be analysed in full"
    if call.function not in program.reached.functions and call.function.name != "<module>":
        return f"no call of `{call.function.qualname}` was found"
    return program.reached.misfit(call.function) or "no analysed path leads to it"


def _steps(info: ModuleInfo) -> Iterator[ir.GradientCall]:
    """The calls of `step` in a file."""
    return (call for call in (info.code.gradient_calls if info.code is not None else ()) if call.kind == "step")


def _names(call: ir.Call, words: tuple[str, ...]) -> bool:
    """Whether one of some words is in the name of what a method is called of."""
    receiver = ir.render(call.func.value).lower() if isinstance(call.func, ir.Attr) else ""
    return any(word in receiver for word in words)


def _loss(call: ir.Call) -> str:
    """The text of what goes backward: the receiver of `loss.backward()`, the argument of `accelerator.backward(loss)`."""
    receiver = call.func.value if isinstance(call.func, ir.Attr) else call.func
    given = [a.value for a in call.args if a.keyword is None]
    return ir.render(given[0] if given and isinstance(receiver, ir.Name | ir.Attr) and not isinstance(given[0], ir.Const) else receiver)
