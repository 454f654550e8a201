"""Attributes that nothing sets, entries that nothing puts in, and what is asked of None: who reads one gets an error, and what stands behind it is not run."""

from __future__ import annotations

from looplint.domain.objects import Dict, Instance, List, Module, Obj, Options
from looplint.domain.values import NONE, ClassRef, Const, Ref, Value, constant_of
from looplint.interpreter import classes, endings, objects, settled, signatures
from looplint.interpreter.frames import Frame
from looplint.interpreter.interpreter import TRACKED, Interpreter
from looplint.knowledge.builtin_members import OF_BUILTINS
from looplint.knowledge.pytorch import MODULE_MEMBERS, OPTION_METHODS
from looplint.regex import regex
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo


def is_missing(interp: Interpreter, owner: Value, expr: ir.Attr) -> bool:
    """Whether reading an attribute of a value ends the path."""
    complaint = _complaint(interp, owner, expr)
    if complaint:
        endings.end_there(interp, f"`{ir.render(expr)}` ends in an AttributeError: {complaint}", expr)
    return bool(complaint)


def is_asked_of_none(interp: Interpreter, owner: Value, asked: ir.Expr, expr: ir.Attr | ir.Call | ir.Subscript) -> bool:
    """Whether an expression ends the path, as what it asks for an attribute or an item, or calls, is certainly None.

    Args:
        interp: the interpreter.
        owner: what is asked.
        asked: the expression of it.
        expr: the whole.
    """
    if owner != NONE or not _stays_none(interp, interp.frame, asked):
        return False
    error = "an AttributeError" if isinstance(expr, ir.Attr) else "a TypeError"
    endings.end_there(interp, f"`{ir.render(expr)}` ends in {error}: `{ir.render(asked)}` is None", expr)
    return True


def is_asked_of_number(interp: Interpreter, owner: Value, asked: ir.Expr, expr: ir.Attr) -> bool:
    """Whether an expression ends the path, as what it asks to go backward is a plain number: `total = 0`, and then `total.backward()`."""
    match constant_of(owner), asked:
        case Const(int() | float() as number), ir.Name(id=name) if expr.attr == "backward" and _is_given_here(interp.frame, name):
            endings.end_there(interp, f"`{ir.render(expr)}` ends in an AttributeError: `{name}` is {number}", expr)
            return True
    return False


def without_containers(interp: Interpreter, owner: Value, expr: ir.Attr) -> Value:
    """What an object can be that has a method: no list, dict or text, where it may be a model or another object of a training as well.

    A variable that is asked for it holds no other from there on.
    """
    if len(owner) < 2 or expr.attr in OF_BUILTINS or not any(isinstance(a, Ref) and isinstance(a.obj, TRACKED) for a in owner):
        return owner
    kept = frozenset(
        a
        for a in owner
        if not (isinstance(a, Ref) and isinstance(a.obj, Dict | List) and expr.attr not in a.obj.heap)
        or objects.has_as_an_entry(a.obj, expr.attr)
    )
    kept = frozenset(a for a in kept if not (isinstance(a, Const) and a.value is not None))
    match expr.value:
        case ir.Name(id=name) if kept != owner and name in interp.frame.locals:
            interp.frame.locals[name] = kept
    return kept


def is_no_key(interp: Interpreter, owner: Value, expr: ir.Subscript) -> bool:
    """Whether an item is asked of a dict that has none under this key: the program has built it, and no text in sight puts anything under that key."""
    match [*owner], expr.index:
        case [Ref(Dict(exact=True, changed=False, shown=False, escaped=False, qualname="" | "builtins.dict") as obj)], ir.Const(
            value=str(key)
        ):
            if (
                f"={key}" in obj.heap
                or not key.isidentifier()
                or objects.is_rewritten(interp, obj)
                or any(_puts_under(info, key) for info in _read(interp))
            ):
                return False
            endings.end_there(interp, f"`{ir.render(expr)}` ends in a KeyError: nothing puts `{key}` into it", expr)
            return True
    return False


def does_not_fit(interp: Interpreter, value: Value, targets: list[ir.Expr], stmt: ir.Stmt | None) -> bool:
    """Whether an unpacking ends the path: what a function returns is a dict that the program has written, with fewer entries, and that no object keeps."""
    match [*value], stmt:
        case [Ref(Dict(exact=True, changed=False, shown=False, escaped=False, qualname="" | "builtins.dict") as obj)], ir.Assign(
            value=ir.Call() as call
        ):
            number = sum(slot.startswith("=") for slot in obj.heap)
            if (
                number >= len(targets)
                or any(isinstance(target, ir.Star) for target in targets)
                or objects.is_rewritten(interp, obj)
                or any(
                    Ref(obj) in kept for each in interp.heap.objects.values() if isinstance(each, Instance) for kept in each.heap.values()
                )
            ):
                return False
            endings.end_there(interp, f"`{ir.render(call)}` gives a dict of {number}, and is unpacked into {len(targets)}", call)
            return True
    return False


def _complaint(interp: Interpreter, owner: Value, expr: ir.Attr) -> str:
    """What an object certainly lacks of which an attribute is read; nothing where it may have it.

    That is certain of an object that this program has built, of which no code out of sight has got hold, where no text in sight gives that name to anything.

    Args:
        interp: the interpreter.
        owner: what stands before the dot.
        expr: the whole.
    """
    if len(owner) != 1:
        return ""
    (atom,), name = owner, expr.attr
    if (
        not isinstance(atom, Ref)
        or atom.obj.symbolic
        or atom.obj.shown
        or atom.obj.candidates
        or name in atom.obj.heap
        or name.startswith("_")
    ):
        return ""
    if isinstance(atom.obj, Module) and not (owner == interp.frame.instance and isinstance(expr.value, ir.Name)):
        return ""  # what wraps a model, as DistributedDataParallel does, has attributes of its own, and is told from it nowhere
    match atom.obj:
        case Options() as options if name not in _OF_NAMESPACES and _lacks_option(interp, options, name):
            return f"no option gives `{name}`"
        case Instance() | Module() as obj if (cls := classes.class_of(obj)) is not None and _lacks_member(interp, obj, cls, name):
            return f"nothing sets `{name}` of a {cls.cls.name}"
    return ""


# What a parser has, and what it parses.
_OF_NAMESPACES = OPTION_METHODS | frozenset({
    "description", "epilog", "exit", "format_help", "format_usage", "formatter_class", "get_default", "parse_intermixed_args",
    "parse_known_intermixed_args", "print_usage", "prog", "register", "usage",
})  # fmt: skip


def _lacks_option(interp: Interpreter, options: Options, name: str) -> bool:
    """Whether no option that a parser declares goes by a name: it was asked for nothing else, and no text in sight spells the option."""
    return (
        options.plain
        and name not in options.declared
        and not any(_quotes(info, name) for info in _read(interp))
        and _is_never_set(interp, name)
    )


def _lacks_member(interp: Interpreter, obj: Obj, cls: ClassRef, name: str) -> bool:
    if (
        obj.escaped
        or obj.one_of
        or classes.find_member(interp, cls, name) is not None
        or (isinstance(obj, Module) and name in MODULE_MEMBERS)
    ):
        return False
    line = classes.mro(interp, cls)
    return (
        classes.lacks(interp, cls, name)
        and not any(classes.takes_part_in_making(each.cls) for each in line)
        and not any(_spells(each.module, name) for each in line)
        and all(signatures.is_in_sight(interp, each.module) for each in line)
        and _is_never_set(interp, name)
    )


def _stays_none(interp: Interpreter, frame: Frame, asked: ir.Expr) -> bool:
    """Whether what an expression names is None by what is written, whatever else may happen: an attribute that nothing else sets, or a variable that is given None."""
    match asked:
        case ir.Const(value=None):
            return True
        case ir.Name(id=name):
            return frame.caller is not None and name in frame.locals and _is_given_none(interp, frame, name)
        case ir.Attr(value=ir.Name(id=holder), attr=name):
            match [*frame.instance] if frame.function.params and holder == frame.function.params[0].name else []:
                case [Ref(Obj(symbolic=False, shown=False, candidates=0) as obj)] if (cls := classes.class_of(obj)) is not None:
                    return _lacks_member(interp, obj, cls, name)
    return False


def _is_given_none(interp: Interpreter, frame: Frame, name: str) -> bool:
    """Whether a variable of a function gets nothing but None: by its own assignments, or as a parameter by the call that is followed."""
    if _is_declared_elsewhere(frame, name):
        return False
    stmts = _assignments(frame, name)
    if stmts:
        return all(isinstance(s, ir.Assign) and isinstance(s.value, ir.Const) and s.value.value is None for s in stmts)
    param = next((p for p in frame.function.params if p.name == name), None)
    given = frame.written.get(name, param.default) if param is not None and frame.written is not None else None
    return given is not None and frame.caller is not None and _stays_none(interp, frame.caller, given)


def _is_given_here(frame: Frame, name: str) -> bool:
    """Whether a variable gets what it holds by the statements of its own function alone."""
    return bool(_assignments(frame, name)) and not _is_declared_elsewhere(frame, name)


def _is_declared_elsewhere(frame: Frame, name: str) -> bool:
    """Whether a function of the file has a variable of another one, which goes by a name."""
    return regex(rf"\b(?:nonlocal|global)\b[^\n]*\b{name}\b").search(frame.module.source.text) is not None


def _assignments(frame: Frame, name: str) -> list[ir.Stmt]:
    """The statements of a function that give a variable something."""
    return [s for s in ir.statements(frame.function.body) if any(name in ir.paths_in(target) for target in ir.targets(s))]


def _puts_under(info: ModuleInfo, key: str) -> bool:
    """Whether a text has a key where it may put something under it."""
    return regex(rf"""["']{key}["']\s*(?::|,|\)|\]\s*(?:[-+*/|&]?=(?!=)|,))|[(,]\s*{key}\s*=(?!=)""").search(info.source.text) is not None


def _read(interp: Interpreter) -> list[ModuleInfo]:
    """The modules of the project of which some code may have run."""
    return [interp.main, *(info for info in interp.project.modules if info.code is not None and info is not interp.main)]


def _is_never_set(interp: Interpreter, name: str) -> bool:
    """Whether no statement in sight gives an attribute of that name to any object, nor may do so by a name that it computes."""
    return all(_sets_nothing(info, name) for info in _read(interp))


def _sets_nothing(info: ModuleInfo, name: str) -> bool:
    found = settled.set_on_others(info)
    return found is not None and name not in found


def _spells(info: ModuleInfo, name: str) -> bool:
    """Whether a text has a name where it may give something that name: as a string, a definition, or what an assignment or an argument binds."""
    bound = regex(rf"""\b(?:def|class|import|as)\s+{name}\b|(?<![\w.]){name}\s*[:=](?!=)""")
    return _quotes(info, name) or bound.search(info.source.text) is not None


def _quotes(info: ModuleInfo, name: str) -> bool:
    """Whether a text has a name as a string, as an option's is told to a parser."""
    return regex(rf"""["'](?:--?)?{name.replace("_", "[-_]")}["']""").search(info.source.text) is not None
