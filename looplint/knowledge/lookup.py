"""Which effect a qualified name or a method has: the one door to the tables."""

from __future__ import annotations

from functools import cache

from looplint.knowledge import frameworks, own, pytorch

_BUILTINS: dict[str, str] = {
    "builtins.enumerate": "enumerate", "builtins.zip": "zip", "builtins.iter": "same", "builtins.next": "next", "builtins.range": "range",
    "builtins.len": "length", "builtins.list": "sequence", "builtins.tuple": "sequence", "builtins.set": "sequence", "builtins.sorted": "sequence",
    "builtins.reversed": "sequence", "builtins.filter": "filter", "builtins.map": "map", "builtins.float": "number", "builtins.int": "number",
    "builtins.str": "text", "builtins.print": "text", "builtins.repr": "text", "builtins.format": "text", "builtins.round": "number",
    "math.ceil": "number", "math.floor": "number", "math.trunc": "number", "numpy.ceil": "number", "numpy.floor": "number",
    "builtins.bool": "number", "builtins.sum": "sum", "builtins.max": "tensor", "builtins.min": "tensor", "builtins.abs": "tensor",
    "builtins.getattr": "getattr", "builtins.setattr": "setattr", "builtins.isinstance": "pure", "builtins.hasattr": "hasattr", "builtins.type": "class-of",
    "builtins.dict": "dict", "builtins.super": "super", "builtins.vars": "vars", "builtins.exec": "exec", "builtins.eval": "eval",
    "builtins.id": "pure", "builtins.open": "pure", "builtins.any": "pure", "builtins.all": "pure", "builtins.callable": "pure", "builtins.input": "pure",
    "builtins.locals": "pure", "builtins.globals": "pure", "builtins.exit": "exit", "builtins.quit": "exit", "sys.exit": "exit", "os._exit": "exit",
    "tqdm.tqdm": "progress", "tqdm.trange": "range", "tqdm.auto.tqdm": "progress", "tqdm.auto.trange": "range", "tqdm.notebook.tqdm": "progress",
    "tqdm.tqdm_notebook": "progress", "tqdm.std.tqdm": "progress", "tqdm.contrib.tenumerate": "enumerate", "rich.progress.track": "progress",
    "tqdm.notebook.trange": "range", "tqdm.notebook.tqdm_notebook": "progress", "fastprogress.progress_bar": "progress", "progressbar.progressbar": "progress",
    "tqdm.rich.tqdm": "progress", "tqdm.autonotebook.tqdm": "progress", "tqdm.autonotebook.trange": "range", "alive_progress.alive_it": "progress",
    "itertools.islice": "progress", "itertools.cycle": "progress", "itertools.chain": "chain", "itertools.chain.from_iterable": "sequence",
    "itertools.count": "range", "itertools.tee": "pure", "itertools.repeat": "same", "itertools.product": "pure",
    "typing.cast": "told-type", "typing_extensions.cast": "told-type", "torch.jit.annotate": "told-type",
    "typing.assert_type": "same", "typing_extensions.assert_type": "same",
    "random.choice": "drawn", "random.sample": "drawn-items", "random.choices": "drawn-items", "numpy.random.choice": "drawn", "numpy.random.permutation": "drawn-items",
    "random.shuffle": "shuffle", "numpy.random.shuffle": "shuffle", "heapq.heapify": "shuffle",
    "pickle.load": "read-file", "dill.load": "read-file", "joblib.load": "read-file", "safetensors.torch.load_file": "read-file",
    "functools.partial": "partial", "types.MethodType": "bound-method", "functools.wraps": "decorator", "functools.lru_cache": "decorator", "functools.cache": "decorator",
    "weakref.WeakKeyDictionary": "dict", "weakref.WeakValueDictionary": "dict", "weakref.ref": "weak-reference", "weakref.ref.__call__": "same", "weakref.proxy": "weak-reference",
    "functools.reduce": "fold", "operator.attrgetter": "attribute-getter", "operator.attrgetter.__call__": "got-attribute",
    "operator.add": "tensor", "operator.iadd": "tensor", "operator.mul": "tensor", "operator.sub": "tensor",
    "copy.deepcopy": "copy", "copy.copy": "copy", "contextlib.nullcontext": "context", "contextlib.suppress": "context",
    "contextlib.ExitStack": "exit-stack", "contextlib.AsyncExitStack": "exit-stack", "contextlib.contextmanager": "decorator", "collections.defaultdict": "dict", "collections.OrderedDict": "dict",
    "collections.namedtuple": "named-tuple", "collections.namedtuple.__call__": "build-named-tuple", "typing.NamedTuple": "named-tuple",
    "collections.deque": "list", "types.SimpleNamespace": "namespace", "argparse.Namespace": "namespace", "argparse.ArgumentParser": "options", "easydict.EasyDict": "namespace",
    "munch.Munch": "dict-of-attributes", "addict.Dict": "dict-of-attributes", "box.Box": "dict-of-attributes",
    "dataclasses.asdict": "fields-of", "dataclasses.replace": "replaced-fields",
    "dataclasses.field": "field", "attr.ib": "field", "attr.field": "field", "attrs.field": "field", "pydantic.Field": "field",
    "numpy.mean": "number", "numpy.sum": "number", "numpy.array_equal": "score", "numpy.allclose": "score",
    "numpy.equal": "compared-arrays", "numpy.not_equal": "compared-arrays", "numpy.isclose": "compared-arrays",
    "torch.multiprocessing.spawn": "spawn", "accelerate.notebook_launcher": "spawn", "absl.app.run": "spawn", "fire.Fire": "spawn", "tyro.cli": "pure",
    "jsonargparse.CLI": "spawn", "typer.run": "spawn",
}  # fmt: skip
# The longest prefix wins, wherever its row is.
_PREFIXES = sorted(frameworks.PREFIXES, key=lambda row: -len(row[0]))

# The two modules of torchvision in which its transforms stand, and the functions behind them.
_IMAGE_TRANSFORMS = ("torchvision.transforms", "torchvision.transforms.transforms")
_FUNCTIONS_ON_IMAGES = ("torchvision.transforms.functional.", "torchvision.transforms.v2.functional.")

# Effects of classes of which a program takes one or another, as its options say: whichever it is, one object is built.
ONE_OF_A_KIND = frozenset({"optimizer", "module", "loss", "scaler"})
# What an object of a project's class is that derives from a class with an effect.
_KINDS_OF_SUBCLASSES = {
    "module": "module", "container": "module", "module-function": "module", "optimizer": "optimizer", "scheduler": "scheduler", "loader": "loader",
    "loss": "loss", "dataset": "dataset", "scaler": "scaler", "accelerator": "accelerator", "distribution": "distribution",
}  # fmt: skip


def use(tables: own.Tables) -> None:
    """Let a project's own tables hold, before all others, for what this process analyses from now on."""
    if own.use(tables):
        call_effect.cache_clear()


@cache
def call_effect(qualname: str) -> str | None:
    """The effect of calling a name.

    Returns:
        The name of the effect, or None when nothing is known of the name.
    """
    effect = own.effect_of(qualname) or _listed(qualname)
    if effect:
        return effect
    if qualname.startswith("builtins."):
        return "pure"
    leaf = qualname.rpartition(".")[2]
    if leaf == "__init__":
        return "base-constructor"
    if makes_other_tensors(qualname):
        return "other-tensor"
    for prefix, effect in _PREFIXES:
        if qualname.startswith(prefix):
            return _refine(effect, qualname)
    if qualname.partition(".")[0] in frameworks.PURE_LIBRARIES:
        return "pure"
    return None


def makes_other_tensors(qualname: str) -> bool:
    """Whether a function of another framework makes tensors of its own: `tf.convert_to_tensor`, `jnp.asarray`."""
    owner, _, leaf = qualname.rpartition(".")
    return owner in frameworks.OF_OTHER_TENSORS and (leaf == "Variable" or leaf[:1].islower())


def is_listed(qualname: str) -> bool:
    """Whether the tables have a row for a name itself: a prefix of it does not tell that there is such a name."""
    return _listed(qualname) is not None


def listed_method(base: str, name: str) -> str | None:
    """The effect of a method of a library's class that has a row of its own, for what derives from that class, too."""
    qualname = f"{base}.{name}"
    return own.effect_of(qualname) or _listed(qualname)


def counts_as_true(qualname: str) -> bool:
    """Whether what a library has under a name is a function, a class or something else that is true in a test, and no flag that may be off."""
    owner, _, leaf = qualname.rpartition(".")
    return is_listed(qualname) or qualname.startswith(("torch.nn.", "torch.optim.")) or (owner == "torch" and leaf != "newaxis")


def _listed(qualname: str) -> str | None:
    return next((table[qualname] for table in (pytorch.CALLS, frameworks.CALLS, _BUILTINS) if qualname in table), None)


def kind_of_subclass(base: str) -> str | None:
    """The kind of object that a class of a project makes which derives from a library's; None where the base says nothing of it."""
    effect = call_effect(base)
    if effect == "class-of-transformers":
        if base.endswith("Mixin") and not base.endswith("ModelMixin"):
            return None  # what it adds makes a class neither a model nor something else
        return "module" if base.endswith(("Model", "ModelMixin")) or "For" in base else "instance"
    return _KINDS_OF_SUBCLASSES.get(effect or "")


def _refine(effect: str, qualname: str) -> str:
    """Tell classes from functions by their names, where one prefix holds both."""
    leaf = qualname.rpartition(".")[2]
    is_class = leaf[:1].isupper()
    match effect:
        case "optimizer?":
            return "optimizer" if is_class else "pure"
        case "module?":
            if leaf.endswith("Loss"):
                return "loss"
            # Projects derive from what torch keeps to itself as well: `_ConvNd`, `_BatchNorm`.
            return "module" if leaf.lstrip("_")[:1].isupper() else "tensor"
        case "tensor" if is_class and not leaf.endswith("Tensor"):
            return "unknown"
        case "tensor":
            return "detached" if leaf in pytorch.DETACHED else "tensor"
        case "dataset?":
            # A function beside these classes may make anything of what it is given, also a tensor with its graph.
            return "dataset" if any(part[:1].isupper() for part in qualname.split(".")) else "unknown"
        case "transformers":
            return "class-of-transformers" if any(part[:1].isupper() for part in qualname.split(".")) else "pure"
        case "scheduler":
            # The base of all of them had an underscore before torch 2.0, and projects still derive from that: `_LRScheduler`.
            return "scheduler" if leaf.lstrip("_")[:1].isupper() else "pure"
        case "loader":
            return "loader" if is_class else "pure"
    return effect


_METHODS = {
    "optimizer": pytorch.OPTIMIZER_METHODS,
    "scheduler": pytorch.SCHEDULER_METHODS,
    "scaler": pytorch.SCALER_METHODS,
    "module": pytorch.MODULE_METHODS,
    "loss": pytorch.MODULE_METHODS,
    "accelerator": frameworks.ACCELERATOR_METHODS,
    "engine": frameworks.ENGINE_METHODS,
    "framework": frameworks.TRAINER_METHODS,
    "derived-trainer": frameworks.TRAINER_METHODS | frameworks.LOOP_OF_TRAINER,
}


def method_effect(kind: str, name: str) -> str | None:
    """The effect of a method of a kind of object, or None."""
    return _METHODS.get(kind, {}).get(name)


def setting(qualname: str) -> tuple[str, str] | None:
    """The owner and the name of a setting of the whole process, where an attribute of a library is one."""
    return pytorch.SETTINGS.get(qualname)


def is_functional_loss(qualname: str) -> bool:
    return qualname.startswith("torch.nn.functional.") and qualname.rpartition(".")[2] in pytorch.LOSSES


def is_image_transform(qualname: str) -> bool:
    """Whether a class of torchvision works on an image or a tensor alone, and gives another: those of v2 take whatever stands beside one, too."""
    owner, _, leaf = qualname.rpartition(".")
    return owner in _IMAGE_TRANSFORMS and leaf[:1].isupper() and leaf not in frameworks.TRANSFORMS_OF_ANYTHING


def is_function_on_images(qualname: str) -> bool:
    """Whether a function of torchvision does what such a class does."""
    return qualname.startswith(_FUNCTIONS_ON_IMAGES)


def records_its_graph(made: str, method: str) -> bool:
    """Whether a method of a library's model records its graph, whatever it is named after: `vae.encode(x)`, where `made` is what made the model."""
    names = made.split(".")
    return names[0] == "diffusers" and method in frameworks.METHODS_OF_AUTOENCODERS and any(frameworks.AUTOENCODERS in n for n in names)


def tensor_method(name: str) -> str:
    """The effect of a method of a tensor; most give a tensor of the same graph."""
    return pytorch.TENSOR_METHODS.get(name, "tensor")
