"""Objects whose construction is not analysed: their kind is inferred from their use.

They are parameters of functions that nobody calls, names that nothing binds or that come from modules which cannot be read, what code that cannot be
followed returns, and attributes of such objects.
"""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.objects import KINDS, DerivedTrainer, File, FrameworkModule, Instance, Loss, Module, Obj, Optimizer, Options
from looplint.domain.tags import Mark, SentBackward, went_backward
from looplint.domain.tensors import under
from looplint.domain.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Arguments,
    Atom,
    ClassRef,
    Const,
    External,
    Func,
    Method,
    Params,
    Ref,
    Tensor,
    Unknown,
    Value,
    ref,
    refs,
)
from looplint.flow.events import Escape, SetMode
from looplint.interpreter import choices, classes, data_fields, functions, hooks, imports
from looplint.interpreter.frames import Frame
from looplint.interpreter.given_back import with_callers
from looplint.interpreter.holders import BESIDE_PARTS, OF_A_LOOP, annotation_of, fill, holder, keep_optimizer, of_kind, symbolic
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.opened import open_up
from looplint.interpreter.roles import annotated, infer_role, proves_itself
from looplint.interpreter.sent_backward import sent_backward, sent_where_given, terms_sent_backward
from looplint.interpreter.usage import Scope, Uses, is_bound, uses, uses_everywhere, uses_of_attribute
from looplint.interpreter.used_by_others import with_others
from looplint.knowledge.frameworks import DIFFERENTIATING, LIBRARIES, MODELS_OF_TRAINER
from looplint.knowledge.lookup import call_effect, method_effect
from looplint.knowledge.pytorch import CONVERSIONS, PLAIN_ATTRIBUTES, TENSOR_METHODS, TENSOR_ONLY, names_a_loss, names_a_metric
from looplint.regex import regex
from looplint.syntax import ir
from looplint.syntax.project import ModuleInfo

_NO_USE = ir.Usage()
_SOME_OPTIMIZER: Value = frozenset({External("torch.optim.Optimizer")})
# What a model has that trains itself.
_OF_TRAINERS = frozenset({"backward", "step", "zero_grad"})
# The last part of the name of a dict, and a key of it.
_ENTRY = regex(r"(\w+)\[([^\[\]]+)\]$")


# -- passed in


@hooks.left_to_callers
def parameter(interp: Interpreter, func: Func, param: ir.Param) -> Value:
    """What a parameter is where nobody calls the function: known by its use, or not at all."""
    if param.kind in ("*", "**"):
        return UNKNOWN
    found = uses(interp, Scope(func.function, func.module, func.owner), param.name)
    usage = found.get("", _NO_USE)
    if usage.rebound and _is_class(func.function, param.name):
        return _default(interp, func, param) or UNKNOWN
    annotation, key = ir.render(param.annotation), (id(func.function), param.name)
    named = _class_named(interp, func.module, param.annotation)
    kind = classes.kind_of_class(interp, named) if named is not None else None
    cls = named if kind is Instance else None
    # No guess by its use is better than what its class tells.
    told = cls is not None and not classes.has_unknown_base(interp, cls) and not _is_left_to_subclasses(interp, cls, param.name, usage)
    value = symbolic(interp, param.name, usage, annotation, key) if not told else UNKNOWN
    if value == UNKNOWN and kind is Module and usage.methods and usage.methods.isdisjoint(_OF_TRAINERS):
        value = ref(of_kind(interp, Module, param.name, key))  # `model.forward(x)` and `model.loss(x)` say too little by themselves
    if value != UNKNOWN:
        for module in refs(value, Module):
            module.declared = named if kind is Module else None
            fill(interp, module, found, BESIDE_PARTS)
        return value
    if cls is not None:
        obj = of_kind(interp, Instance, param.name, key, cls)
        _build(interp, obj, cls)
        fill(interp, obj, found, OF_A_LOOP)
        return ref(obj) if _without_none(param.annotation) is param.annotation else ref(obj) | NONE
    return holder(interp, param.name, found, key) | _default(interp, func, param)


def _default(interp: Interpreter, func: Func, param: ir.Param) -> Value:
    """What a parameter may be by its default.

    One text or another, `device="cuda" if torch.cuda.is_available() else "cpu"`, or some class of optimizers, of which a default is only one.
    """
    if not isinstance(param.default, ir.IfExp | ir.Call | ir.Name | ir.Attr):
        return NOTHING
    with interp.looking():
        value = classes.static_value(interp, param.default, func.module)
    if value and all(isinstance(a, External) and call_effect(a.qualname) == "optimizer" for a in value):
        return _SOME_OPTIMIZER
    return value if len(value) > 1 and all(isinstance(a, Const) and isinstance(a.value, str) for a in value) else NOTHING


def _is_class(function: ir.Function, name: str) -> bool:
    """Whether a name is first that of what makes the object which then takes it: `optimizer = optimizer(model.parameters())`, on every way."""
    return any(isinstance(stmt, ir.Assign) and _calls(stmt, name) for stmt in function.body)


def _calls(stmt: ir.Assign, name: str) -> bool:
    match stmt:
        case ir.Assign(targets=[ir.Name(id=target)], value=ir.Call(func=ir.Name(id=callee))):
            return target == callee == name
    return False


def _class_named(interp: Interpreter, module: ModuleInfo, annotation: ir.Expr | None) -> ClassRef | None:
    """The class of the project that an annotation names, of what may be None or not."""
    if isinstance(annotation, ir.Const) and isinstance(annotation.value, str) and annotation.value.isidentifier():
        annotation = ir.Name(annotation.node, annotation.value)
    annotation = _without_none(annotation)
    if not isinstance(annotation, ir.Name | ir.Attr):
        return None
    value = classes.static_value(interp, annotation, module)
    return next((a for a in value if isinstance(a, ClassRef)), None) if len(value) == 1 else None


def _without_none(annotation: ir.Expr | None) -> ir.Expr | None:
    """What is there where it is not None: `Net` of `Net | None` and `Optional[Net]`."""
    match annotation:
        case ir.Binary(op="|", left=named, right=ir.Const(value=None)) | ir.Binary(op="|", left=ir.Const(value=None), right=named):
            return named
        case ir.Subscript(value=ir.Name(id="Optional") | ir.Attr(attr="Optional"), index=named):
            return named
    return annotation


def _is_left_to_subclasses(interp: Interpreter, cls: ClassRef, name: str, usage: ir.Usage) -> bool:
    """Whether a class has none of the methods that make what is used as an optimizer or scaler one: its subclasses have them of torch's own.

    `class SGD(BaseOptim, torch.optim.SGD)`, of `optimizer: BaseOptim`.
    """
    role = infer_role(name, usage, "")
    if role not in OF_A_LOOP or not proves_itself(role, usage) or classes.find_member(interp, cls, "__getattr__") is not None:
        return False
    asked = [method for method in usage.methods if method_effect(role, method) is not None]
    return bool(asked) and all(classes.find_member(interp, cls, method) is None for method in asked)


def _build(interp: Interpreter, obj: Obj, cls: ClassRef) -> None:
    """Follow the constructor of an object that is passed in; what happened to it since is not known."""
    init = classes.find_member(interp, cls, "__init__")
    if not interp.alive:
        return
    if init is None:
        data_fields.fill(interp, obj, cls)
        func = data_fields.set_up(interp, cls, obj)
    else:
        func = Func(init[0], init[1].module, init[1].closure, ref(obj), init[1]) if isinstance(init[0], ir.Function) else None
    if func is None or not interp.alive or func.function in interp.active:
        return
    interp.reached.functions.setdefault(func.function)
    frame = functions.enter_alone(interp, func)
    frame.instance = ref(obj)
    interp.active.append(func.function)  # a parameter that is said to be of the class itself is not built in its turn
    for number, param in enumerate(func.function.params):
        frame.locals[param.name] = parameter(interp, func, param) if number else ref(obj)
    interp.active.pop()
    functions.run_frame(interp, frame)
    for each in interp.held_by([ref(obj)]):
        open_up(interp, each)
    for each in interp.reachable([ref(obj)]):
        interp.emit(Escape(callee=cls.cls.name), func.function.node, {each})


# -- kept by an object


@hooks.attribute_unset
def unset_attribute(interp: Interpreter, obj: Obj, name: str) -> Value:
    """An attribute that nothing in sight sets."""
    cls = obj.cls
    if cls is None:
        return frozenset({Method(Ref(obj), name)}) if obj.symbolic else UNKNOWN
    found = uses_of_attribute(interp, obj, cls, name)
    value = symbolic(interp, name, found.get("", _NO_USE), ir.render(annotation_of(interp, cls, name)), key=(obj.key, name))
    if isinstance(obj, DerivedTrainer) and name in MODELS_OF_TRAINER and not any(isinstance(a, Ref) for a in value):
        value = ref(of_kind(interp, Module, "model", (obj.key, "model")))
    if isinstance(obj, DerivedTrainer) and name == "args" and value == UNKNOWN:
        value = ref(_arguments(interp, obj))
    if any(isinstance(a, Ref) for a in value):
        obj.heap[name] = value
        for model in (a.obj for a in value if isinstance(a, Ref) and isinstance(a.obj, Module) and a.obj.cls is None):
            keep_optimizer(interp, model, found)
        return value
    held = holder(interp, name, found, (obj.key, name)) if value == UNKNOWN else UNKNOWN
    if held != UNKNOWN:
        obj.heap[name] = held
        return held
    if classes.has_unknown_base(interp, cls) and name not in PLAIN_ATTRIBUTES:
        return frozenset({Method(Ref(obj), name)})
    return value


def _arguments(interp: Interpreter, trainer: DerivedTrainer) -> Options:
    """The TrainingArguments of a Trainer, which are read from the command line as a rule."""
    made = of_kind(interp, Options, "args", (trainer.key, "args"))
    made.plain = False
    return made


# -- made by code that cannot be followed


def result(interp: Interpreter, target: ir.Name | ir.Attr, value: Value, stmt: ir.Assign) -> Value:
    """What code that cannot be followed has made, where it gets a name: the program's use of the name tells what it is."""
    if isinstance(target, ir.Name):
        value = _as_metric(target.id, _as_loss(interp, target.id, _as_term(interp, target.id, value), stmt))
    if isinstance(stmt.value, ir.DictDisplay):
        _entries(interp, target.id if isinstance(target, ir.Name) else target.attr, value, stmt.value)
    given_tensors = _may_be_made_with_tensors(value, stmt)
    if not given_tensors and not any(is_unseen(a) for a in value):
        return value
    path = ir.path_of(target)
    if path is None or (isinstance(target, ir.Name) and not _calls(stmt, target.id) and _is_class(interp.frame.function, target.id)):
        return value
    wrapped = _wrapped(interp, target, path, stmt) if not given_tensors else None
    if wrapped:
        return wrapped
    name = path.rpartition(".")[2]
    if interp.frame.function is interp.main.code.top if interp.main.code is not None else False:
        found = uses_everywhere(interp, interp.frame.module, path)
    else:
        owner = _class_of_self(interp)
        found = with_others(interp, owner, path, uses(interp, Scope(interp.frame.function, interp.frame.module, owner), path))
    if given_tensors:
        if not _is_no_tensor(name, found):
            return value
        value = frozenset({Unknown(frozenset().union(*(a.sources for a in value if isinstance(a, Tensor))))})
    made = _made(interp, name, with_callers(interp, path, found), value, ("made", interp.frame.ctx, id(target.node)), stmt.value)
    return value if made is None else choices.beside(interp, stmt, frozenset(a for a in value if not is_unseen(a)), made)


def _may_be_made_with_tensors(value: Value, stmt: ir.Assign) -> bool:
    """Whether code out of sight may have got tensors to make something else of: `model = Model(config, embeddings)`, whose result is taken for a tensor."""
    made = bool(value) and all(isinstance(a, Tensor) and a.graph != "yes" and not a.made for a in value)
    return made and isinstance(stmt.value, ir.Call) and _gets_something(stmt.value)


def _gets_something(call: ir.Call) -> bool:
    """Whether a call, or what it converts or moves, is one of a function that gets something."""
    while isinstance(call.func, ir.Attr) and call.func.attr in CONVERSIONS and isinstance(call.func.value, ir.Call):
        call = call.func.value
    return bool(call.args) and not (isinstance(call.func, ir.Attr) and call.func.attr in CONVERSIONS)


def _is_no_tensor(name: str, found: Uses) -> bool:
    """Whether the use of a name tells that it is a model or an optimizer, by methods that no tensor has."""
    usage = found.get("", _NO_USE)
    others = usage.methods - TENSOR_METHODS.keys() - TENSOR_ONLY - CONVERSIONS
    return bool(others) and infer_role(name, usage, "") in ("module", "optimizer")


def entry(interp: Interpreter, holder: str, key: str, value: Value, source: ir.Expr) -> Value:
    """What code that cannot be followed has made, where a dict holds it under a key: what the program does with that entry of a dict of this name tells what it is.

    Args:
        interp: the interpreter.
        holder: the last part of the dict's name, `models` in `self.models["generator"]`.
        key: the entry's.
        value: what stands there.
        source: what it comes from.
    """
    if not value or not all(map(is_unseen, value)):
        return value
    usage = ir.Usage()
    for code in (info.code for info in {interp.main, *interp.project.modules}):
        if code is not None and (used := _used_entries(code).get((holder, key))) is not None:
            usage.add(used)
    made = _made(interp, f"{holder}_{key}", {"": usage}, value, ("made", interp.frame.ctx, id(source.node)), source)
    return value if made is None else frozenset({Ref(made)})


def entry_of_any(interp: Interpreter, target: ir.Subscript, value: Value, source: ir.Expr) -> Value:
    """What code that cannot be followed has made, where it gets a key that varies: `self.models[name] = model`. What is done with the entries tells of models.

    Args:
        interp: the interpreter.
        target: the entry.
        value: what stands there.
        source: what it comes from.
    """
    place = ir.place_of(target)
    if place is None or not place.endswith("[]") or not value or not all(map(is_unseen, value)):
        return value
    found = uses(interp, Scope(interp.frame.function, interp.frame.module, _class_of_self(interp)), place)
    usage, name = found.get("", _NO_USE), place.removesuffix("[]").rpartition(".")[2]
    if infer_role(name, usage, "") != "module" or not proves_itself("module", usage):
        return value
    made = _made(interp, name, found, value, ("made", interp.frame.ctx, id(source.node)), source)
    if made is None:
        return value
    made.many = True
    return frozenset({Ref(made)})


@ir.kept_with_code
def _used_entries(code: ir.ModuleCode) -> dict[tuple[str, str], ir.Usage]:
    """How a module uses the entries of dicts, by the last part of the dict's name and their key: `self.models["generator"](x)`."""
    found: dict[tuple[str, str], ir.Usage] = {}
    for usages in (code.top.usage, *(f.usage for f in code.functions), *(c.usage for c in code.classes)):
        for place, used in usages.items():
            entry = _ENTRY.search(place)
            if entry is not None:
                found.setdefault((entry[1], entry[2]), ir.Usage()).add(used)
    return found


def _entries(interp: Interpreter, holder: str, value: Value, display: ir.DictDisplay) -> None:
    """Tell by their use what the entries are of a dict that gets a name."""
    for obj in (a.obj for a in value if isinstance(a, Ref)):
        for key, item in display.items:
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                slot = f"={key.value}"
                known = obj.heap.get(slot, NOTHING)
                told = entry(interp, holder, key.value, known, item)
                if told is not known:
                    obj.heap[slot] = told  # the same value, known better
                    interp.note_write(obj, slot, told)


def _class_of_self(interp: Interpreter) -> ClassRef | None:
    """The class of the object whose method runs: a subclass uses what the constructor of its base makes."""
    for atom in interp.frame.instance:
        if isinstance(atom, Ref) and atom.obj.cls is not None:
            return atom.obj.cls
    return interp.frame.owner


def _made(interp: Interpreter, name: str, found: Uses, value: Value, key: object, source: ir.Expr) -> Obj | None:
    usage = found.get("", _NO_USE)
    role = infer_role(name, usage, "")
    unknown = [a for a in value if isinstance(a, Unknown)]
    deps = frozenset().union(*(a.deps for a in unknown))
    if role == "module":
        deps = frozenset(o for o in deps if not _is_loss(o))  # what keeps its loss is no wrapper of that
    of_parameters = any(a.parameters for a in unknown)
    if role is None and (not deps or of_parameters):
        return _made_holder(interp, name, found, key, deps) if not any(a.files for a in unknown) else None
    parts = frozenset(o for o in deps if isinstance(o, Module)) if role == "module" else frozenset()
    if role not in OF_A_LOOP | {"loss"} or (role == "module" and len(parts) < len(deps)):
        return None
    obj = of_kind(interp, KINDS[role], name, key)
    obj.unpickled = frozenset().union(*(a.files for a in unknown)) or _read_with_its_owner(interp, source)
    interp.trace.built.add(obj)
    match obj:
        case Module():
            obj.foreign = True
            _share(obj, parts)
            obj.declared = _declared(interp, source)
            obj.restored = _restored_as(interp, source)
            obj.differentiates = _attacks(interp, source)
            if isinstance(source, ir.Call) and interp.loops:
                interp.emit(SetMode(callee=ir.render(source.func)), source.node, {obj})  # each turn may make another
            for file in obj.unpickled if usage.methods & {"train", "eval"} else ():
                file.holds_module = True
            _moved(interp, obj, source)
            keep_optimizer(interp, obj, found)
        case Optimizer():
            declared = any(annotated(text) == "optimizer" for text in usage.annotations)
            obj.may_clear = not declared and not of_parameters and not _is_passed_in(interp, source)
            obj.holds = deps or _parameters_given(interp, source)
    return obj


def _is_passed_in(interp: Interpreter, source: ir.Expr) -> bool:
    """Whether something is a part of a parameter of the function with which an analysis began: it is what the parameter itself would be."""
    while isinstance(source, ir.Subscript):
        source = source.value
    frame, name = interp.frame, ir.path_of(source) or ""
    while frame.calls and frame.caller is not None and isinstance(given := frame.handed.get(name), ir.Name):
        frame, name = frame.caller, given.id
    function = frame.function
    bound = {each for stmt in ir.statements(function.body) for each in ir.binds(stmt)} if not frame.calls else {name}
    return name not in bound and any(param.name == name for param in function.params)


def _share(whole: Module, parts: frozenset[Module]) -> None:
    """What was built of some modules may have them as its parts, or copies of them, or is one of them by another name."""
    whole.shares_with |= parts
    for part in parts:
        part.shares_with |= {whole}


def _declared(interp: Interpreter, source: ir.Expr) -> ClassRef | None:
    """The class of models that the annotation of a parameter names which is out of sight, moved or not: `model.to(device)` of `model: Net`."""
    match source:
        case ir.Call(func=ir.Attr(value=inner, attr="to" | "cuda" | "cpu" | "float" | "half" | "double" | "train" | "eval")):
            return _declared(interp, inner)
        case ir.Name(id=name):
            param = next((p for p in interp.frame.function.params if p.name == name), None)
            named = _class_named(interp, interp.frame.module, param.annotation) if param is not None else None
            return named if named is not None and classes.kind_of_class(interp, named) is Module else None
    return None


def _read_with_its_owner(interp: Interpreter, source: ir.Expr) -> frozenset[File]:
    """The files that what holds an object was read from: `torch.load(path).encoder`, or the same of a name, moved or not."""
    match source:
        case (
            ir.Call(func=ir.Attr(value=inner, attr="to" | "cuda" | "cpu" | "eval" | "train"))
            | ir.Attr(value=inner)
            | ir.Subscript(value=inner)
        ):
            return _read_with_its_owner(interp, inner)
        case ir.Name(id=name):
            return frozenset().union(*(a.files for a in interp.frame.locals.get(name, NOTHING) if isinstance(a, Unknown)))
    return frozenset()


def kept(interp: Interpreter, owner: Value, expr: ir.Attr, value: Value) -> Value:
    """What an object keeps that code which cannot be followed has made of parameters: an optimizer, where another object steps it: `agent.optimizer.step()`.

    Args:
        interp: the interpreter.
        owner: the object.
        expr: reads it.
        value: what it keeps.
    """
    path = ir.path_of(expr)
    keepers = [a.obj for a in owner if isinstance(a, Ref) and not a.obj.heap.get(expr.attr, NOTHING).isdisjoint(value)]
    if path is None or not keepers or not all(isinstance(a, Unknown) and a.parameters or a in NONE for a in value):
        return value
    found = uses(interp, Scope(interp.frame.function, interp.frame.module, _class_of_self(interp)), path)
    if infer_role(expr.attr, found.get("", _NO_USE), "") != "optimizer":
        return value
    optimizer = of_kind(interp, Optimizer, expr.attr, (keepers[0].key, expr.attr))
    optimizer.holds = frozenset().union(*(a.deps for a in value if isinstance(a, Unknown)))
    told = ref(optimizer) | (value & NONE)
    for keeper in keepers:
        keeper.heap[expr.attr] = told  # the same value, known better
        interp.note_write(keeper, expr.attr, told)
    return told


def _restored_as(interp: Interpreter, source: ir.Expr) -> ClassRef | None:
    """The class whose object a framework makes anew from a checkpoint, if it is one that the framework trains."""
    match source:
        case ir.Call(func=ir.Attr(value=asked, attr="load_from_checkpoint")):
            value = interp.seen(asked)
            trained = [a for a in value if isinstance(a, ClassRef) and issubclass(classes.kind_of_class(interp, a), FrameworkModule)]
            return trained[0] if len(trained) == len(value) == 1 else None
        case ir.Call(func=ir.Attr(value=ir.Call() as inner, attr="to" | "cuda" | "cpu" | "eval")):
            return _restored_as(interp, inner)
    return None


def _made_holder(interp: Interpreter, name: str, found: Uses, key: object, deps: frozenset[Obj]) -> Obj | None:
    """What holds objects of the loop, and code that cannot be followed has made it with them, of the parameters of some modules or of nothing that is known.

    What these do beyond what they are is not known, but for optimizers that were made of parameters.
    """
    made = next((a.obj for a in holder(interp, name, found, key) if isinstance(a, Ref)), None)
    for each in interp.reachable([ref(made)]) if made is not None else ():
        match each:
            case Module():
                each.foreign = True
            case Optimizer():
                each.may_clear, each.holds = not deps, deps
    return made


def _attacks(interp: Interpreter, source: ir.Expr) -> bool:
    """Whether a library of attacks or explanations makes something: it differentiates the model that it is given."""
    if not isinstance(source, ir.Call) or ir.path_of(source.func) is None:
        return False
    with interp.looking():
        return any(isinstance(a, External) and a.qualname.startswith(DIFFERENTIATING) for a in interp.evaluate(source.func))


def _moved(interp: Interpreter, obj: Module, source: ir.Expr) -> None:
    """What is known as a module by its later use was moved where it was made: `model = torch.load(path).to(device)`."""
    match source:
        case ir.Call(func=ir.Attr(attr="to" | "cuda" as name), args=args) if not any(a.star for a in args):
            given = Arguments(
                [interp.evaluate(a.value) for a in args if not a.keyword], {a.keyword: interp.evaluate(a.value) for a in args if a.keyword}
            )
            interp.call(frozenset({Method(Ref(obj), name)}), given, source)


def _is_loss(obj: Obj) -> bool:
    return isinstance(obj, Loss) or names_a_loss(obj.name)


def _parameters_given(interp: Interpreter, source: ir.Expr) -> frozenset[Obj]:
    """The modules whose parameters a call is given that makes an optimizer, through whatever dicts and registries they then go."""
    given: list[Value] = []
    with interp.looking():
        for arg in source.args if isinstance(source, ir.Call) else ():
            match arg.value:
                case ir.Name() | ir.Attr() | ir.Call(func=ir.Attr(attr="parameters"), args=[]):
                    given.append(interp.evaluate(arg.value))
    return frozenset().union(*(atom.sources for value in given for atom in value if isinstance(atom, Params) and not atom.grad))


def _as_loss(interp: Interpreter, name: str, value: Value, stmt: ir.Assign) -> Value:
    """What a name holds that goes backward, whoever made it, is a tensor with a graph: the program would end there otherwise."""
    if not value or not all(
        _is_unseen_value(a) or (isinstance(a, Tensor) and (a.graph == "maybe" or (a.graph == "no" and not a.made))) for a in value
    ):
        return value
    code = interp.frame.module.lowered()
    call = sent_backward(code).get((interp.frame.function, name)) or sent_where_given(code).get((stmt, name)) if code is not None else None
    if call is None:
        return value
    sent = SentBackward((interp.frame.ctx, id(call.node), "backward"))
    tensors = [a if isinstance(a, Tensor) else Tensor(behind(a)) for a in value if isinstance(a, Tensor | Unknown | Method)]
    marks = [(sent,) if tensor.forwards else (sent, Mark.UNKNOWN) for tensor in tensors]
    return frozenset(replace(a, graph=under(interp.grad, "yes")).tagged(*tags) for a, tags in zip(tensors, marks, strict=True))


def _as_term(interp: Interpreter, name: str, value: Value) -> Value:
    """What a name of a loss holds that is a term of what goes backward: where it may have the graph of some forward, it is there for that."""
    if not names_a_loss(name) or not any(_may_have_graph(a) for a in value):
        return value
    code = interp.frame.module.lowered()
    if code is None or (interp.frame.function, name) not in terms_sent_backward(code):
        return value
    return frozenset(a.tagged(Mark.TERM) if isinstance(a, Tensor) and _may_have_graph(a) else a for a in value)


def _may_have_graph(atom: Atom) -> bool:
    return isinstance(atom, Tensor) and atom.graph == "maybe" and bool(atom.forwards)


def _as_metric(name: str, value: Value) -> Value:
    """What a name of a metric holds, where code that cannot be followed gives it: it may be a number, or have no graph."""
    if not any(isinstance(a, Tensor) and a.graph == "yes" and not a.made for a in value) or not names_a_metric(name):
        return value
    return frozenset(replace(a, graph="maybe") if isinstance(a, Tensor) and not a.made and not went_backward(a.tags) else a for a in value)


def is_unseen(atom: Atom) -> bool:
    """Whether a value comes from code that cannot be followed."""
    match atom:
        case Unknown():
            return True
        case Method(obj=inner):
            return isinstance(inner, Unknown | Method) or (isinstance(inner, Ref) and isinstance(inner.obj, Instance))
        case External(qualname):
            return call_effect(qualname) is None
    return False


def _is_unseen_value(atom: Atom) -> bool:
    """Whether a value comes from code that cannot be followed, or is an attribute of one that does."""
    return isinstance(atom, Unknown | Method) and is_unseen(atom)


def behind(atom: Unknown | Method) -> frozenset[Obj]:
    """The objects that a value from code that cannot be followed, or an attribute of one, may come from."""
    match atom:
        case Unknown(deps=deps):
            return deps
        case Method(obj=Unknown() | Method() as inner):
            return behind(inner)
    return frozenset()


def _wrapped(interp: Interpreter, target: ir.Expr, path: str, stmt: ir.Assign) -> Value | None:
    """The objects that a name goes on holding, where code that cannot be followed gets them and gives them back: `model = wrap(model)`."""
    if not isinstance(stmt.value, ir.Call) or all(ir.path_of(a.value) != path for a in stmt.value.args):
        return None
    held = interp.evaluate(target)
    if not held or not all(isinstance(a, Ref) and a.obj.kind in OF_A_LOOP for a in held):
        return None
    for optimizer in refs(held, Optimizer):
        optimizer.may_clear = True
    return held


# -- bound nowhere in sight


@hooks.name_unbound
def free(interp: Interpreter, frame: Frame, name: str) -> Value:
    """A name that nothing binds: of a fragment, of a cell, of a star import."""
    key = ("free", frame.module.filename, name)
    if key not in interp.evidence.names:
        interp.evidence.names[key] = None
        interp.evidence.names[key] = (
            None if is_bound(interp, frame.module, frame.function, name) else _proven(interp, frame.module, name, key)
        )
    return interp.evidence.names[key] or UNKNOWN


@hooks.name_imported
def imported(interp: Interpreter, frame: Frame, name: str, value: Value) -> Value:
    """A name that comes from a module which cannot be read."""
    (atom, *others) = value
    if others or not isinstance(atom, External) or call_effect(atom.qualname) is not None:
        return value
    library, _, rest = atom.qualname.partition(".")
    key = ("imported", frame.module.filename, atom.qualname)
    if not rest or library in LIBRARIES:
        return value
    if key not in interp.evidence.names:
        interp.evidence.names[key] = None
        interp.evidence.names[key] = _proven(interp, frame.module, name, ("imported", atom.qualname))
    return interp.evidence.names[key] or value


def _proven(interp: Interpreter, module: ModuleInfo, name: str, key: tuple[str, ...]) -> Value | None:
    found = uses_everywhere(interp, module, name)
    usage = found.get("", _NO_USE)
    role = infer_role(name, usage, "")
    if role is None or not proves_itself(role, usage):
        return None
    if KINDS[role] is Module and key[0] == "free" and imports.binds_all(interp, module):
        return None  # who calls it gets an error: no model of that name is ever run
    obj = of_kind(interp, KINDS[role], name, key)
    match obj:
        case Module():
            obj.foreign = True
        case Optimizer():
            obj.may_clear = True
    return ref(obj)
