"""What a class leaves to its subclasses: methods that it calls on itself and that do nothing, or that it does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from looplint.domain.objects import Engine, Optimizer
from looplint.flow.events import Backward, Clear, Construct, Escape, Event, Step
from looplint.queries.data_loops import over_data
from looplint.queries.program import Pass, Program
from looplint.syntax import ir

# Words in the names by which a class lets others take part in what its methods do, who may know the object: `for hook in self.hooks: hook.before_epoch()`.
_OF_PARTICIPANTS = (
    r"(?i)hook|callback|(^|_)cbs?$|listener|observer|plugin|handler|subscri|(^|_)(on|before|after|fire|trigger|notify|emit)(_|$)"
)


def built_by_its_trainer(program: Program, optimizer: Optimizer | Engine, backward: Backward) -> Construct | None:
    """Where the constructor of a class builds an optimizer, and a method of it goes over all epochs with nothing in them that could step it."""
    over_epochs = backward.loops[0]
    if optimizer.symbolic or over_epochs is backward.loops[-1] or not over_data(backward.loops[-1]):
        return None
    if any(over_epochs in e.loops and (not e.subjects or program.touches(e, optimizer)) for e in (*program.of(Step), *program.of(Clear))):
        return None
    if any(over_epochs in e.loops and not e.output and program.touches(e, optimizer) for e in program.of(Escape)) or _may_do_more(backward):
        return None
    constructor = f"{backward.root.rpartition('.')[0]}.__init__"
    return next((e for e in program.of(Construct) if optimizer in e.subjects and e.root == constructor), None)


def runs_by_itself(found: Pass) -> bool:
    """Whether a method of a class in sight goes over all epochs of a pass, and no others take part in it: no subclasses, hooks or callbacks.

    Whoever calls the method may have all that its object keeps, and can do nothing to it from one epoch to the next.
    """
    code = found.epochs.site.module.lowered()
    cls = next((c for c in code.classes if found.epochs.function in c.methods.values()), None) if code is not None else None
    if cls is None or _leaves_methods_open(cls):
        return False
    parts = (part for stmt in _statements(cls) for whole in ir.expressions(stmt) for part in ir.walk(whole))
    names = (part.id if isinstance(part, ir.Name) else part.attr for part in parts if isinstance(part, ir.Name | ir.Attr))
    return not any(re.search(_OF_PARTICIPANTS, name) for name in names)


def _may_do_more(event: Event) -> bool:
    """Whether subclasses may add something to what the methods of the class around an event's root do."""
    code = event.site.module.lowered()
    name = event.root.partition("::")[2].rpartition(".")[0]
    cls = next((c for c in code.classes if c.qualname == name), None) if code is not None else None
    return cls is None or _leaves_methods_open(cls)


def _leaves_methods_open(cls: ir.Class) -> bool:
    """Whether the methods of a class call methods of it that are its subclasses' to write."""
    return any(_is_open(cls, called) for called in _called_on_itself(cls))


def _is_open(cls: ir.Class, name: str) -> bool:
    method = cls.methods.get(name)
    if method is None:
        return name not in _attributes(cls)
    return ir.is_left_open(method)


def _called_on_itself(cls: ir.Class) -> Iterator[str]:
    for stmt in _statements(cls):
        for whole in ir.expressions(stmt):
            for expr in ir.walk(whole):
                match expr:
                    case ir.Call(func=ir.Attr(value=ir.Name(id="self"), attr=name)):
                        yield name


def _attributes(cls: ir.Class) -> set[str]:
    """The attributes that the methods of a class give its object."""
    targets = (part for stmt in _statements(cls) for part in ir.walk(*ir.targets(stmt)))
    return {t.attr for t in targets if isinstance(t, ir.Attr) and isinstance(t.value, ir.Name) and t.value.id == "self"}


def _statements(cls: ir.Class) -> Iterator[ir.Stmt]:
    for method in cls.methods.values():
        yield from ir.statements(method.body)
