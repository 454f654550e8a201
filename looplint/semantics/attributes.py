"""Attributes by name: `getattr`, `setattr`, `hasattr`, `super`, and `eval` of a path."""

from __future__ import annotations

from functools import reduce

import libcst as cst

from looplint.domain.membership import adopt, ready, register
from looplint.domain.objects import Instance, Module, Obj, TorchModule
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    WIDTH,
    Arguments,
    ClassRef,
    Const,
    External,
    ModuleRef,
    Params,
    Partial,
    Ref,
    Super,
    Tensor,
    Unknown,
    Value,
    const,
    constant_of,
    is_text,
    join,
)
from looplint.interpreter import classes, hooks, options_given, outside, registries, unfollowed, unseen_methods
from looplint.interpreter.interpreter import TRACKED, Interpreter
from looplint.interpreter.names import attribute, lookup
from looplint.interpreter.objects import any_part
from looplint.interpreter.transfers import transfer
from looplint.knowledge.layers import LAST_LAYERS, MODE_SENSITIVE, PARAMETERLESS, layers_like
from looplint.regex import regex
from looplint.semantics import made_up_names
from looplint.syntax import ir

# What stands in a text for the values that are put into it.
_PLACES, _FIELDS = regex(r"%[a-z]"), regex(r"\{[^{}]*\}")
_WORD, _PATH = regex(r"\w*"), regex(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_LAYERS = External("torch.nn")


@transfer("super")
def _super(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    frame = interp.frame
    while frame.owner is None and frame.closure is not None:
        frame = frame.closure
    first = frame.function.params[0].name if frame.function.params else ""
    instance = frame.locals.get(first) or frame.instance
    if frame.owner is None:
        ready(instance)
        return UNKNOWN
    named = [a for a in args.positional[0] if isinstance(a, ClassRef)] if args.positional else []
    # `super(Base, self)` looks behind one of its bases.
    passed = len(named) == 1 and named[0] in classes.mro(interp, frame.owner)
    return frozenset({Super(named[0] if passed else frame.owner, instance)})


@transfer("getattr")
def _getattr(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    names = args.positional[1] if len(args.positional) > 1 else NOTHING
    if is_text(names):
        default = args.positional[2] if len(args.positional) > 2 else NOTHING
        texts = sorted(str(a.value) for a in names if isinstance(a, Const))
        return reduce(join, (_named(interp, args.positional[0], text, default) for text in texts))
    given = args.positional[0] if args.positional else NOTHING
    if len(args.positional) > 1 and (kept := made_up_names.kept(given, args.positional[1])):
        return kept
    found = _any_member(interp, given, _template(expr.args[1].value) if len(expr.args) > 1 else None)
    if found:
        return found
    if any(not isinstance(a, Unknown | Const) for a in given) and interp.reachable(args.positional[:1]):
        return unfollowed.unknown_call(interp, None, args, expr)
    return UNKNOWN


@transfer("attribute-getter")
def _attribute_getter(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`attrgetter("encoder.layer")` is a function that gives this attribute of what it is called with."""
    if len(args.positional) != 1 or args.starred:
        return UNKNOWN  # of several names it gives a tuple
    return frozenset({Partial(frozenset({External(f"{qualname}.__call__")}), (args.positional[0],), ())})


@transfer("got-attribute")
def _got_attribute(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """The attribute of a name, or at a path of names, of what the function that `attrgetter` made is called with."""
    if len(args.positional) != 2 or args.keywords:
        return unfollowed.unknown_call(interp, None, args, expr)
    names, given = args.positional
    if is_text(names):
        paths = sorted(str(a.value) for a in names if isinstance(a, Const))
        return reduce(join, (reduce(lambda value, attr: attribute(interp, value, attr), path.split("."), given) for path in paths))
    found = _any_member(interp, given, None)
    return found or unfollowed.unknown_call(interp, None, Arguments([given]), expr)


def _named(interp: Interpreter, owner: Value, name: str, default: Value) -> Value:
    """The attribute of a name, or what takes its place."""
    found = attribute(interp, owner, name)
    if _is_no_module(default):
        # What would take the place of an attribute is of its kind: it is no part of a model that is guessed.
        found = frozenset(a for a in found if not (isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.part)) or UNKNOWN
    return found | default if not found or any(outside.is_unseen(a) for a in found) else found


@transfer("eval")
def _eval(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`eval("torch.optim." + name)` is an attribute by its name, too; any other code may do anything."""
    found = NOTHING
    if len(expr.args) == len(args.positional) == 1:
        known = constant_of(args.positional[0])
        start, *rest = (known.value,) if known is not None and isinstance(known.value, str) else _template(expr.args[0].value)
        if not rest and _PATH.fullmatch(start):
            found = _at_path(interp, start)
        elif start.endswith(".") and _PATH.fullmatch(start[:-1]) and all(_WORD.fullmatch(part) for part in rest):
            members = _at_path(interp, start[:-1])
            # A layer's text often has its arguments, too: it is no class.
            found = NOTHING if _LAYERS in members else _any_member(interp, members, None)
    return found or unfollowed.unknown_call(interp, None, args, expr)


def _at_path(interp: Interpreter, path: str) -> Value:
    """What stands at a path of names where the program is: `torch.optim`."""
    name, *rest = path.split(".")
    return reduce(lambda value, attr: attribute(interp, value, attr), rest, lookup(interp, interp.frame, name))


def _any_member(interp: Interpreter, given: Value, template: tuple[str, ...] | None) -> Value:
    """An attribute whose name is not known, apart from the fixed parts of it; nothing where it may be of any kind."""
    modules = [a.obj for a in given if isinstance(a, Ref) and isinstance(a.obj, Module)]
    unseen = frozenset(a for a in given if isinstance(a, Unknown))
    if modules and len(modules) + len(unseen) == len(given):
        # To read an attribute changes nothing, of whatever code out of sight gives of models, too.
        return reduce(join, (any_part(interp, module) for module in modules), unseen)
    held = _any_of_one_kind(given)
    if held is not None:
        return held
    built = reduce(join, (registries.builder_in(interp, a) for a in given if isinstance(a, ModuleRef)), NOTHING)
    if not built and given and all(isinstance(a, External) for a in given):
        return _dynamic_member(given, template)
    for atom in given if not built else ():
        if isinstance(atom, ModuleRef):
            unseen_methods.note_table(interp, atom)
    return built


def _any_of_one_kind(given: Value) -> Value | None:
    """Any attribute of objects that keep nothing of a loop but objects of one kind, as a class of all optimizers does; None for others."""
    kept: Value = NOTHING
    for atom in given:
        if not isinstance(atom, Ref) or not isinstance(atom.obj, Instance):
            return None
        kept = kept.union(*atom.obj.heap.values())
    objects = {a.obj for a in kept if isinstance(a, Ref)}
    if len({type(obj) for obj in objects}) != 1 or len(objects) > WIDTH or not all(isinstance(obj, TRACKED) for obj in objects):
        return None
    return frozenset(a for a in kept if isinstance(a, Ref)) | NONE


def _is_no_module(default: Value) -> bool:
    """Whether a default is known, and is neither a module nor nothing."""
    return bool(default) and not any(
        isinstance(a, Unknown) or (isinstance(a, Const) and a.value is None) or (isinstance(a, Ref) and isinstance(a.obj, Module))
        for a in default
    )


def _dynamic_member(value: Value, template: tuple[str, ...] | None) -> Value:
    """`getattr(torch.optim, name)`: any class of that module has the same effect; `f"Conv{n}d"` names layers of one kind."""
    layers = layers_like(template) if template is not None else frozenset()
    kinds = {(layer in PARAMETERLESS, LAST_LAYERS.get(layer), layer in MODE_SENSITIVE) for layer in layers}
    member = min(layers) if len(kinds) == 1 else "Any"
    return frozenset({External(f"{a.qualname}.{member if a.qualname == 'torch.nn' else 'Any'}") for a in value if isinstance(a, External)})


def _template(name: ir.Expr) -> tuple[str, ...]:
    """The fixed parts of a text that is put together: `("Conv", "d")` of `f"Conv{n}d"`; nothing but what is put in, where it does not tell them."""
    match name:
        case ir.Const(value=str(text)):
            return (text,)
        case ir.Binary(op="%", left=ir.Const(value=str(text))):
            return tuple(_PLACES.split(text))
        case ir.Call(func=ir.Attr(value=ir.Const(value=str(text)), attr="format")):
            return tuple(_FIELDS.split(text))
        case ir.Binary(op="+", left=left, right=right):
            before, after = _template(left), _template(right)
            return (*before[:-1], before[-1] + after[0], *after[1:])
        case ir.Format(node=cst.FormattedString(parts=parts)):
            texts = ("".join(p.value if isinstance(p, cst.FormattedStringText) else "\0" for p in parts)).split("\0")
            return tuple(texts)
    return ("", "")


@transfer("class-of")
def _type(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`type(x)` is `x.__class__`."""
    given = args.positional[0] if len(args.positional) == 1 else NOTHING
    return attribute(interp, given, "__class__") if given and all(isinstance(a, Ref) for a in given) else UNKNOWN


@transfer("vars")
def _vars(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`vars(torch.optim)` is `torch.optim.__dict__`."""
    given = args.positional[0] if args.positional else NOTHING
    modules = frozenset(a for a in given if isinstance(a, External | ModuleRef))
    return attribute(interp, modules, "__dict__") if modules else unfollowed.put_off(interp, args)


@transfer("setattr")
def _setattr(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    if len(args.positional) < 3:
        return NONE
    owner, attr, value = args.positional[:3]
    name = constant_of(attr)
    for obj in (a.obj for a in owner if isinstance(a, Ref)):
        if name is None or not isinstance(name.value, str):
            adopt(obj, value)
            made_up_names.keep(interp, obj, attr, value)
            options_given.set_by_options(interp, obj)
            for each in interp.reachable([value]):
                each.lost = each.lost or not interp.aside  # whoever makes up the name again has it
        elif isinstance(obj, TorchModule) and expr.args:
            hooks.part_assigned.run(interp, obj, ir.Attr(expr.node, expr.args[0].value, name.value), value)
        else:
            interp.write(obj, name.value, value)
    for atom in owner:
        if isinstance(atom, Params | Tensor) and name is not None and isinstance(name.value, str) and expr.args:
            hooks.attribute_assigned.run(interp, atom, ir.Attr(expr.node, expr.args[0].value, name.value), value)
    register(value)  # an owner that is not known may be a part of a model, found by its path
    return NONE


@transfer("hasattr")
def _hasattr(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """Known where a class in sight sets the attribute in its constructor, whatever happens, and where a method makes it when it is asked for first."""
    name, given = constant_of(args.get(1, "") or NOTHING), args.get(0, "") or NOTHING
    classes_of = [classes.class_of(a.obj) if isinstance(a, Ref) else None for a in given]
    if name is None or not isinstance(name.value, str) or not classes_of:
        return UNKNOWN
    if all(cls is not None and classes.always_sets(interp, cls, name.value) for cls in classes_of):
        return const(True)
    match list(given):
        case [Ref(obj=obj)]:
            return _made_already(interp, obj, name.value)
    return UNKNOWN


def _made_already(interp: Interpreter, obj: Obj, name: str) -> Value:
    """Whether an object of a class in sight has an attribute on this path that only its methods give it."""
    if interp.constant(obj, name) is not None:
        return const(True)
    cls = classes.class_of(obj)
    missing = cls is not None and not (obj.escaped or obj.many) and name not in obj.heap and classes.is_set_by_name(interp, cls, name)
    return const(False) if missing else UNKNOWN
