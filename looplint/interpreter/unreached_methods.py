"""The methods of modules that no loop is in: followed beside the graph, for what is judged where it stands."""

from __future__ import annotations

from looplint.domain.objects import Dataset, Loss, Module, Obj, TorchModule
from looplint.domain.values import NOTHING, UNKNOWN, ClassRef, Const, Func, Ref, ref
from looplint.flow.remarks import Shelve
from looplint.interpreter import classes, functions, hooks
from looplint.interpreter.interpreter import ROOT_FUEL, Interpreter, OutOfFuel
from looplint.interpreter.outside import parameter
from looplint.interpreter.settled import rebound_in
from looplint.knowledge.pytorch import CONVERSIONS, SCORES
from looplint.syntax import ir

# What one class may cost. Constructors and forwards are short; what needs more is no forward.
_FUEL = 8_000
_JUDGED = frozenset({"forward", "autocast", *SCORES})
_KINDS = (TorchModule, Dataset)
# What registers the modules that an object keeps in a plain container, or reaches their parameters without that.
_REGISTERING = frozenset({"add_module", "register_module", "ModuleList", "ModuleDict", "Sequential", "parameters", "named_parameters"})


def follow_insides(interp: Interpreter) -> None:
    """Follow the constructors of the file's modules, and those of their methods in which something stands to be judged."""
    assert interp.main.code is not None
    interp.fuel = ROOT_FUEL  # whatever the last root has left
    for cls in interp.main.code.classes:
        found = ClassRef(cls, interp.main)
        init = cls.methods.get("__init__")
        keeps_losses = init is not None and any("Loss" in name for name in init.called())
        worth = keeps_losses or any(_worth_following(f) for f in _others(cls))
        unseen = init is not None and init not in interp.reached.functions
        if (worth or unseen) and issubclass(classes.kind_of_class(interp, found), _KINDS):
            _follow_class(interp, found)
    _follow_registrations(interp)


def _follow_registrations(interp: Interpreter) -> None:
    """Follow what may register modules that were put into plain containers, on the very objects: whoever uses these may call it."""
    shelved = [e for e in interp.remarks.values() if isinstance(e, Shelve) and e.certain and e.used and not e.given]
    kept = [e for e in shelved if any(isinstance(obj, Module) for obj in interp.reachable([e.value]))]
    methods = dict.fromkeys((obj, each, f) for e in kept for obj in e.subjects for each, f in _registering(interp, obj))
    for obj, cls, function in methods:
        with interp.fueled(_FUEL):
            _follow(interp, Func(function, cls.module, cls.closure, ref(obj), cls))


def _registering(interp: Interpreter, obj: Obj) -> list[tuple[ClassRef, ir.Function]]:
    """The methods of an object, but for its constructors, that register modules or ask for their parameters, by themselves or by others of them."""
    found = classes.mro(interp, obj.cls) if obj.cls is not None else ()
    methods = [(cls, f) for cls in found for f in cls.cls.methods.values() if f.name != "__init__"]
    names = _REGISTERING
    while True:
        chosen = [(cls, f) for cls, f in methods if f.methods & names or "setattr" in f.usage]
        further = names | {f.name for _, f in chosen}
        if further == names:
            return chosen
        names = further


def _others(cls: ir.Class) -> list[ir.Function]:
    return [f for f in cls.methods.values() if f.name != "__init__"]


def _worth_following(function: ir.Function) -> bool:
    losses = any("loss" in name or name.startswith("crit") for name in function.methods)
    return losses or "autocast" in function.usage or bool(function.methods & _JUDGED) or bool(function.dropped & CONVERSIONS)


def _makes_its_object(function: ir.Function) -> bool:
    return any(ir.path_of(decorator) == "classmethod" for decorator in function.decorators)


def _follow_class(interp: Interpreter, cls: ClassRef) -> None:
    instance = interp.known(classes.kind_of_class(interp, cls), ("inside-of", id(cls.cls)), cls.cls.name, cls)
    with interp.fueled(_FUEL):
        hooks.constructing.run(interp, instance, cls)
        init = classes.find_member(interp, cls, "__init__")
        if init is not None and isinstance(init[0], ir.Function):
            _follow(interp, Func(init[0], init[1].module, init[1].closure, ref(instance), init[1]))
        _forget_switches(instance, cls)
        losses = {name for name, value in instance.heap.items() if any(isinstance(a, Ref) and isinstance(a.obj, Loss) for a in value)}
        # What makes an object anew, as from files, costs what that costs: `Net.from_pretrained(path)`.
        for method in sorted(_others(cls.cls), key=_makes_its_object):
            if _worth_following(method) or method.methods & losses:
                _follow(interp, Func(method, cls.module, cls.closure, ref(instance), cls))


def _forget_switches(instance: Obj, cls: ClassRef) -> None:
    """Constants that other methods replace are not known in a method that may be called after these."""
    rebound = rebound_in(cls.module)
    for name, value in instance.heap.items():
        if all(isinstance(atom, Const) for atom in value) and (rebound is None or name in rebound):
            instance.heap[name] = value | UNKNOWN


def _follow(interp: Interpreter, func: Func) -> None:
    noted = len(interp.remarks)
    function = func.function
    frame = functions.enter_alone(interp, func)
    frame.instance = func.bound or NOTHING
    try:
        with interp.beside(frame), interp.gradients.unread():
            interp.aside = True
            for number, param in enumerate(function.params):
                frame.locals[param.name] = frame.instance if number == 0 and not ir.is_static(function) else parameter(interp, func, param)
            functions.run_frame(interp, frame)
    except OutOfFuel:
        interp.forget_remarks(noted)
