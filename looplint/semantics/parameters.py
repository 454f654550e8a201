"""Parameters: those that a value holds, their methods, and whether they are trained."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from looplint.dataclass import replace
from looplint.domain.membership import where_parameters_are
from looplint.domain.objects import Container, List, Loss, Module, Obj, Optimizer, TorchModule
from looplint.domain.tensors import under
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    External,
    Func,
    Iter,
    Method,
    Number,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    ref,
)
from looplint.flow.events import Backward, Clear, Clip, Eval, Freeze, Thaw
from looplint.flow.remarks import SetRate
from looplint.interpreter import classes, iterators
from looplint.interpreter.elements import is_option
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.objects import ANY_PART
from looplint.interpreter.transfers import method_transfer, transfer
from looplint.knowledge.layers import AFFINE, CONSTANT_LAYERS, CONTAINERS, LAZY_LAYERS, PARAMETERLESS
from looplint.knowledge.pytorch import BARE_MODULES, PLAIN_ATTRIBUTES, TAKING_NUMBERS
from looplint.regex import regex
from looplint.syntax import ir

if TYPE_CHECKING:
    import libcst as cst

# Functions that make tensors of values that are known, and those that make tensors of what they are given.
_FILLED = frozenset({"zeros", "ones", "full", "eye", "arange", "linspace", "zeros_like", "ones_like", "full_like"})
_OF_NUMBERS = frozenset({"tensor", "as_tensor", "Tensor", "FloatTensor"})
# Methods and functions that draw numbers.
_DRAWING = regex(r"uniform|normal_|xavier|kaiming|orthogonal|bernoulli|random|exponential_|cauchy|rand|^normal$")
# Attributes that are settings or functions, as they are named.
_NO_PART = regex(r"(?i)(^|_)(fn|func|function|callback|conf|cfg|config|args|opts?|options|hparams|params?|logger)s?$")


def note_class(interp: Interpreter, obj: TorchModule) -> None:
    """Note whether the parameters of a module that is built are all in sight: its bases have none, and it registers none by name."""
    if obj.cls is not None and not classes.has_unlisted_base(interp, obj.cls):
        methods = [f for cls in classes.mro(interp, obj.cls) for f in cls.cls.methods.values()]
        bare = all(base in BARE_MODULES for base in classes.external_bases(interp, obj.cls))
        obj.in_sight = bare and not any("register_parameter" in f.methods for f in methods)
        obj.settings = frozenset(name for cls in classes.mro(interp, obj.cls) for name in _settings(interp, obj.cls, cls.cls))
        obj.constant = not any(_DRAWING.search(name) for f in methods for name in f.methods | f.usage.keys())


def _settings(interp: Interpreter, whole: ClassRef, cls: ir.Class) -> Iterator[str]:
    """The attributes to which a constructor gives a parameter that is a number, a text or a flag: by its default, its annotation, or as it is used."""
    init = cls.methods.get("__init__")
    if init is None:
        return
    for given, kept in init.aliases:
        owner, _, name = kept.partition(".")
        if owner != "self" or not any(p.name == given for p in init.params):
            continue
        if any(p.name == given and _is_plain(p) for p in init.params) or _is_number(classes.usage_of(interp, whole, name)):
            yield name


def _is_number(usage: ir.Usage) -> bool:
    """Whether what is used so is a number: it goes where sizes and counts go, and nothing else is done with it but to compute."""
    other = usage.called or usage.iterated or usage.keyed or usage.methods or usage.attrs or usage.named
    return bool(usage.passed) and not other and all(callee.rpartition(".")[2] in TAKING_NUMBERS for callee, _ in usage.passed)


def _is_plain(param: ir.Param) -> bool:
    match param:
        case ir.Param(default=ir.Const(value=value)) if value is not None:
            return True
        case ir.Param(annotation=ir.Name(id=name)):
            return name in ("int", "float", "bool", "str")
    return False


def without_parameters(obj: Obj) -> bool:
    """Whether a module is known to hold no parameter, its own or a part's."""
    return _all_parameters(obj, lambda parameter: False, PARAMETERLESS)


def without_weights(layer: Module) -> bool:
    """Whether a layer of torch is built without parameters: as it is, or by its arguments, as `nn.BatchNorm2d(8, affine=False)` is."""
    kind = layer.qualname.rpartition(".")[2]
    if not layer.qualname.startswith("torch.nn."):
        return False
    if kind not in AFFINE or layer.arguments is None:
        return kind in PARAMETERLESS
    position, name, default = AFFINE[kind]
    given = layer.arguments.get(position, name)
    return not (default or layer.arguments.starred) if given is None else all(isinstance(a, Const) and not a.value for a in given)


def is_frozen(obj: Obj) -> bool:
    """Whether no parameter of a module asks for gradients: it was frozen as a whole, or each of its parts was, or has none.

    What is frozen as a whole may have parts that take gradients: those that are thawed again, and those that it gets later.
    """
    if isinstance(obj, TorchModule) and obj.frozen:
        return all(part.frozen or is_frozen(part) or without_parameters(part) for part in _with_parts(obj))
    return _all_parameters(obj, _frozen, PARAMETERLESS, whole=_frozen_throughout) and not without_parameters(obj)


def _frozen(part: Module) -> bool:
    return part.frozen


def _frozen_throughout(part: Module) -> bool:
    return part.frozen and is_frozen(part)


def shows_no_parameters(interp: Interpreter, obj: Obj) -> bool:
    """Whether nothing shows that a module of the program holds a parameter: none of its parts has one, and no other attribute is used as a part is."""
    if not isinstance(obj, Module) or obj.cls is None or obj.symbolic or obj.lost or not obj.in_sight:
        return False
    own = {slot: value for slot, value in obj.heap.items() if slot != ANY_PART}
    return not any(_may_be_part(interp, obj.cls, slot, atom, 3) for slot, value in own.items() for atom in value)


def _may_be_part(interp: Interpreter, cls: ClassRef, slot: str, atom: Atom, depth: int) -> bool:
    match atom:
        case Const() | Number() | Func() | External() | ClassRef():
            return False
        case Tensor():
            return bool(atom.sources)
        case Ref(obj) if isinstance(obj, TorchModule):
            return not without_parameters(obj)
        case Ref(obj) if isinstance(obj, Container):
            return not depth or any(_may_be_part(interp, cls, slot, a, depth - 1) for value in obj.heap.values() for a in value)
        case Unknown() | Method():
            usage = classes.usage_of(interp, cls, slot)
            used = usage.called or usage.iterated or usage.methods or usage.passed or usage.named
            return not slot.isidentifier() or (bool(used) and not _NO_PART.search(slot))
    return True


def draws_nothing(obj: Obj) -> bool:
    """Whether the first values of all parameters of a module are known to stand in the program."""
    return _all_parameters(obj, lambda parameter: parameter.constant, PARAMETERLESS | CONSTANT_LAYERS, drawn=False)


def draws_when_run(obj: Obj) -> bool:
    """Whether the first values of a module are drawn by the first forward, and none where it is built: its layers are lazy."""
    return _all_parameters(obj, lambda parameter: parameter.constant, PARAMETERLESS | CONSTANT_LAYERS | LAZY_LAYERS, drawn=False)


def _all_parameters(
    obj: Obj,
    holds: Callable[[Module], bool],
    layers: frozenset[str],
    depth: int = 4,
    *,
    drawn: bool = True,
    whole: Callable[[Module], bool] | None = None,
) -> bool:
    """Whether something holds of every parameter of a module: it is known that there are no others.

    Args:
        holds: what is asked of a parameter that the program makes.
        layers: the layers of torch of whose parameters it holds.
        drawn: whether methods may draw the values of the parameters.
        whole: tells of a part that it holds of all in it, whatever that is.
    """
    if isinstance(obj, Loss) and obj.cls is None and obj.qualname.startswith("torch.nn."):
        return True  # the weights of torch's losses are buffers
    if not isinstance(obj, Module | Loss) or not depth:
        return False
    if isinstance(obj, Loss) and obj.one_of:
        return all(_all_parameters(each, holds, layers, depth - 1, drawn=drawn, whole=whole) for each in obj.one_of)
    if whole is not None and isinstance(obj, Module) and whole(obj):
        return True
    if obj.symbolic:
        return False
    if isinstance(obj, Module) and obj.parameter:
        return holds(obj)

    def of_atom(atom: Atom, depth: int) -> bool:
        match atom:
            case Ref(obj) if isinstance(obj, TorchModule):
                return _all_parameters(obj, holds, layers, depth - 1, drawn=drawn, whole=whole)
            case Ref(obj) if isinstance(obj, Container):
                return all(of_atom(a, depth - 1) for value in obj.heap.values() for a in value) if depth else False
            case Tensor():
                return all(isinstance(o, Module) and o.parameter and holds(o) for o in atom.sources)
            case Const() | Number() | Func() | External():
                return True
            case Method(name=name):
                return name in PLAIN_ATTRIBUTES
        return False

    parts = [a for slot, value in obj.heap.items() for a in value if not (isinstance(a, Unknown | Method) and slot in obj.settings)]
    if obj.cls is not None:
        return obj.in_sight and (drawn or obj.constant) and all(of_atom(a, depth) for a in parts)
    leaf = obj.qualname.rpartition(".")[2]
    if not obj.qualname.startswith("torch.nn.") or isinstance(obj, Loss):
        return False
    return leaf in layers or without_weights(obj) or (leaf in CONTAINERS and bool(parts) and all(of_atom(a, depth) for a in parts))


def held(interp: Interpreter, value: Value, depth: int = 4) -> tuple[frozenset[Obj], bool]:
    """The modules whose parameters are in what an optimizer was given; False where something else may be in it too."""
    found: frozenset[Obj] = frozenset()
    exact = True
    for atom in value:
        match atom:
            case Params():
                found |= atom.sources
                exact = exact and atom.exact
            case Ref(obj=Module() | Loss() as module):
                given = _of_module(module)
                found |= given.sources
                exact = exact and given.exact
            case Ref() | Tuple() | Iter() if depth:
                for inner in where_parameters_are(atom):
                    more, known = held(interp, inner, depth - 1)
                    found |= more
                    exact = exact and (known or not (more or isinstance(atom, Iter)))
            case Unknown():
                found |= atom.deps
                exact = False
            case Tensor():
                found |= atom.sources
                exact = False
            case Const():
                continue
            case _:
                exact = False
    return found, exact and bool(found)


def _of_module(module: Obj) -> Params:
    """The parameters of a module; those of others too, where it is a list that was given them: `nn.ParameterList(net.parameters())`."""
    listed = module.heap.get("[]", NOTHING)
    lent = [a for a in listed if isinstance(a, Params) and not a.grad]
    own = () if lent and not any(isinstance(a, Ref) for a in listed) else _gathered(module) or (module,)
    all_in_sight = not lent or not any(isinstance(a, Unknown) for a in listed)
    return Params(frozenset().union(own, *(each.sources for each in lent)), exact=all_in_sight and all(each.exact for each in lent))


def _gathered(module: Obj) -> tuple[Obj, ...]:
    """The modules that a container of torch's only gathers: `nn.Sequential(policy, critic).parameters()`, each with a name or a part of another one."""
    library, _, leaf = module.qualname.rpartition(".")
    if module.cls is not None or library != "torch.nn" or leaf not in CONTAINERS:
        return ()
    atoms = dict.fromkeys(a for value in module.heap.values() for a in value)
    parts = tuple(a.obj for a in atoms if isinstance(a, Ref) and (module in a.obj.also_in or (a.obj.name and not module.name)))
    return parts if len(parts) == len(atoms) else ()


def only_tensors(value: Value, depth: int = 3) -> bool:
    """Whether what an optimizer was given is tensors that no module has: none of them, nor what they were computed from, is a parameter."""

    def of_atom(atom: Atom) -> bool:
        match atom:
            case Tensor():
                return not atom.sources
            case Tuple() if depth:
                return all(only_tensors(item, depth - 1) for item in atom.items)
            case Ref(obj=Container() as obj) if depth:
                held = [v for slot, v in obj.heap.items() if slot == "=params"] or [v for slot, v in obj.heap.items() if slot == "[]"]
                return bool(held) and all(only_tensors(v, depth - 1) for v in held)
        return False

    return bool(value) and all(map(of_atom, value))


def on_params(interp: Interpreter, params: Params, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Methods of parameters and gradients: clearing, clipping or scaling them by hand."""
    params = replace(params, iterator=None)
    if params.grad:
        match name:
            case "zero_" | "fill_":
                interp.emit(Clear(), expr.node, params.sources, certain=not _is_of_picked(interp, expr))
                if name == "fill_" and not is_zero(args):
                    interp.emit(Backward(manual=True), expr.node, params.sources)
            case "clamp_" | "clip_":
                interp.emit(Clip(), expr.node, params.sources)
            case "div_" | "mul_":
                if not _shortens(interp, expr):
                    interp.gradients.scaled |= params.sources
            case "add_" | "sub_" | "copy_":
                interp.gradients.scaled |= params.sources
                add_by_hand(interp, params, expr.node)
    elif name == "copy_":
        note_written(interp, params, args.get(0, "src") or UNKNOWN)
    if name in ("detach", "clone", "cpu", "data", "norm", "sum", "pow", "mean", "item", "view", "flatten"):
        graph = "no" if name in ("detach", "item") or params.grad else under(interp.grad, "yes")
        return frozenset({Tensor(params.sources, graph)})
    if name in ("items", "values", "extend", "append", "keys"):
        return frozenset({params})
    if name in ("get", "pop", "setdefault") and is_option(params, constant_of(args.get(0) or NOTHING)):
        return UNKNOWN
    if name == "requires_grad_":
        flag = args.get(0, "requires_grad")
        value = const(True) if flag is None else flag
        want_gradients(interp, params.sources, expr.node, value, all_of_each=params.exact, some=takes_from_some(params, value))
    return frozenset({params if name.endswith("_") else params.result()})


def note_written(interp: Interpreter, params: Params, value: Value) -> None:
    """Parameters are given values; what is made of parameters alone, as where they are converted, is no step of them."""
    if not params.grad and not all(isinstance(a, Params) for a in value):
        interp.gradients.written |= params.sources


@transfer("write-parameters")
def _write_parameters(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`vector_to_parameters(vector, model.parameters())`."""
    sources, _ = held(interp, args.get(1, "parameters") or NOTHING)
    note_written(interp, Params(sources), args.get(0, "vec") or UNKNOWN)
    return UNKNOWN


def _shortens(interp: Interpreter, expr: ir.Call) -> bool:
    """Whether gradients are multiplied only where the factor is below 1: they are clipped by hand, and stay those of a scaled loss."""
    factors = {path for arg in expr.args[:1] if (path := ir.path_of(arg.value)) is not None}
    return any(g.held is True and _is_below_one(g.test) in factors for g in interp.guards)


def _is_below_one(test: ir.Expr) -> str | None:
    match test:
        case ir.Compare(left=left, ops=["<" | "<="], rights=[ir.Const(value=1 | 1.0)]):
            return ir.path_of(left)
    return None


def add_by_hand(interp: Interpreter, params: Params, node: cst.CSTNode) -> None:
    """Something is added to gradients, or copied there: it may be all that a step finds, unless a loop goes without it at times."""
    if not any(g.depth and ".grad" not in ir.render(g.test) for g in interp.guards):
        interp.emit(Backward(manual=True), node, params.sources, certain=False)


def give_by_hand(groups: Value, value: Value) -> None:
    """`optimizer.param_groups[0]["params"][0] = weight`: an optimizer is given parameters, as by `add_param_group`."""
    given = any(isinstance(a, Params) or (isinstance(a, Ref) and isinstance(a.obj, Module | List)) for a in value)
    for optimizer in (o for a in groups if given and isinstance(a, Params) for o in a.sources if isinstance(o, Optimizer)):
        optimizer.extended = True


def set_by_hand(interp: Interpreter, groups: Value, node: cst.CSTNode) -> None:
    """`optimizer.param_groups[0]["lr"] = rate`: the rate of an optimizer is set."""
    if optimizers := {o for a in groups if isinstance(a, Params) for o in a.sources if isinstance(o, Optimizer)}:
        interp.remark(SetRate(), node, optimizers)


def is_zero(args: Arguments) -> bool:
    known = constant_of(args.get(0, "value") or NOTHING)
    return known is not None and known.value == 0


def picked(interp: Interpreter, parameter: ir.Expr) -> bool:
    """Whether some parameters of a loop over them get here, and others do not: a condition tests what the loop gives besides them, their names."""
    if not interp.loops:
        return False
    beside = interp.loops[-1].targets - {ir.render(parameter)}
    return any(g.depth >= len(interp.loops) and g.names & beside for g in interp.guards)


def _is_of_picked(interp: Interpreter, call: ir.Call) -> bool:
    """Whether a method is that of the gradients of some parameters alone: `p.grad.zero_()`, where a condition tests the names of a loop over them."""
    owner = call.func
    while isinstance(owner, ir.Attr):
        owner = owner.value
    return picked(interp, owner)


def takes_from_some(params: Params, value: Value) -> bool:
    """Whether parameters that were chosen by their place are told to take no gradients: the others do, as before."""
    known = constant_of(value)
    return params.cut and known is not None and not known.value


def want_gradients(
    interp: Interpreter,
    modules: frozenset[Obj],
    node: cst.CSTNode,
    value: Value,
    *,
    all_of_each: bool = True,
    by_default: bool = False,
    some: bool = False,
) -> None:
    """Whether parameters of modules take gradients is set: `requires_grad_(value)`, `p.requires_grad = value`.

    Args:
        all_of_each: whether it is told to all parameters of each module.
        by_default: whether modules count as frozen where the value is not known.
        some: whether it is told to parameters that were chosen one by one.
    """
    known = constant_of(value)
    certain = all_of_each and not some and len(modules) == 1 and not any(obj.many for obj in modules)
    if known is None or known.value:
        interp.emit(Thaw(), node, modules, certain=known is not None)
    if known is None or not known.value:
        interp.emit(Freeze(), node, modules, certain=certain and known is not None)
    for obj in modules:
        if isinstance(obj, TorchModule):
            frozen = not known.value if known is not None else by_default
            # Where some are frozen, the others take gradients as before.
            for part in [obj] if some else _with_parts(obj):
                if frozen and not part.frozen and _is_option(interp, part):
                    continue
                part.frozen = frozen and (part.frozen or not some)
                _mark_parameters(part)


def _is_option(interp: Interpreter, module: TorchModule) -> bool:
    """Whether what happens here to a module does so under an option: it is there where the option is not given, too."""
    built = {g for o in module.lineage() for g in o.made_under}
    of_loop = interp.loops[-1].targets if interp.loops else frozenset()
    return any(_names_an_option(g.test) for g in interp.guards if g not in built and not g.names & of_loop)


def _names_an_option(test: ir.Expr) -> bool:
    match test:
        case ir.Unary(op="not", operand=operand):
            return _names_an_option(operand)
        case ir.Compare(left=left, ops=["==" | "!=" | "<" | ">" | "<=" | ">="], rights=[ir.Const(value=value)]):
            return value is not None and _is_setting(left)
    return _is_setting(test)


def _is_setting(expr: ir.Expr) -> bool:
    """Whether an expression reads a name, an attribute, or an entry of one: `args.freeze`, `config["freeze"]`, `config.get("freeze", False)`."""
    match expr:
        case (
            ir.Call(func=ir.Attr(value=holder, attr="get"), args=[ir.Arg(value=ir.Const()), *_])
            | ir.Subscript(value=holder, index=ir.Const())
        ):
            return ir.path_of(holder) is not None
    return ir.path_of(expr) is not None


def _mark_parameters(module: TorchModule) -> None:
    """The parameters that a module has for attributes take part in a graph, or do not."""
    for slot, value in module.heap.items():
        parameters = [a.obj for a in value if isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.parameter]
        if parameters and len(value) == 2 and any(isinstance(a, Tensor) for a in value):
            frozen = all(p.frozen for p in parameters)
            tensor = Tensor() if frozen else Tensor(frozenset(parameters), "yes")
            module.heap[slot] = frozenset({tensor, *map(Ref, parameters)})


def _with_parts(module: TorchModule) -> list[TorchModule]:
    """A module and the modules in it."""
    found = [module]
    work: list[Obj] = [module]
    seen: set[Obj] = {module}
    while work:
        for atom in (a for value in work.pop().heap.values() for a in value if isinstance(a, Ref)):
            is_part = isinstance(atom.obj, TorchModule) and module in atom.obj.lineage()
            if atom.obj not in seen and (is_part or isinstance(atom.obj, Container)):
                seen.add(atom.obj)
                work.append(atom.obj)
                if isinstance(atom.obj, TorchModule):
                    found.append(atom.obj)
    return found


def may_thaw(interp: Interpreter, atom: Tensor | Unknown, node: cst.CSTNode) -> None:
    """`requires_grad` is set on something that may be a parameter: it is not known, or has parameters in its graph."""
    if isinstance(atom, Unknown) or atom.sources or not (atom.made or atom.origins or atom.tags):
        interp.emit(Thaw(), node, atom.deps if isinstance(atom, Unknown) else atom.sources, certain=False)


def _ask(interp: Interpreter, obj: Obj) -> None:
    if isinstance(obj, Module):
        obj.parameters_read = True
        if interp.guards not in obj.parameters_read_under:
            obj.parameters_read_under = (*obj.parameters_read_under, interp.guards)


@method_transfer("parameters")
def _parameters(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    _ask(interp, obj)
    given = frozenset[Atom]({_of_module(obj)})
    return iterators.lazily(given) if name == "parameters" else given


@method_transfer("named-parameters")
def _named_parameters(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    _ask(interp, obj)
    return frozenset({Iter(frozenset({Tuple((UNKNOWN, frozenset({_of_module(obj).item()})))}))})


@method_transfer("requires-grad")
def _requires_grad(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    flag = args.get(0, "requires_grad")
    want_gradients(interp, frozenset({obj}), expr.node, const(True) if flag is None else flag)
    return ref(obj)


@method_transfer("freeze")
def _freeze(interp: Interpreter, obj: Obj, name: str, args: Arguments, expr: ir.Call) -> Value:
    """Lightning's own method freezes the whole model, and switches it to eval mode; that of others freezes some of it."""
    if isinstance(obj, Module) and obj.restored is not None:
        want_gradients(interp, frozenset({obj}), expr.node, const(False))
        interp.emit(Eval(), expr.node, {obj})
    return UNKNOWN


def _is_written(expr: ir.Expr) -> bool:
    """Whether the values of a tensor stand in the expression that makes it."""
    match expr:
        case ir.Const():
            return True
        case ir.Display(items=items):
            return all(map(_is_written, items))
        case ir.Unary(operand=operand):
            return _is_written(operand)
        case ir.Binary(left=left, right=right):
            return _is_written(left) and _is_written(right)
        case ir.Call(func=func, args=args):
            made = (ir.path_of(func) or "").rpartition(".")[2]
            return made in _FILLED or (made in _OF_NUMBERS and bool(args) and _is_written(args[0].value))
    return False


@transfer("parameter")
def _parameter(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    obj = interp.create(Module, expr.node, qualname=qualname)
    obj.parameter = True
    obj.constant = bool(expr.args) and _is_written(expr.args[0].value)
    needs = args.get(1, "requires_grad")
    known = constant_of(needs) if needs is not None else None
    if known is not None and not known.value:
        obj.frozen = True
        return frozenset({Tensor(), Ref(obj)})
    return frozenset({Tensor(frozenset({obj}), under(interp.grad, "yes")), Ref(obj)})
