"""Repairs of validation passes: eval() and no_grad."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from looplint.domain.objects import Module, Obj
from looplint.domain.values import refs
from looplint.finding import Applicability
from looplint.flow.events import Backward, Clear, Escape, Eval, Event, Forward, Move, Train
from looplint.flow.graph import Loop
from looplint.knowledge import naming
from looplint.queries.data_loops import takes_data
from looplint.queries.differentiation import needs_its_graph
from looplint.queries.modes import MODE
from looplint.queries.recorded_graphs import serves_more_classes
from looplint.queries.relations import related
from looplint.queries.statistics import keeps_one_batch
from looplint.queries.torch_versions import may_lack_no_grad
from looplint.repairs.draft import Draft, Infeasible
from looplint.repairs.imports import imported_in, named
from looplint.repairs.layout import Layout, Statement
from looplint.repairs.names import sets
from looplint.repairs.places import Place, in_loop, is_borrowed, is_handed_in, loop_statement, name_in, place_at
from looplint.repairs.planner import Planner, common_block
from looplint.repairs.repair import Plan, Repair
from looplint.syntax import ir
from looplint.syntax.nodes import walk

__all__ = ["InsertEval", "InsertNoGrad"]


class InsertEval(Repair):
    """Insert `eval()` before a validation pass, and `train()` after it where nothing else switches back.

    Attributes:
        module: the model.
        loop: the loop of the validation pass, or None where it has none.
        event: a forward of the pass.
        depth: how many calls lead from the root to the pass.
    """

    module: Obj
    loop: Loop | None
    event: Event
    depth: int

    def plan(self, p: Planner) -> Plan:
        place, target = _pass(p, self.loop, self.event, self.depth)
        innermost = place
        while (found := _named(p, self.module, place, self.event)) is None:
            # A function may have got a method of the model alone, which its caller names.
            outer = self.event.chain.index(place.site) - 1
            place = place_at(self.event, max(outer, 0), p.layouts)
            target = place.statement
            if outer < 0 or _trains(p, target, place.layout):
                raise Infeasible("the model has no name where it is validated")
        switched, name = found
        above = _above_the_others(p, self.module, self.event, self.depth, target) if self.loop is None and place is innermost else target
        # The others would stay in train mode.
        covered = above is target or _can_be_switched_above(p, self.module, name, above, place.layout)
        target = above if covered else target
        draft = Draft(place.layout)
        around = target.block.owner
        if around is not None and target.index == 0 and len(target.block.statements) == 1 and isinstance(around.node, cst.With):
            target = around
        function = place.layout.function_of(target)
        borrowed = function is not None and is_borrowed(name, function, p.nodes_in(function.node))
        handed_in = borrowed or (function is not None and is_handed_in(name, function))
        before = _attack_before(p, self.module, target, place.layout) or target
        around_pass = self.event.loops[: self.event.loops.index(self.loop)] if self.loop is not None else self.event.loops
        trained = [e for e in p.program.of(Forward) if p.program.is_trained(e)]
        # The innermost loop that trains too: a pass over several loaders stands in a loop of its own.
        shared = next((loop for loop in reversed(around_pass) if any(loop in e.loops for e in trained)), None)
        back = shared is not None and not _is_switched_back(p, self.module, self.event, shared)
        # Other files may call the function in their training.
        back = back or (shared is None and borrowed)
        if back and not _returns(target):
            # Others may hand it in eval mode.
            if handed_in:
                kept = p.new_name("was_training", name.removeprefix("self."), function)
                draft.line_before(before, f"{kept} = {name}.training")
            draft.line_after(target, f"{name}.train({kept})" if handed_in else f"{name}.train()")
        draft.line_before(before, f"{name}.eval()")
        # One computation would make its parts in two modes: a search that asks for the root here, and for its leaves elsewhere.
        alone = self.loop is not None or not _predicts_elsewhere(p, self.module, self.event, self.depth)
        # Eval mode would normalise with the statistics of whichever batch was the last.
        useful = not keeps_one_batch(switched)
        # What returns in the middle of the pass leaves eval mode on.
        left = back and any(isinstance(n, cst.Return) for n in p.nodes_in(target.node))
        applicability: Applicability = "safe" if alone and covered and useful and not left and place is innermost else "unsafe"
        return Plan(f"Set {name} to eval mode for this pass", applicability, [draft], name)


class InsertNoGrad(Repair):
    """Run a validation pass under `torch.no_grad()`, or decorate a function that only evaluates.

    Attributes:
        loop: the loop of the validation pass, or None where it has none.
        event: a forward of the pass.
        depth: how many calls lead from the root to the pass.
    """

    loop: Loop | None
    event: Event
    depth: int

    def plan(self, p: Planner) -> Plan:
        loop = self.loop
        if loop is not None and (_computes_elsewhere(loop, self.event, self.depth) or _is_of_more_classes(p, loop, self.event)):
            loop = None
        place, target = _pass(p, loop, self.event, self.depth, narrow=True)
        called = _called_from_elsewhere(p, self.event)
        if self.event.chain.index(place.site) < called:
            # What is called from elsewhere too is where gradients are switched off for all who call it.
            loop, (place, target) = None, _pass(p, None, self.event, called, narrow=True)
        layout = place.layout
        if _needs_gradients(p, target, layout) or _yields(p, target):
            target = place.statement
            if _needs_gradients(p, target, layout):
                raise Infeasible("gradients are computed in the same statement")
            if _yields(p, target):
                raise Infeasible("gradients would stay off where what is yielded goes")
        draft = Draft(layout)
        function = layout.function_of(target)
        local = function is not None and imported_in(layout, function, target, "torch")
        # Who detaches what a model gives knows that it has a graph: a model that is not in sight may need one inside.
        unseen = self.event.key in p.program.uses.detached and any(o.symbolic for o in self.event.subjects)
        # So may a method out of sight that computes a loss, as one with a penalty of a gradient does.
        unseen = unseen or any(p.program.may_be_a_method(o) and not related(p.program.stepped_modules, {o}) for o in self.event.subjects)
        # What leaves with its graph for callers that are not in sight may go backward there.
        left = self.event.key in p.program.uses.handed_on and not _is_named(function, naming.is_for_evaluations)
        partly = self.event.chain.index(place.site) < called
        # What a function of another file is for that does not say so, other callers may train through.
        shared = place.site.module is not self.event.chain[0].module and not _is_named(function, naming.is_a_validation)
        applicability: Applicability = "unsafe" if unseen or left or partly or shared or may_lack_no_grad(p.program, self.event) else "safe"
        no_grad = f"{'torch.no_grad' if local else named(draft, layout, 'torch', 'no_grad')}()"
        if not local and function is not None and _only_evaluates(p, function, layout):
            draft.insert(layout.extent(function.node)[0], f"@{no_grad}{layout.newline}{layout.indent(function)}")
            assert isinstance(function.node, cst.FunctionDef)
            return Plan(f"Switch gradients off in {function.node.name.value}", applicability, [draft])
        wrapped: set[Statement] = set()
        for statement in (target, *self._in_other_calls(p, loop, place, target)):
            first, last = _neighbours(p, statement, layout)
            if first not in wrapped:
                draft.wrap(first, last, f"with {no_grad}:")
                wrapped.update(first.block.statements[first.index : last.index + 1])
        return Plan("Run the pass under torch.no_grad()", applicability, [draft])

    def _in_other_calls(self, p: Planner, loop: Loop | None, place: Place, target: Statement) -> Iterator[Statement]:
        """The other statements that only validate by what a statement calls: gradients stay on there unless they are wrapped as well."""
        if loop is None or target.node is loop.site.node or place.direct:
            return
        for other in p.program.of(Forward):
            again = next((each for each in other.loops if each.site == loop.site), None)
            if other.site == self.event.site and other.grad and again is not None and again is not loop and not p.program.is_trained(other):
                elsewhere, statement = _pass(p, again, other, len(other.calls), narrow=True)
                if elsewhere.layout is place.layout and statement is not target and not _needs_gradients(p, statement, place.layout):
                    yield statement


def _called_from_elsewhere(p: Planner, event: Event) -> int:
    """How many calls lead to the innermost function on the way to an event that code out of sight gets and may call as well; 0 where there is none."""
    handed_out = {function.node for function in p.program.handed_out}
    for depth in range(len(event.calls), 0, -1):
        layout = p.layouts.of(event.chain[depth].module)
        statement = layout.statement_of(event.chain[depth].node)
        function = layout.function_of(statement) if statement is not None else None
        if function is not None and function.node in handed_out:
            return depth
    return 0


def _is_of_more_classes(p: Planner, loop: Loop, event: Event) -> bool:
    """Whether a loop calls a method on the way to a forward in which other classes of the same base go backward."""
    return isinstance(event, Forward) and serves_more_classes(p.program, event, event.chain.index(in_loop(event, loop, p.layouts).site))


def _returns(statement: Statement) -> bool:
    """Whether nothing comes after a statement, because it returns or ends in what does, as the body of a context may."""
    while isinstance(statement.node, cst.With) and statement.blocks and statement.blocks[0].statements:
        statement = statement.blocks[0].statements[-1]
    return isinstance(statement.node, cst.Return)


def _predicts_elsewhere(p: Planner, module: Obj, event: Event, depth: int) -> bool:
    """Whether a model is applied outside the function of a pass as well, in the same run, and nothing is trained on what it gives there."""
    function = [site.node for site in event.chain[:depth]]
    return any(
        [site.node for site in e.chain[:depth]] != function
        for e in p.program.of(Forward)
        if e.root == event.root and module in e.subjects and not p.program.is_trained(e) and not p.program.feeds_training(e)
    )


def _above_the_others(p: Planner, module: Obj, event: Event, depth: int, target: Statement) -> Statement:
    """The statement above which a mode holds for what else a model predicts in the same call too: in another branch, or after the branches."""
    for other in p.program.of(Forward):
        if other.root != event.root or module not in other.subjects or len(other.chain) <= depth:
            continue
        if [site.node for site in other.chain[:depth]] != [site.node for site in event.chain[:depth]]:
            continue
        if p.program.is_trained(other) or p.program.feeds_training(other):
            continue
        _, here, there = common_block(target, place_at(other, depth, p.layouts).statement)
        if here.index <= there.index:
            target = here
    return target


def _can_be_switched_above(p: Planner, module: Obj, name: str, statement: Statement, layout: Layout) -> bool:
    """Whether a model has its name above a statement, and nothing in that switches its mode or trains."""
    renamed = any(name == found or name.startswith(f"{found}.") for found in sets(statement.node))
    switched = any(e.kind in ("train", "mode") and p.program.touches(e, module) for e in p.events_in(statement, layout))
    return not (renamed or switched or _trains(p, statement, layout))


def _is_switched_back(p: Planner, module: Obj, event: Event, loop: Loop) -> bool:
    """Whether something puts a model in train mode between a pass and each of the forwards that train it in a loop, in later turns too."""
    if not any(p.program.touches(e, module) and loop in e.loops for e in p.program.of(Train)):
        return False
    visits = (v for v in p.program.run(MODE, module) if loop in v.event.loops)
    trained = (v for v in visits if isinstance(v.event, Forward) and p.program.is_trained(v.event))
    return all(
        (switch := state.last(Train)) is not None and _lies_between(event, switch, visit.event)
        for visit in trained
        for state in visit.steady(loop)
    )


def _lies_between(first: Event, event: Event, last: Event) -> bool:
    """Whether an event of a loop comes after one and before another, which may follow in the next turn."""
    if first.index < last.index:
        return first.index < event.index < last.index
    return event.index < last.index or first.index < event.index


def _computes_elsewhere(loop: Loop, event: Event, depth: int) -> bool:
    """Whether a loop goes over no data, and stands in another file than the call that is told of: what it computes, others may want with its graph."""
    return loop.site.module is not event.chain[depth].module and not takes_data(loop)


def _attack_before(p: Planner, module: Obj, statement: Statement, layout: Layout) -> Statement | None:
    """The first statement before one in its block that runs the model for the gradient of its input: the attack is on the model as it is validated."""
    for other in statement.block.statements[: statement.index]:
        events = p.events_in(other, layout)
        forwards = [e for e in events if isinstance(e, Forward) and module in e.subjects]
        if forwards and all(map(p.program.for_input_gradient, forwards)) and not any(e.kind == "step" for e in events):
            return other
    return None


def _neighbours(p: Planner, statement: Statement, layout: Layout) -> tuple[Statement, Statement]:
    """The first and the last of the statements around one that run models and need no gradients either."""

    def quiet(other: Statement) -> bool:
        forwards = [e for e in p.events_in(other, layout) if e.kind == "forward" and e.grad is True]
        # Only what is measured, for all to see: what code that cannot be followed makes of a result may need its graph.
        return bool(forwards) and all(e.key in p.program.uses.scored for e in forwards) and not _needs_gradients(p, other, layout)

    def plain(other: Statement) -> bool:
        """Whether it computes from what is there, for all to see: a loss of an output, a sum."""
        return not other.blocks and not any(True for _ in p.events_in(other, layout))

    def furthest(others: Iterable[Statement]) -> Statement:
        """The last of the statements on one side that is quiet, with only plain ones in between."""
        found = statement
        for other in others:
            if _yields(p, other):
                break
            if quiet(other):
                found = other
            elif not plain(other):
                break
        return found

    around = statement.block.statements
    return furthest(reversed(around[: statement.index])), furthest(around[statement.index + 1 :])


def _yields(p: Planner, statement: Statement) -> bool:
    """Whether a generator hands something over in a statement: what it switches off there stays off in the code that takes it."""
    return any(isinstance(n, cst.Yield) for n in p.nodes_in(statement.node))


def _needs_gradients(p: Planner, statement: Statement, layout: Layout) -> bool:
    """Whether something goes backward in a statement, or is differentiated by its input; or code out of sight gets a loss, and may send it backward."""
    needed = p.program.uses.trained | p.program.uses.differentiated

    def differentiates(forward: Forward) -> bool:
        return forward.key in needed or needs_its_graph(forward) or any(map(_is_built_around_a_model, forward.subjects))

    seen = (e.kind == "backward" or (isinstance(e, Forward) and differentiates(e)) for e in p.events_in(statement, layout))
    return any(seen) or p.entrusts(statement, layout) or _calls_what_has_a_model(p, statement, layout) or _fits(statement)


def _fits(statement: Statement) -> bool:
    """Whether something in a statement trains by its name, wherever that leads: `self.model._train(epochs=3)`; `net.train()` sets a mode."""
    for node in walk(statement.node):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=name)), args=args) if naming.fits(name) and (
                name != "train" or len(args) > 1
            ):
                return True
    return False


def _is_built_around_a_model(obj: Obj) -> bool:
    """Whether code out of sight made something of a model: an attack and an explanation differentiate the model that they are given."""
    given = obj.arguments if isinstance(obj, Module) and obj.cls is None and not obj.qualname.startswith("torch.") else None
    models = {each.name for value in given.values() for each in refs(value, Module)} if given is not None else set()
    return bool(models) and obj.name not in models


def _calls_what_has_a_model(p: Planner, statement: Statement, layout: Layout) -> bool:
    """Whether a statement calls what code out of sight gave for a model, by another name than that of the model: an attack, an explanation."""
    made: set[str] = set()
    for event in p.program.of(Escape):
        call, origin = event.site.node, layout.statement_of(event.site.node) if event.site.module is layout.info else None
        if event.output or origin is None or not isinstance(call, cst.Call) or not any(isinstance(o, Module) for o in event.subjects):
            continue
        if isinstance(origin.node, cst.Assign) and origin.node.value is call:
            made |= set(sets(origin.node)) - {layout.code(arg.value) for arg in call.args}
    called = [layout.code(each.func) for each in walk(statement.node) if made and isinstance(each, cst.Call) and each.args]
    return any(name == each or name.startswith(f"{each}.") for name in called for each in made)


def _pass(p: Planner, loop: Loop | None, event: Event, depth: int, *, narrow: bool = False) -> tuple[Place, Statement]:
    """The validation pass: its loop, or the statement that leads to its forward so many calls deep; where training shares that, the call that only validates.

    `narrow`: rather the statement in the loop, if that only validates.
    """
    if loop is None:
        place = place_at(event, depth, p.layouts)
        target = place.statement
    else:
        place, target = in_loop(event, loop, p.layouts), loop_statement(loop, p.layouts)
    if narrow and _trains(p, target, place.layout) and not _trains(p, place.statement, place.layout):
        return place, place.statement
    outer = event.chain.index(place.site)
    while _trains(p, target, place.layout):
        outer -= 1
        if outer < 0:
            raise Infeasible("the validation pass is a part of the training pass")
        place = place_at(event, outer, p.layouts)
        target = place.statement
    return place, target


def _trains(p: Planner, statement: Statement, layout: Layout) -> bool:
    """Whether something is trained in a statement, in this call or in another one, of this program or of another that calls the same code."""
    function = layout.function_of(statement)
    if _goes_backward(p, statement.node if function is None else function.node) or any(
        e.kind in ("backward", "step") or (isinstance(e, Forward) and (p.program.is_trained(e) or p.program.feeds_training(e)))
        for e in p.events_in(statement, layout)
    ):
        return True
    return function is not None and _serves_another(p, function, layout)


def _serves_another(p: Planner, function: Statement, layout: Layout) -> bool:
    """Whether a function that is for no evaluation by its name is called by another one of its file that nothing has come to: that may train with it."""
    if _is_named(function, naming.is_for_evaluations):
        return False
    assert isinstance(function.node, cst.FunctionDef)
    name = function.node.name.value
    assert layout.info.code is not None
    callers = (f for f in layout.info.code.functions if f.node is not function.node and name in f.called())
    others = (layout.by_node[f.node] for f in callers if not naming.is_for_evaluations(f.name) and f.node in layout.by_node)
    return any(not any(True for _ in p.events_in(other, layout)) for other in others)


def _goes_backward(p: Planner, node: cst.CSTNode) -> bool:
    """Whether the text sends something backward in a branch that this program never takes: another one that calls the same code trains there."""
    calls = [
        n for n in p.nodes_in(node) if isinstance(n, cst.Call) and isinstance(n.func, cst.Attribute) and n.func.attr.value == "backward"
    ]
    reached = {id(e.site.node) for e in p.program.of(Backward)}
    return any(id(call) not in reached for call in calls)


def _named(p: Planner, module: Obj, place: Place, event: Event) -> tuple[Obj, str] | None:
    """The innermost of a module and its wholes that the function of a place names, with that name."""
    named = ((part, name_of_model(p, part, place, event)) for part in module.lineage())
    return next(((part, name) for part, name in named if name), None)


def name_of_model(p: Planner, module: Obj, place: Place, event: Event) -> str | None:
    """How the function of a place names a module: by the calls it makes on it, or by the call of the model itself."""
    named = name_in(p.program, module, place, p.layouts, (Eval, Train, Clear, Move))
    if named is None and place.direct and isinstance(event, Forward) and isinstance(event.site.node, cst.Call):
        return _name_of_called(event, event.site.node.func, place)
    return named if named is not None or place.direct else _name_of_receiver(p, module, place, event)


def _name_of_receiver(p: Planner, module: Obj, place: Place, event: Event) -> str | None:
    """How a call names a module by whose method, of its class in sight, it leads to a forward of its own parts: `net` of `net.predict(x)`."""
    following = event.chain[event.chain.index(place.site) + 1]
    match place.site.node:
        case cst.Call(func=cst.Attribute(value=cst.Name(value=owner), attr=cst.Name(value=called))) if module.cls is not None:
            method = module.cls.cls.methods.get(called)
            layout = p.layouts.of(following.module)
            statement = layout.statement_of(following.node)
            function = layout.function_of(statement) if statement is not None else None
            within = method is not None and function is not None and function.node is method.node
            bound = method is not None and not any(ir.path_of(each) in ("staticmethod", "classmethod") for each in method.decorators)
            own = f"{method.params[0].name}." if method is not None and bound and method.params else ""
            # Another object of the class may be applied there too: `def distill(self, teacher, x): teacher.body(x)`.
            applied = isinstance(following.node, cst.Call) and bool(own) and layout.code(following.node.func).startswith(own)
            return owner if within and applied else None
    return None


def _name_of_called(event: Forward, func: cst.BaseExpression, place: Place) -> str | None:
    """How a call names the model that it applies, or the whole of that; None where what it calls is a function, or a method by a name of its own."""
    module = next(iter(event.subjects))
    match func:
        case cst.Name() | cst.Attribute(value=cst.Name(value="self")) if event.applied:
            return place.layout.code(func)
        case cst.Attribute(value=cst.Name(value=owner)) if event.owner is not None and event.owner in module.lineage():
            return owner
        case cst.Attribute(value=cst.Name()) if event.applied:
            return place.layout.code(func)  # what keeps the model is none itself: `agent.policy`
    return None


def _is_named(function: Statement | None, told: Callable[[str], bool]) -> bool:
    """Whether a function is what something tells by its name; code that stands in none is not."""
    if function is None:
        return False
    assert isinstance(function.node, cst.FunctionDef)
    return told(function.node.name.value)


def _only_evaluates(p: Planner, function: Statement, layout: Layout) -> bool:
    if not _is_named(function, naming.is_for_evaluations) or _yields(p, function):
        return False
    return not (_trains(p, function, layout) or _needs_gradients(p, function, layout))
