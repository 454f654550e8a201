"""What PyTorch's names do: tables from qualified names to effects, and from methods of each kind of object to effects.

Sources: the API reference of PyTorch 2.13 (torch.optim, torch.nn, torch.amp, torch.utils.data, torch.autograd).
"""

from __future__ import annotations

# torch's own base class of modules, by the names it has; and with it the one whose subclasses are compiled as they are built.
MODULE_CLASSES = frozenset({"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"})
BARE_MODULES = MODULE_CLASSES | {"torch.jit.ScriptModule"}
# What each module has, by the names that are no private ones: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html
MODULE_MEMBERS = frozenset({
    "T_destination", "add_module", "apply", "bfloat16", "buffers", "call_super_init", "children", "code", "compile", "copy", "cpu", "cuda", "define", "double",
    "dump_patches", "eval", "extra_repr", "float", "forward", "get_buffer", "get_extra_state", "get_parameter", "get_submodule", "graph", "half",
    "inlined_graph", "ipu", "load_state_dict", "modules", "mtia", "named_buffers", "named_children", "named_modules", "named_parameters", "original_name",
    "parameters", "register_backward_hook", "register_buffer", "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
    "register_full_backward_pre_hook", "register_load_state_dict_post_hook", "register_load_state_dict_pre_hook", "register_module",
    "register_parameter", "register_state_dict_post_hook", "register_state_dict_pre_hook", "requires_grad_", "save", "set_extra_state",
    "set_submodule", "share_memory", "state_dict", "to", "to_empty", "train", "training", "type", "xpu", "zero_grad",
})  # fmt: skip

# What switches gradients off, as a decorator or around a block.
SWITCHING_OFF = frozenset({"no_grad", "inference_mode"})

# Qualified names with an effect of their own. Old and new homes of one function stand side by side.
CALLS: dict[str, str] = {
    "torch.no_grad": "no-grad",
    "torch.autograd.no_grad": "no-grad",
    "torch.inference_mode": "no-grad",
    "torch.autograd.inference_mode": "no-grad",
    "torch.enable_grad": "enable-grad",
    "torch.autograd.enable_grad": "enable-grad",
    "torch.set_grad_enabled": "set-grad",
    "torch.autograd.set_grad_enabled": "set-grad",
    "torch.autograd.grad": "autograd-grad",
    "torch.distributions.kl_divergence": "tensor",
    "torch.distributions.kl.kl_divergence": "tensor",
    "torch.autograd.backward": "backward-function",
    **{f"torch.autograd.functional.{name}": "derivative" for name in ("jacobian", "hessian", "vjp", "jvp", "vhp", "hvp")},
    "torch.autograd.Function.apply": "tensor",
    "torch.autograd.function.Function.apply": "tensor",
    "torch.autocast": "autocast",
    "torch.amp.autocast": "autocast",
    "torch.cuda.amp.autocast": "autocast",
    "torch.cpu.amp.autocast": "autocast",
    "torch.amp.autocast_mode.autocast": "autocast",
    "torch.cuda.amp.autocast_mode.autocast": "autocast",
    "torch.set_autocast_dtype": "autocast-dtype",
    "torch.set_autocast_gpu_dtype": "autocast-dtype",
    "torch.autograd.set_detect_anomaly": "context",
    "torch.autograd.detect_anomaly": "context",
    "torch.autograd.profiler.record_function": "context",
    "torch.profiler.record_function": "context",
    "torch.profiler.profile": "context",
    "torch.amp.GradScaler": "scaler",
    "torch.cuda.amp.GradScaler": "scaler",
    "torch.cuda.synchronize": "waited",
    **{
        f"torch.cuda.{kind}Tensor": "made-on-gpu"
        for kind in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Byte", "Char", "Bool")
    },
    **{
        f"torch.cuda.{name}": "asked-of-gpu"
        for name in (
            "get_device_name",
            "get_device_properties",
            "get_device_capability",
            "get_rng_state",
            "random.get_rng_state",
            "mem_get_info",
            "current_device",
            "Stream",
        )
    },
    "torch.cuda.empty_cache": "released",
    "torch.cuda.memory.empty_cache": "released",
    "torch.mps.empty_cache": "released",
    "torch.xpu.empty_cache": "released",
    "torch.cpu.amp.GradScaler": "scaler",
    "torch.cuda.amp.grad_scaler.GradScaler": "scaler",
    "torch.amp.grad_scaler.GradScaler": "scaler",
    "torch.distributed.fsdp.sharded_grad_scaler.ShardedGradScaler": "scaler",
    "torch.GradScaler": "scaler",
    "torch.nn.utils.clip_grad_norm_": "clip",
    "torch.nn.utils.clip_grad_norm": "clip",
    "torch.nn.utils.clip_grad_value_": "clip",
    "torch.nn.utils.clip_grad.clip_grad_norm_": "clip",
    "torch.nn.utils.clip_grad.clip_grad_value_": "clip",
    "torch.nn.utils.parameters_to_vector": "tensor",
    "torch.distributed.get_rank": "rank",
    "torch.distributed.get_node_local_rank": "rank",
    "torch.nn.utils.vector_to_parameters": "write-parameters",
    "torch.nn.utils.convert_parameters.vector_to_parameters": "write-parameters",
    "torch.nn.DataParallel": "spread",
    "torch.nn.parallel.DataParallel": "spread",
    "torch.nn.parallel.DistributedDataParallel": "spread",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm": "same",
    "torch.nn.utils.parametrizations.weight_norm": "same",
    "torch.nn.utils.parametrizations.spectral_norm": "same",
    "torch.nn.utils.spectral_norm": "attach",
    "torch.nn.utils.weight_norm": "attach",
    "torch.distributed.fsdp.FullyShardedDataParallel": "sharded",
    **{
        f"torch.distributed.fsdp.{wing}{kind}{of}StateDictConfig": "state-options"
        for wing in ("", "api.", "fully_sharded_data_parallel.")
        for kind in ("Full", "Sharded", "Local")
        for of in ("", "Optim")
    },
    "torch.distributed.checkpoint.state_dict.StateDictOptions": "state-options",
    "torch.distributed.fsdp.fully_shard": "attach",
    "torch.distributed._composable.fsdp.fully_shard": "attach",
    "torch.distributed.fsdp.wrap.wrap": "same",
    "torch.compile": "same",
    "torch.jit.ScriptModule": "module",
    "torch.jit.script": "compiled",
    "torch.jit.trace": "compiled",
    "torch.fx.symbolic_trace": "compiled",
    "torch.nn.Embedding.from_pretrained": "pretrained-embedding",
    "torch.nn.EmbeddingBag.from_pretrained": "pretrained-embedding",
    "torch.nn.Parameter": "parameter",
    "torch.nn.parameter.Parameter": "parameter",
    "torch.autograd.Variable": "variable",
    "torch.nn.Sequential": "container",
    "torch.nn.ModuleList": "container",
    "torch.nn.ModuleDict": "container",
    "torch.nn.ParameterList": "container",
    "torch.nn.ParameterDict": "container",
    "torch.utils.data.DataLoader": "loader",
    "torch.utils.data.dataloader.DataLoader": "loader",
    "torch.utils.data.random_split": "split",
    "torch.utils.data.DistributedSampler": "sampler",
    "torch.utils.data.distributed.DistributedSampler": "sampler",
    "torch.utils.data.BatchSampler": "batch-sampler",
    "torch.utils.data.sampler.BatchSampler": "batch-sampler",
    "torch.load": "load",
    "torch.save": "save",
    "torch.hub.load": "module",
    "torch.no_grad.__call__": "same",
    "torch.optim.swa_utils.AveragedModel": "average-module",
    "torch.optim.swa_utils.SWALR": "scheduler",
    "torch.optim.swa_utils.update_bn": "update-bn",
    "torch.__future__.set_overwrite_module_params_on_conversion": "overwrite-flag",
    "torch.set_default_device": "default-device",
    "torch.set_default_tensor_type": "default-device",
    "torch.utils.checkpoint.checkpoint": "apply",
    "torch.utils.checkpoint.checkpoint_sequential": "apply",
    "torch.nn.parallel.data_parallel": "apply",
    "torch.func.functional_call": "apply",
    "torch.is_tensor": "pure",
    "torch.is_grad_enabled": "pure",
    "torch.manual_seed": "seed",
    "torch.random.manual_seed": "seed",
    "torch.set_rng_state": "seed",
    "torch.random.set_rng_state": "seed",
    "torch.device": "device",
    "torch.accelerator.current_accelerator": "current-accelerator",
}

# Attributes of modules that are settings of the whole process -> (the object they belong to, the setting).
SETTINGS: dict[str, tuple[str, str]] = {
    "torch.backends.cudnn.benchmark": ("torch.backends.cudnn", "benchmark"),
    "torch.backends.cudnn.deterministic": ("torch.backends.cudnn", "deterministic"),
}

# Methods of tensors whose result never carries a graph, measured with torch 2.13; the functions of torch of these names do the same.
# The result of `round`, `sign` or `bernoulli` does: its gradients are zeros, and it holds all that it was computed from.
DETACHED_METHODS = frozenset({
    "all", "any", "argmax", "argmin", "argsort", "argwhere", "bincount", "bool", "byte", "char", "count_nonzero", "detach", "detach_", "eq", "ge",
    "greater", "greater_equal", "gt", "histc", "int", "isclose", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "isreal", "le", "less",
    "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor", "long", "lt", "multinomial", "ne", "new", "new_empty", "new_full",
    "new_ones", "new_tensor", "new_zeros", "nonzero", "not_equal", "short", "signbit",
})  # fmt: skip
# Functions that make tensors of data, and give a tensor back with the graph that it has.
CONVERTING = frozenset({"as_tensor"})
# What makes a tensor on the CPU, unless it is told where (https://docs.pytorch.org/docs/stable/torch.html#creation-ops).
FACTORIES = frozenset({
    "tensor", "zeros", "ones", "empty", "full", "rand", "randn", "randint", "randperm", "arange", "linspace", "eye", "from_numpy",
})  # fmt: skip
# Those of them that are told the sizes of all dimensions.
MADE_BY_SIZE = frozenset({"zeros", "ones", "empty", "full", "rand", "randn", "randint"})
# Functions and methods that take numbers alone, beside the tensor whose method they are: sizes and counts.
TAKING_NUMBERS = FACTORIES - {"tensor", "from_numpy"} | {
    "view",
    "reshape",
    "unflatten",
    "repeat",
    "expand",
    "new_zeros",
    "new_ones",
    "new_empty",
    "range",
}
# Functions of torch whose result never carries a graph, but for tensors that are converted.
DETACHED = DETACHED_METHODS | FACTORIES | {
    "equal", "allclose", "as_tensor", "FloatTensor", "LongTensor", "Tensor", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "empty_like", "numel",
    "IntTensor", "ByteTensor", "BoolTensor", "searchsorted", "bucketize",
}  # fmt: skip

# Methods of tensors.
TENSOR_METHODS: dict[str, str] = {
    **dict.fromkeys(DETACHED_METHODS, "detach"),
    "backward": "backward",
    "item": "number",
    "tolist": "number",
    "numpy": "number",
    "__float__": "number",
    "equal": "number",
    "allclose": "number",
    "size": "shape",
    "dim": "shape",
    "ndimension": "shape",
    "numel": "shape",
    "nelement": "shape",
    **dict.fromkeys(("stride", "storage_offset", "element_size", "get_device", "data_ptr", "sparse_dim", "dense_dim"), "shape"),
    **dict.fromkeys(
        ("is_cuda", "is_contiguous", "is_complex", "is_floating_point", "is_nonzero", "is_pinned", "is_same_size", "is_shared"), "pure"
    ),
    "requires_grad_": "requires-grad",
    **dict.fromkeys(("retain_grad", "register_hook", "storage", "untyped_storage", "record_stream"), "pure"),
    "sum": "sum",
    "mean": "mean",
    "update": "collect",
    "append": "collect",
    "extend": "collect",
}
# Where functions take lengths, which are whole numbers: the position and the keyword.
LENGTHS = {"torch.nn.utils.rnn.pack_padded_sequence": (1, "lengths"), "torch.nn.utils.rnn.unpad_sequence": (1, "lengths")}
# Methods and attributes that tensors have, and nothing else that can be moved or converted: not modules, graphs, or the batches of tokenizers.
TENSOR_ONLY = frozenset({
    "view", "reshape", "permute", "squeeze", "unsqueeze", "sum", "argmax", "argmin", "topk", "clamp", "scatter_", "index_select", "masked_fill", "masked_fill_",
    "item", "backward", "size", "numel", "ndimension", "eq", "ne", "ge", "le", "new_zeros", "new_ones", "view_as", "type_as", "expand_as", "nonzero", "tolist",
    "numpy", "transpose", "sqrt", "cumsum", "bmm", "matmul",
})  # fmt: skip
# Methods of tensors that no part of a module is named after either.
TENSOR_COMPUTING = TENSOR_ONLY | {
    "unfold", "repeat", "repeat_interleave", "expand", "narrow", "chunk", "gather", "mm", "pow", "exp", "mul", "mul_", "sub", "sub_", "add_", "div_",
    "triu", "tril", "roll", "flip", "amax", "amin", "cumprod", "sin", "cos", "abs", "clamp_", "masked_select", "scatter_add_", "index_add_", "new_full",
    "abs_", "addcdiv_", "addcmul_", "clamp_max_", "clamp_min_", "copy_", "exp_", "fill_", "floor_", "index_copy_", "lerp_", "log_", "neg_", "normal_",
    "pow_", "reciprocal_", "round_", "rsqrt_", "sqrt_", "squeeze_", "uniform_", "unsqueeze_", "zero_",
}  # fmt: skip
# The places of the arguments of tensors' methods that are tensors themselves.
TENSOR_ARGUMENTS: dict[str, frozenset[int | str]] = {
    "addcdiv_": frozenset({0, 1, "tensor1", "tensor2"}), "addcmul_": frozenset({0, 1, "tensor1", "tensor2"}), "copy_": frozenset({0}),
    "index_add": frozenset({1, 2, "index", "source"}), "index_add_": frozenset({1, 2, "index", "source"}),
    "index_copy": frozenset({1, 2, "index", "source"}), "index_copy_": frozenset({1, 2, "index", "source"}),
    "index_select": frozenset({1, "index"}), "lerp_": frozenset({0}),
    "masked_fill": frozenset({0, "mask"}), "masked_fill_": frozenset({0, "mask"}), "masked_select": frozenset({0, "mask"}),
    "scatter_": frozenset({1, "index"}), "scatter_add": frozenset({1, 2, "index", "src"}), "scatter_add_": frozenset({1, 2, "index", "src"}),
    "bmm": frozenset({0, "mat2"}), "expand_as": frozenset({0, "other"}), "type_as": frozenset({0, "other"}), "view_as": frozenset({0, "other"}),
}  # fmt: skip
# Functions that take tensors in a list, and nothing else.
JOINING = frozenset(
    f"torch.{name}" for name in "cat concat concatenate stack hstack vstack dstack row_stack column_stack block_diag meshgrid".split()
)
# The modules of torchaudio whose functions take tensors and numbers alone; what they take can be moved only where it is a tensor.
AUDIO = ("torchaudio.functional.", "torchaudio.compliance.")
TENSOR_ONLY_ATTRIBUTES = frozenset({"shape", "ndim", "grad_fn", "requires_grad"})
# What a tensor came out of, by the function or the method that made it, and by the layer.
LAST_FUNCTIONS = {
    "softmax": "softmax", "log_softmax": "log_softmax", "sigmoid": "sigmoid", "sigmoid_": "sigmoid", "expit": "sigmoid", "linear": "linear",
    "conv1d": "linear", "conv2d": "linear", "conv3d": "linear", "conv_transpose1d": "linear", "conv_transpose2d": "linear", "conv_transpose3d": "linear",
}  # fmt: skip
# Functions, methods and layers that change where numbers stand, but not what they are (or only by chance).
SHAPING = frozenset({
    "view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "squeeze_", "unsqueeze_", "permute", "transpose", "transpose_", "t", "contiguous", "clone", "to", "cuda",
    "cpu", "float", "double", "half", "bfloat16", "type", "type_as", "view_as", "expand", "expand_as", "narrow", "select", "index_select", "masked_select",
    "swapaxes", "movedim", "detach", "dropout", "data_parallel", "requires_grad_",
})  # fmt: skip
# The losses that expect probabilities, or what comes before them.
SCORES = {
    "cross_entropy": "cross_entropy", "CrossEntropyLoss": "cross_entropy", "binary_cross_entropy": "binary_cross_entropy", "BCELoss": "binary_cross_entropy",
    "binary_cross_entropy_with_logits": "binary_cross_entropy_with_logits", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    # timm/loss/cross_entropy.py and binary_cross_entropy.py, 1.0
    "LabelSmoothingCrossEntropy": "cross_entropy", "SoftTargetCrossEntropy": "cross_entropy", "JsdCrossEntropy": "cross_entropy",
    "BinaryCrossEntropy": "binary_cross_entropy_with_logits",
}  # fmt: skip
# The libraries whose losses they are.
SCORING = ("torch.nn.", "timm.loss.")
# Attributes of modules and of what is put around them that are plain values.
PLAIN_ATTRIBUTES = frozenset({
    "device", "_execution_device", "dtype", "name", "config", "in_features", "out_features", "in_channels", "out_channels", "num_classes",
    # Numbers with which another part is built.
    "latent_dim", "hidden_dim", "embed_dim", "embedding_dim", "feature_dim", "input_dim", "output_dim", "hidden_size", "vocab_size", "num_latents", "num_embeddings",
})  # fmt: skip
# Methods that give a copy elsewhere or in another type; on a module they change the module itself.
CONVERSIONS = frozenset(
    {"to", "cuda", "cpu", "xpu", "npu", "half", "float", "double", "bfloat16", "long", "int", "bool", "byte", "type", "pin_memory"}
)
# Methods that need a tensor's numbers on the processor.
FETCHING = frozenset({"item", "tolist", "cpu", "numpy"})
# The attributes that hold a gradient: the second one takes what the first refuses, as a gradient on another device.
GRADIENTS = frozenset({"grad", "_grad"})
# Attributes of tensors that carry no graph.
TENSOR_ATTRIBUTES = GRADIENTS | {
    "shape", "dtype", "device", "ndim", "data", "requires_grad", "is_cuda", "is_leaf", "grad_fn", "layout", "itemsize",
}  # fmt: skip


OPTIMIZER_METHODS: dict[str, str] = {
    "zero_grad": "clear",
    "step": "step",
    "backward": "backward-argument",
    "state_dict": "state-dict",
    "load_state_dict": "load-state",
    "add_param_group": "add-params",
    "clip_master_grads": "clip-own",
    "clip_grad_norm": "clip-own",
    "clip_grad_norm_": "clip-own",
    "train": "pure",
    "eval": "pure",
    "register_step_post_hook": "pure",
    "register_step_pre_hook": "pure",
    "share_memory": "pure",
    # Those of Horovod's: the gradients of all processes are added up, and a step does not do that again.
    "synchronize": "pure",
    "skip_synchronize": "context",
    # Those of torchcontrib's SWA: weights are averaged and exchanged, and no gradient is used.
    "update_swa": "pure",
    "update_swa_group": "pure",
    "swap_swa_sgd": "pure",
    "bn_update": "pure",
}
SCHEDULER_METHODS: dict[str, str] = {
    "step": "schedule",
    "step_update": "schedule-updates",
    "state_dict": "state-dict",
    "load_state_dict": "load-state",
    "get_last_lr": "ask-rate",
    "get_lr": "ask-place",
    "print_lr": "pure",
    "get_epoch_values": "pure",
}
SCALER_METHODS: dict[str, str] = {
    "scale": "scale",
    "step": "scaler-step",
    "update": "scaler-update",
    "unscale_": "scaler-unscale",
    "state_dict": "state-dict",
    "load_state_dict": "load-state",
    "get_scale": "get-scale",
    "is_enabled": "pure",
}
MODULE_METHODS: dict[str, str] = {
    "forward": "forward-directly",
    "train": "train",
    "eval": "eval",
    "zero_grad": "clear",
    "parameters": "parameters",
    "named_parameters": "named-parameters",
    "trainable_parameters": "parameters",
    "modules": "submodules",
    "children": "submodules",
    "named_modules": "named-submodules",
    "named_children": "named-submodules",
    "buffers": "pure",
    "named_buffers": "pure",
    "state_dict": "state-dict",
    "load_state_dict": "load-state",
    # what it calls for each layer, and programs with a tree walk of their own: `module._load_from_state_dict(state, prefix, ...)`
    "_load_from_state_dict": "load-state",
    "to": "move",
    "cuda": "move",
    "cpu": "move",
    "xpu": "move",
    "npu": "move",
    "half": "move",
    "float": "move",
    "double": "move",
    "bfloat16": "move",
    "to_empty": "move",
    "type": "move",
    "requires_grad_": "requires-grad",
    "add_adapter": "adapt",
    "load_lora_adapter": "adapt",
    "apply": "initialize",
    "reset_running_stats": "reset-statistics",
    "compile": "attach",
    "share_memory": "returns-self",
    "no_sync": "context",
    "register_forward_hook": "attach",
    "register_forward_pre_hook": "attach",
    "register_full_backward_hook": "attach",
    "register_backward_hook": "attach",
    "register_full_backward_pre_hook": "attach",
    "register_load_state_dict_post_hook": "pure",
    "register_load_state_dict_pre_hook": "pure",
    "register_state_dict_post_hook": "pure",
    "register_state_dict_pre_hook": "pure",
    "get_submodule": "pure",
    "get_parameter": "pure",
    "get_buffer": "pure",
    "get_extra_state": "pure",
    "set_extra_state": "pure",
    "ipu": "move",
    "mtia": "move",
    "register_buffer": "register-buffer",
    "register_parameter": "register-parameter",
    "register_module": "add-module",
    "add_module": "add-module",
    **dict.fromkeys(("save", "save_pretrained"), "pure"),
    "gradient_checkpointing_enable": "pure",
    "enable_input_require_grads": "pure",
    "print_trainable_parameters": "pure",
    "resize_token_embeddings": "pure",
    "extra_repr": "pure",
    "init_weights": "pure",
    "set_epoch": "pure",
    "clip_grad_norm_": "clip-own",
    "backward": "backward-argument",
    "append": "add-module",
    "extend": "add-module",
    "insert": "add-module",
    "freeze": "freeze",
    "flatten_parameters": "pure",
    "num_parameters": "pure",
}
# Those that only containers of modules have.
CONTAINER_METHODS = {"update": "add-entries"}
# Those that only the average of a model's weights has: it moves towards them, and the model is only read.
AVERAGE_METHODS = {"update_parameters": "pure", "update": "pure", "set": "pure"}
# Methods of a parser of the command line; every other attribute is an option.
OPTION_METHODS = frozenset({
    "add_argument", "add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "parse_args", "parse_known_args", "set_defaults", "print_help", "error",
})  # fmt: skip
LOADER_METHODS: dict[str, str] = {"__iter__": "iterate", "__len__": "length"}

LOSSES = frozenset({
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "ctc_loss", "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss",
    "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss",
    "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "cosine_embedding_loss",
})  # fmt: skip

# What names stand for that nothing in sight binds: they come with a star import from elsewhere, or from a cell that cannot be read.
CONVENTIONAL_NAMES = {"torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "optim": "torch.optim"}
# Classes that no other class of the library derives from.
SEALED = frozenset({
    "torch.optim.lr_scheduler.ReduceLROnPlateau", "torch.optim.lr_scheduler.OneCycleLR", "torch.optim.lr_scheduler.CyclicLR",
    "torch.optim.lr_scheduler.CosineAnnealingWarmRestarts", "torch.optim.LBFGS",
})  # fmt: skip


# Optimizers that keep moments or other averages for each parameter, whatever their arguments.
STATEFUL = frozenset({
    "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Adafactor", "SparseAdam", "ASGD", "Rprop", "Lion", "FusedAdam", "LAMB", "Lamb",
    "AdaBelief", "MADGRAD", "AdamP", "Prodigy", "Muon", "AdamW8bit", "Adam8bit",
})  # fmt: skip
# Optimizers whose steps are the same where all gradients are multiplied by one number.
SCALE_FREE = frozenset({
    "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adagrad", "Adadelta", "RMSprop", "Rprop", "SparseAdam", "Lion", "LAMB", "Lamb", "FusedAdam", "AdamW8bit", "Adam8bit",
})  # fmt: skip


# The functions of torch that came with `torch.no_grad()`, in version 0.4, or later.
SINCE_NO_GRAD = frozenset(
    {
        "no_grad",
        "enable_grad",
        "set_grad_enabled",
        "is_grad_enabled",
        "inference_mode",
        "device",
        "tensor",
        "as_tensor",
        "empty",
        "full",
        "where",
        "compile",
    }
)


def names_a_loss(name: str) -> bool:
    """Whether a name is one that programs give losses."""
    return "loss" in name.lower() or "criterion" in name.lower()


# Last words of the names of what measures a prediction and is no loss.
_METRICS = frozenset(
    {"metric", "metrics", "accuracy", "acc", "top", "prec", "precision", "recall", "psnr", "iou", "miou", "auc", "bleu", "wer", "cer"}
)


def names_a_metric(name: str) -> bool:
    """Whether a name is one that programs give a metric: `acc`, `top1_acc`, `val_acc5`."""
    return name.lower().rpartition("_")[2].rstrip("0123456789") in _METRICS
