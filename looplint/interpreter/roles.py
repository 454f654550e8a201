"""The role of an object that comes from outside the analysed code, from how the code uses it.

Use is the evidence; an annotation or a name only decides between roles that the use allows.
"""

from __future__ import annotations

import re
from functools import lru_cache

from looplint.knowledge import naming
from looplint.knowledge.pytorch import STATEFUL, names_a_loss
from looplint.knowledge.tensor_members import TENSOR_MEMBERS
from looplint.regex import regex
from looplint.syntax.ir import Usage

_MODULE_METHODS = frozenset(
    {"train", "eval", "parameters", "named_parameters", "state_dict", "load_state_dict", "modules", "named_modules", "requires_grad_"}
)
# What gives the items of what it is given in turn.
_ITERATING = frozenset({"enumerate", "iter", "tqdm", "zip"})
_OF_ACCELERATORS = frozenset({"prepare", "clip_grad_norm_", "gather", "unwrap_model", "accumulate", "setup", "clip_gradients"})
_ANNOTATIONS = {
    "Optimizer": "optimizer", "LRScheduler": "scheduler", "_LRScheduler": "scheduler", "GradScaler": "scaler", "DataLoader": "loader",
    "Module": "module", "ModuleDict": "module", "ModuleList": "module", "Sequential": "module", "Accelerator": "accelerator", "Fabric": "accelerator", "DeepSpeedEngine": "engine", "Tensor": "tensor",
}  # fmt: skip
# What is worth an object where the code only hands it on or takes its parts: the annotation tells enough.
_KEPT_UNUSED = frozenset({"module", "optimizer", "scheduler", "scaler"})
_MODULES = ("model", "net", "encoder", "decoder", "generator", "discriminator", "backbone")
# Words in the names of classes, and of what makes models, and is none.
_CLASSES = frozenset({"class", "cls", "klass", "factory", "builder", "ctor", "constructor", "creator", "maker"})
_MAKERS = _CLASSES | frozenset({
    "build", "get", "make", "create", "init", "load", "type", "fn", "func", "def", "setup", "prepare", "wrap", "unwrap", "register", "compile", "convert", "initializer", "initialiser", "converter",
})  # fmt: skip
# With what the names of methods begin that do something with a model, and of no model: there are an `update_net` and a `count_encoder`.
_VERBS = frozenset({
    "print", "show", "save", "freeze", "unfreeze", "remove", "check", "summarize", "summarise", "plot", "dump", "export", "restore", "report", "display", "visualize", "visualise", "write",
})  # fmt: skip
# Verbs that layers are named after too: `update_global_model(weights)`, and an `update_net`.
_VERBS_OF_LAYERS = frozenset({"update", "set", "add", "reset"})
_OPTIMIZERS = STATEFUL | {"SGD", "LBFGS"}
# What the scalers are called that make a whole update when they are called; others scale data.
_SCALERS = ("loss_scaler", "grad_scaler", "amp_scaler")
# The methods of a scaler that take an optimizer.
_SCALED = regex(r"\.unscale_$|scaler\w*\.step$", re.IGNORECASE)
# The methods of what holds a model and trains it: `model.set_input(batch)`, `model.optimize_parameters()`.
_TRAINING = regex(r"_*(optimi[sz]e|set_input|set_data|feed_data|backward|step|zero_grad|update)")
# What the schedules of a diffusion have, and those of a learning rate do not.
_OF_NOISE = frozenset(
    {"add_noise", "set_timesteps", "scale_model_input", "timesteps", "alphas_cumprod", "get_velocity", "init_noise_sigma"}
)


def infer_role(name: str, usage: Usage, annotation: str) -> str | None:
    """The kind of object that a parameter, an unset attribute or a result must be.

    Args:
        name: what the code calls it (the last part of `self.optimizer`).
        usage: the methods called on it, and whether it is called or iterated.
        annotation: the source text of its annotation, or "".

    Returns:
        A kind of `looplint.domain.values.Obj`, "tensor", or None where the use says too little.
    """
    lowered = name.lower()
    methods = usage.methods
    used = bool(methods or usage.applied or usage.iterated or usage.attrs)
    for text in (annotation, *sorted(usage.annotations)):
        kind = annotated(text)
        if kind is not None and (used or kind in _KEPT_UNUSED):
            # A plain module has neither: what an annotation calls a module is what wraps one.
            return "engine" if kind == "module" and methods >= {"backward", "step"} else kind
    if "__name__" in usage.attrs:
        return None  # a class or a function: what it makes may be a module
    if "backward" in methods:
        if methods & _OF_ACCELERATORS or _names_an_accelerator(lowered):
            return "accelerator"
        if usage.applied or methods & {"step", "train", "eval"}:
            return "engine" if "step" in methods else None
        # A strategy, a booster: what it sends backward is what it is given.
        return "tensor" if methods <= TENSOR_MEMBERS else None
    if methods & _OF_ACCELERATORS and _names_an_accelerator(lowered):
        return "accelerator"
    if "zero_grad" in methods:
        if "step" in methods or "param_groups" in usage.attrs or "opt" in lowered:
            # One without a schedule has two modes of its own.
            has_modes = methods & {"train", "eval"} and not ("step" in methods and "opt" in lowered) and not lowered.endswith("optimizer")
            # A class of optimizers may be handed in instead of one: it is called to make one.
            called = usage.applied and not ("step" in methods and "opt" in lowered)
            return "optimizer" if not (called or has_modes or "parameters" in methods) else "module"
        return "module" if usage.applied or methods & _MODULE_METHODS else None
    if "unscale_" in methods or ("scaler" in lowered and methods >= {"step", "update"}):
        return "scaler"  # of which a function uses what comes after a backward that others make
    if ("scale" in methods and methods & {"step", "update"}) or (usage.applied and lowered.endswith(_SCALERS)):
        return "scaler"
    if _goes_to_a_scaler(usage) and not usage.applied:
        return "optimizer"
    if "step" in methods and "sample" not in methods and "reset" not in methods:
        if "sched" in lowered or methods & {"get_last_lr", "get_lr"}:
            return None if (methods | usage.attrs) & _OF_NOISE else "scheduler"
        if "opt" in lowered or "param_groups" in usage.attrs:
            return "optimizer"
        return None
    if methods & {"train", "eval"} or (
        methods & _MODULE_METHODS and (usage.applied or methods & {"parameters", "named_parameters", "modules"})
    ):
        return "module"
    if _feeds_an_optimizer(usage):
        return "module"
    if usage.applied and names_a_loss(lowered) and not (_names_a_class(lowered) or _makes_modules(usage)):
        return "loss"
    if "forward" in usage.attrs - methods and not names_a_loss(lowered):
        return "module"  # whose forward is read, or replaced: `model.forward = wrapped`
    named = any(part in lowered for part in _MODULES) or lowered.lstrip("_") == "module"
    applied = usage.applied or ("forward" in methods and not any(map(_is_of_trainers, methods)))
    if applied and named and not (_names_a_maker(name) or _makes_modules(usage)):
        return "module"
    return "loader" if names_a_loader(lowered) and is_gone_over(usage) else None


def _is_of_trainers(method: str) -> bool:
    """Whether what has a method trains itself, as far as its name tells: such objects have a `forward()` of their own, which takes nothing."""
    return naming.trains(method) or _TRAINING.match(method) is not None


def is_gone_over(usage: Usage) -> bool:
    """Whether a loop goes over something, also behind what it is handed to: `enumerate(loader)`, `tqdm(loader)`, `zip(sources, targets)`."""
    return usage.iterated or any(
        callee.rpartition(".")[2] in _ITERATING and (position == 0 or callee == "zip") for callee, position in usage.passed
    )


def _names_an_accelerator(name: str) -> bool:
    return "accelerator" in name or "fabric" in name


def names_a_loader(name: str) -> bool:
    """Whether what is iterated under a name is taken for batches."""
    return any(part in name.lower() for part in ("loader", "dataload", "data_iter", "train_iter", "dataset", "batches"))


@lru_cache(maxsize=4096)
def annotated(annotation: str) -> str | None:
    """The kind of object that an annotation names: `Optimizer`, `torch.optim.Adam | None`, `"nn.Module"`."""
    words = re.findall(r"[A-Za-z_][\w.]*", annotation)
    types = {word for word in words if word.rpartition(".")[2] not in ("Optional", "Union", "None")}
    if len(types) != 1:
        return None
    (word,) = types
    library, _, leaf = word.rpartition(".")
    kind = _ANNOTATIONS.get(leaf)
    return "optimizer" if kind is None and library in ("torch.optim", "optim") and leaf[:1].isupper() else kind


def proves_itself(role: str, usage: Usage) -> bool:
    """Whether the use alone tells the role, whatever the name says: for what no text in sight hands in or builds."""
    methods = usage.methods
    match role:
        case "module":
            return usage.applied and (bool(methods & _MODULE_METHODS) or _feeds_an_optimizer(usage))
        case "optimizer":
            return "step" in methods or _goes_to_a_scaler(usage)
        case "scheduler":
            return bool(methods & {"get_last_lr", "get_lr"})
        case "scaler" | "accelerator" | "engine":
            return True
    return False


def _goes_to_a_scaler(usage: Usage) -> bool:
    """Whether a scaler steps it, or divides its gradients: `scaler.step(optimizer)`, `scaler.unscale_(optimizer)`, `loss_scaler(loss, optimizer)`."""
    by_place = any(
        _SCALED.search(callee) if position == 0 else position == 1 and callee.lower().endswith(_SCALERS)
        for callee, position in usage.passed
    )
    return by_place or any(
        keyword == "optimizer" and (_SCALED.search(callee) is not None or callee.lower().endswith(_SCALERS))
        for callee, keyword in usage.named
    )


def _feeds_an_optimizer(usage: Usage) -> bool:
    """Whether it is called, and an optimizer gets the parameters that one of its methods collects: `Adam(field.groups(rate))`."""
    return usage.applied and any(callee.rpartition(".")[2] in _OPTIMIZERS for callee in usage.feeds)


def _makes_modules(usage: Usage) -> bool:
    """Whether what its calls give is used as a module: `self.model = model(width)`, and `self.model.parameters()`."""
    return bool(usage.given_methods & (_MODULE_METHODS - {"requires_grad_"}))


def _names_a_class(name: str) -> bool:
    """Whether a name is that of a class: `loss_head_cls(model)` gives one of its objects."""
    return not _CLASSES.isdisjoint(_words(name))


def _names_a_maker(name: str) -> bool:
    words = _words(name.lower().lstrip("_"))
    is_told = words[0] in _VERBS or (len(words) > 2 and words[0] in _VERBS_OF_LAYERS)
    return name[:1].isupper() or is_told or not _MAKERS.isdisjoint(words)


def _words(name: str) -> list[str]:
    """The words of a name, without the numbers that tell several of one kind apart: `model_class2`, `build_net_1`."""
    return [word.rstrip("0123456789") for word in name.split("_")]
