"""Generators: a call of one makes an iterator; its body runs where items are taken from the iterator."""

from __future__ import annotations

from looplint.domain.objects import Generator, Obj
from looplint.domain.values import NOTHING, UNKNOWN, Arguments, Func, Iter, Ref, Value, join, stable
from looplint.interpreter import functions
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import DEPTH, Interpreter
from looplint.syntax import ir
from looplint.syntax.site import Site


def is_generator(value: Value) -> bool:
    """Whether a value may be a generator of the program."""
    return any(isinstance(a, Ref) and isinstance(a.obj, Generator) for a in value)


def run(interp: Interpreter, obj: Generator) -> Value:
    """Follow a generator's body on the present path, and come back from its yields with what they yield."""
    return _followed(interp, obj)[0]


def _followed(interp: Interpreter, obj: Generator) -> tuple[Value, frozenset[Obj]]:
    """What a generator yields, and the loaders whose items these are, one after the other."""
    result: Value = NOTHING
    over: frozenset[Obj] = frozenset()
    for func in sorted((a for a in obj.heap["()"] if isinstance(a, Func)), key=stable):
        if not interp.alive or interp.frame.depth >= DEPTH or func.function in interp.active:
            return UNKNOWN, frozenset()
        frame = begin(interp, obj, func)
        before, grad = interp.at, interp.grad
        functions.run_frame(interp, frame)
        if not interp.alive:
            interp.at, interp.grad = before, grad  # it yields nothing, and ends in an error
        result, over = join(result, frame.yields), over | frame.passes
    return result or UNKNOWN, over


def begin(interp: Interpreter, obj: Generator, func: Func) -> Frame:
    """An activation of a generator's function with the arguments that it was called with, at the place where items are taken."""
    interp.agenda.generators.pop(obj, None)
    functions.note_followed(interp, func)
    node = obj.node
    assert node is not None
    frame = functions.enter(interp, func, ir.Name(node, func.function.name))
    frame.ctx = interp.context(interp.frame.ctx, id(node), id(interp.statement))
    module = func.module if node is func.function.node else obj.source
    if module is not None:
        frame.call = Site(module, node)
        frame.calls = (*interp.frame.calls, frame.call)
    frame.instance = func.bound or NOTHING
    frame.locals = {slot[1:]: value for slot, value in obj.heap.items() if slot.startswith("=")}
    return frame


def drained(interp: Interpreter, value: Value) -> Value:
    """The value with every generator in it as an iterator over what it yields."""
    if not is_generator(value):
        return value
    result: Value = NOTHING
    for atom in sorted(value, key=stable):
        given = Iter(*_followed(interp, atom.obj)) if isinstance(atom, Ref) and isinstance(atom.obj, Generator) else atom
        result = join(result, frozenset({given}))
    return result


def drain(interp: Interpreter, args: Arguments) -> None:
    """Run the generators among arguments: they go to code that takes items from them."""
    args.positional = [drained(interp, value) for value in args.positional]
    args.keywords = {name: drained(interp, value) for name, value in args.keywords.items()}
