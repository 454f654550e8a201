"""The methods of modules that no loop is in: followed beside the graph, for what is judged where it stands."""

from __future__ import annotations

from looplint.domain.objects import Dataset, Obj, TorchModule
from looplint.domain.values import NOTHING, ClassRef, Func, ref
from looplint.flow.remarks import Shelve
from looplint.interpreter import classes, functions, hooks
from looplint.interpreter.interpreter import ROOT_FUEL, Interpreter, OutOfFuel
from looplint.interpreter.outside import parameter
from looplint.knowledge.pytorch import CONVERSIONS, SCORES
from looplint.syntax import ir

# What one class may cost. Constructors and forwards are short; what needs more is no forward.
_FUEL = 4_000
_JUDGED = frozenset({"forward", "autocast", *SCORES})
_KINDS = (TorchModule, Dataset)
# What registers the modules that an object keeps in a plain container, or reaches their parameters without that.
_REGISTERING = frozenset({"add_module", "register_module", "ModuleList", "ModuleDict", "Sequential", "parameters", "named_parameters"})


def follow_insides(m: Interpreter) -> None:
    """Follow the constructors of the file's modules, and those of their methods in which something stands to be judged."""
    assert m.main.code is not None
    m.fuel = ROOT_FUEL  # whatever the last root has left
    for cls in m.main.code.classes:
        found = ClassRef(cls, m.main)
        worth = [f for f in cls.methods.values() if f.name != "__init__" and _worth_following(f)]
        unseen = any(f.name == "__init__" and f not in m.reached.functions for f in cls.methods.values())
        if (worth or unseen) and issubclass(classes.kind_of_class(m, found), _KINDS):
            _follow_class(m, found, worth)
    _follow_registrations(m)


def _follow_registrations(m: Interpreter) -> None:
    """Follow what may register modules that were put into plain containers, on the very objects: whoever uses these may call it."""
    kept = [e for e in m.remarks.values() if isinstance(e, Shelve) and e.certain and e.used and not e.given]
    methods = dict.fromkeys((obj, each, f) for e in kept for obj in e.subjects for each, f in _registering(m, obj))
    for obj, cls, function in methods:
        with m.fueled(_FUEL):
            _follow(m, Func(function, cls.module, cls.closure, ref(obj), cls))


def _registering(m: Interpreter, obj: Obj) -> list[tuple[ClassRef, ir.Function]]:
    """The methods of an object, but for its constructors, that register modules or ask for their parameters, by themselves or by others of them."""
    found = classes.mro(m, obj.cls) if obj.cls is not None else ()
    methods = [(cls, f) for cls in found for f in cls.cls.methods.values() if f.name != "__init__"]
    names = _REGISTERING
    while True:
        chosen = [(cls, f) for cls, f in methods if f.methods & names or "setattr" in f.usage]
        further = names | {f.name for _, f in chosen}
        if further == names:
            return chosen
        names = further


def _worth_following(function: ir.Function) -> bool:
    losses = any("loss" in name or name.startswith("crit") for name in function.methods)
    return losses or "autocast" in function.usage or bool(function.methods & _JUDGED) or bool(function.dropped & CONVERSIONS)


def _follow_class(m: Interpreter, cls: ClassRef, methods: list[ir.Function]) -> None:
    instance = m.known(classes.kind_of_class(m, cls), ("inside-of", id(cls.cls)), cls.cls.name, cls)
    with m.fueled(_FUEL):
        hooks.constructing.run(m, instance, cls)
        init = classes.find_member(m, cls, "__init__")
        if init is not None and isinstance(init[0], ir.Function):
            _follow(m, Func(init[0], init[1].module, init[1].closure, ref(instance), init[1]))
        for method in methods:
            _follow(m, Func(method, cls.module, cls.closure, ref(instance), cls))


def _follow(m: Interpreter, func: Func) -> None:
    noted = len(m.remarks)
    function = func.function
    frame = functions.enter_alone(m, func)
    frame.instance = func.bound or NOTHING
    gradients = m.gradients.read_unknown
    try:
        with m.beside(frame):
            m.aside = True
            for number, param in enumerate(function.params):
                frame.locals[param.name] = frame.instance if number == 0 and not ir.is_static(function) else parameter(m, func, param)
            functions.run_frame(m, frame)
    except OutOfFuel:
        m.forget_remarks(noted)
    m.gradients.read_unknown = gradients
