"""To which of several callees a call goes: what decides between them takes the same way again."""

from __future__ import annotations

from looplint.dataclass import dataclass
from looplint.domain.objects import Obj
from looplint.domain.values import Atom, ClassRef, Func, Method, Ref
from looplint.interpreter import classes
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.one_of_several import alike
from looplint.syntax import ir


@dataclass(frozen=True, slots=True)
class Choice:
    """What decides to which of several objects or functions a call goes: a name, or what the object was built as that its name stands for."""

    objects: list[Obj]
    path: str = ""
    whole: Obj | None = None
    # For each callee those of the objects that the whole may be whose method it is: a class has it from its base, or several were built of one class.
    groups: tuple[tuple[Obj, ...], ...] = ()
    # For each of several functions that a name may stand for: that it is this one.
    tests: tuple[ir.Compare, ...] = ()

    def take(self, interp: Interpreter, number: int, held: bool) -> None:
        """Go on along the path on which the call goes to the object or function of a number, or does not."""
        if self.tests:
            interp.frame.chosen.add(self.path)
            interp.assume(self.tests[number], held)
        elif self.whole is not None:
            self._take_group(interp, self.whole, self.groups[number], held)
        else:
            interp.choose(self.path, self.objects[number], held)

    def _take_group(self, interp: Interpreter, whole: Obj, group: tuple[Obj, ...], held: bool) -> None:
        """Go on along the path on which an object is one of some, or none of them: it is said of each by itself, as other methods group them otherwise."""
        if held and len(group) == 1:
            interp.choose_class(whole, group[0], True)
            return
        for each in self.objects if held else group:
            if not held or each not in group:
                interp.choose_class(whole, each, False)


def of_callee(interp: Interpreter, expr: ir.Call, candidates: list[Atom]) -> Choice | None:
    """What decides between the callees, and takes the same way again. None where nothing does."""
    found = [_owner(atom) for atom in candidates]
    objects = [o for o in found if o is not None]
    if len(objects) == len(candidates) and alike(objects):
        return _of_class(interp, objects[0], candidates)
    named = expr.func if all(isinstance(a, Ref) for a in candidates) else expr.func.value if isinstance(expr.func, ir.Attr) else None
    path = ir.path_of(named) if named is not None else None
    return Choice(objects, path) if path is not None and len(set(objects)) == len(candidates) else None


def of_functions(interp: Interpreter, expr: ir.Call, candidates: list[Atom]) -> Choice | None:
    """The choice between the functions that branches have given one local name, or of a table: `step = plain_step if args.plain else mixed_step`."""
    functions = [atom.function for atom in candidates if isinstance(atom, Func)]
    named = expr.func
    match named:
        case ir.Name(id=path) if path in interp.frame.locals:
            pass
        case ir.Subscript(value=table, index=ir.Name() | ir.Attr() as key) if ir.path_of(table) and ir.path_of(key):
            path = ir.render(named)
        case _:
            return None
    if len({f.qualname for f in functions}) < len(candidates):
        return None
    return Choice([], path, tests=tuple(ir.Compare(named.node, named, ["is"], [ir.Name(f.node, f.name)]) for f in functions))


def _of_class(interp: Interpreter, whole: Obj, candidates: list[Atom]) -> Choice | None:
    """The choice between the methods of an object that is one of several, of which each has one."""
    groups = tuple(tuple(one for one in whole.one_of if one.cls is not None and _has_method(interp, one.cls, atom)) for atom in candidates)
    return Choice([*whole.one_of], whole=whole, groups=groups) if all(groups) and sum(map(len, groups)) == len(whole.one_of) else None


def _has_method(interp: Interpreter, cls: ClassRef, atom: Atom) -> bool:
    member = classes.find_member(interp, cls, atom.function.name) if isinstance(atom, Func) else None
    return member is not None and isinstance(atom, Func) and member[0] is atom.function


def _owner(atom: Atom) -> Obj | None:
    """The object that is called, or whose method is."""
    match atom:
        case Ref(obj) | Method(Ref(obj)):
            return obj
        case Func(bound=bound) if bound is not None and len(bound) == 1:
            return next((a.obj for a in bound if isinstance(a, Ref)), None)
    return None
