"""Points of the syntax at which libraries have a say: `semantics` registers one function for each, the interpreter runs it there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Generic, TypeVar

from looplint.domain.objects import Module, Obj, StateDict
from looplint.domain.values import Arguments, ClassRef, Const, Func, Method, Number, Params, Quantity, Tensor, Unknown, Value

if TYPE_CHECKING:
    import libcst as cst

    from looplint.interpreter.frames import Frame
    from looplint.interpreter.interpreter import Interpreter
    from looplint.syntax import ir

F = TypeVar("F", bound=Callable[..., object])


class Hook(Generic[F]):
    """A point of the syntax: the function that is registered for it by `@hook`, to be called as `hook.run(...)`."""

    __slots__ = ("name", "run")
    run: F

    def __init__(self, name: str) -> None:
        self.name = name
        MISSING.add(name)

    def __call__(self, function: F) -> F:
        assert self.name in MISSING, f"two functions for {self.name}"
        self.run = function
        MISSING.discard(self.name)
        return function


# The hooks for which nothing is registered yet.
MISSING: set[str] = set()

# A method of something is called that is no object of the heap.
method_called: Hook[Callable[[Interpreter, Method, Arguments, ir.Call], Value]] = Hook("method_called")
# A method of a library's base class is called.
super_called: Hook[Callable[[Interpreter, Obj, str, Arguments, ir.Call], Value]] = Hook("super_called")
# A method of a library's object is given arguments.
handed: Hook[Callable[[Obj, Arguments], None]] = Hook("handed")
# The body of a function is entered: its decorators act; gives whether they switch gradients.
decorated: Hook[Callable[[Interpreter, Frame], bool]] = Hook("decorated")
# Something is called that cannot be followed; gives whether its name says that it measures what it is given.
unknown_called: Hook[Callable[[Interpreter, Arguments, ir.Expr], bool]] = Hook("unknown_called")
# A method returns to code that cannot be followed, such as the framework that calls it.
returned_outside: Hook[Callable[[Interpreter, Func, Value], None]] = Hook("returned_outside")
# The constructor of a class of the program is about to run.
constructing: Hook[Callable[[Interpreter, Obj, ClassRef], None]] = Hook("constructing")
# A name, an attribute or an item is given a value.
assigned: Hook[Callable[[ir.Expr, Value], None]] = Hook("assigned")
# A statement gives a name a value.
named: Hook[Callable[[Interpreter, ir.Name, Value], None]] = Hook("named")
# The branch that remembers a better value gives a module a further name.
set_aside: Hook[Callable[[Interpreter, Module, ir.Assign], None]] = Hook("set_aside")
# A `while` goes on as long as a comparison with this holds.
counted: Hook[Callable[[Value], None]] = Hook("counted")
# An attribute of parameters, a tensor or something unknown is given a value.
attribute_assigned: Hook[Callable[[Interpreter, Params | Tensor | Unknown, ir.Attr, Value], None]] = Hook("attribute_assigned")
# A setting of the whole process, by its owner and name, is given a value.
setting_assigned: Hook[Callable[[Interpreter, ir.Attr, tuple[str, str], Value], None]] = Hook("setting_assigned")
# Numbers are written into the tensor that an expression names.
tensor_written: Hook[Callable[[Interpreter, ir.Subscript, Value, Value], None]] = Hook("tensor_written")
# An item of a container of modules is given a value.
item_assigned: Hook[Callable[[Interpreter, Module, ir.Subscript, Const | None, Value], None]] = Hook("item_assigned")
# An entry of a state is given a value.
entry_assigned: Hook[Callable[[Interpreter, StateDict, ir.Subscript, ir.Stmt | None], None]] = Hook("entry_assigned")
# A value is read whose origin is not analysed: an attribute that nothing sets, a name that nothing binds, one that has been imported.
attribute_unset: Hook[Callable[[Interpreter, Obj, str], Value]] = Hook("attribute_unset")
# An attribute of a module is read that holds no part of it: gives what the last forward on this path has left there, where that is known.
output_read: Hook[Callable[[Interpreter, Module, str], Value | None]] = Hook("output_read")
# An attribute that says how far schedulers have got is read, or one that has the rate of an optimizer.
place_asked: Hook[Callable[[Interpreter, ir.Attr, Value], None]] = Hook("place_asked")
name_unbound: Hook[Callable[[Interpreter, Frame, str], Value]] = Hook("name_unbound")
name_imported: Hook[Callable[[Interpreter, Frame, str, Value], Value]] = Hook("name_imported")
# A parameter gets what callers out of sight give a function that hands it on by `**kwargs`: gives what it is by its use.
left_to_callers: Hook[Callable[[Interpreter, Func, ir.Param], Value]] = Hook("left_to_callers")
# An attribute of a module is given a value.
part_assigned: Hook[Callable[[Interpreter, Obj, ir.Attr, Value], None]] = Hook("part_assigned")
# `target.attr = call`: the result of a call becomes an attribute.
result_kept: Hook[Callable[[Interpreter, ir.Attr, ir.Call, Value], None]] = Hook("result_kept")
# `modules += value`: containers of modules take more parts.
extended: Hook[Callable[[Interpreter, list[Module], Value], None]] = Hook("extended")
# A value is about to be unpacked into so many targets: gives what it is taken apart into, where it is known to be several things.
taken_apart: Hook[Callable[[Value, int], Value]] = Hook("taken_apart")
# An entry is unpacked or indexed, by its number or key where that is known: gives the entry.
unpacked: Hook[Callable[[Interpreter, Value, int | str | None], Value]] = Hook("unpacked")
# A value is put into what the base can be, under a key that may be known: gives the value as it is held there.
stored: Hook[Callable[[Interpreter, cst.CSTNode, Value, Value, Const | None], Value]] = Hook("stored")
# `del base[index]`: something is taken out of what the base can be.
taken_out: Hook[Callable[[Interpreter, cst.CSTNode, Value], None]] = Hook("taken_out")
# `target += added` or `target = target + added`, from the old value to the result: gives the result as the target holds it.
accumulated: Hook[Callable[[Interpreter, ir.Assign | ir.AugAssign, ir.Expr, Value, Value, Value], Value]] = Hook("accumulated")
# The gradient of parameters, or of something unknown, is read.
gradient_read: Hook[Callable[[Interpreter, Params | Tensor | Unknown], None]] = Hook("gradient_read")
# The gradient of parameters, a tensor or something unknown becomes another form of itself: `p.grad = reduce(p.grad)`.
gradient_rewritten: Hook[Callable[[Interpreter, Params | Tensor | Unknown], None]] = Hook("gradient_rewritten")
# `gradient += value`: the gradient of parameters is changed in place.
gradient_changed: Hook[Callable[[Interpreter, Params, ir.AugAssign], None]] = Hook("gradient_changed")
# `left op right` and a comparison where a side is a tensor: from the tensor that depends on all sides to the result.
operated: Hook[Callable[[Interpreter, str, Value, Value, Tensor, ir.Binary | ir.AugAssign], Tensor]] = Hook("operated")
compared: Hook[Callable[[Interpreter, Tensor, list[Value]], Tensor]] = Hook("compared")
# `left op right` where both are numbers, or one counts something: from what both count to the result.
reckoned: Hook[Callable[[Interpreter, str, Value, Value, frozenset[Quantity], ir.Binary | ir.AugAssign], Number]] = Hook("reckoned")
# An entry of a value is read under a key, by a subscript; None where the key is not known.
key_read: Hook[Callable[[Interpreter, Value, object, ir.Subscript], None]] = Hook("key_read")
# Values become text: in an f-string, and by `"..." % value`.
shown: Hook[Callable[[Interpreter, Iterable[tuple[ir.Expr, Value]]], None]] = Hook("shown")
formatted: Hook[Callable[[Interpreter, ir.Expr, Value], None]] = Hook("formatted")
# `with expr`: runs the rest of the statement in the context that the expression makes, with what it yields.
entered: Hook[Callable[[Interpreter, ir.Expr, Callable[[Value], None]], None]] = Hook("entered")
# A class whose methods a framework calls: follows them in the framework's order, where the loop is the program's all the same.
loop_of_framework: Hook[Callable[[Interpreter, ClassRef], Callable[[], None] | None]] = Hook("loop_of_framework")
