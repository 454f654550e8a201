"""What the libraries around PyTorch do to a loop, as tables. A new library is a new table here."""

from __future__ import annotations

# What works on the edges of a graph as tensors, and gives tensors, alone or several of them. What makes a `Data`, or takes one, is none of these.
# Source: PyTorch Geometric 2.6, "torch_geometric.utils".
_OF_EDGES = """
    add_random_edge add_remaining_self_loops add_self_loops barabasi_albert_graph batched_negative_sampling bipartite_subgraph coalesce degree dense_to_sparse
    dropout_adj dropout_edge dropout_node dropout_path erdos_renyi_graph get_laplacian get_self_loop_attr index_to_mask k_hop_subgraph mask_to_index
    negative_sampling remove_isolated_nodes remove_self_loops segregate_self_loops sort_edge_index stochastic_blockmodel_graph structured_negative_sampling
    subgraph to_dense_adj to_dense_batch to_edge_index to_undirected
    """.split()
# What gives a tensor with the graph of what it is given.
_OF_GRAPHS = "cumsum group_argsort group_cat index_sort narrow normalized_cut one_hot scatter segment select softmax spmm".split()
# The PPO of habitat's baselines sends its loss backward and steps between methods that only clip gradients, or tell a reducer of the loss.
# Source: habitat-lab 0.1.7 to 0.2.2, "habitat_baselines/rl/ppo/ppo.py" and "habitat_baselines/rl/ddppo/algo/ddppo.py".
_OF_HABITAT = [
    f"habitat_baselines.rl.{owner}.{method}"
    for owner in ("ppo.PPO", "ppo.ppo.PPO", "ddppo.algo.DDPPO", "ddppo.algo.ddppo.DDPPO", "ddppo.algo.ddppo.DecentralizedDistributedMixin")
    for method in ("before_backward", "after_backward", "before_step", "after_step", "init_distributed")
]
# Losses of MONAI, which derive from torch's. Source: MONAI 1.5, "monai/losses".
_LOSSES_OF_MONAI = """
    AsymmetricUnifiedFocalLoss BarlowTwinsLoss BendingEnergyLoss ContrastiveLoss DiceCELoss DiceFocalLoss DiceLoss DiffusionLoss FocalLoss
    GeneralizedDiceFocalLoss GeneralizedDiceLoss GeneralizedWassersteinDiceLoss GlobalMutualInformationLoss HausdorffDTLoss LocalNormalizedCrossCorrelationLoss
    LogHausdorffDTLoss MaskedDiceLoss SSIMLoss SoftDiceclDiceLoss SoftclDiceLoss TverskyLoss
    """.split()
CALLS: dict[str, str] = {
    **dict.fromkeys(_OF_HABITAT, "pure"),
    # MONAI: what applies a model to a volume, whole or window by window
    "monai.inferers.sliding_window_inference": "apply-in-windows",
    "monai.inferers.utils.sliding_window_inference": "apply-in-windows",
    "monai.inferers.SlidingWindowInferer": "inferer",
    "monai.inferers.SlidingWindowInfererAdapt": "inferer",
    "monai.inferers.SimpleInferer": "inferer",
    "monai.inferers.SliceInferer": "inferer",
    "monai.inferers.inferer.SlidingWindowInferer": "inferer",
    "monai.inferers.inferer.SimpleInferer": "inferer",
    "monai.inferers.Inferer.__call__": "apply-second",
    **{f"monai.losses.{name}": "loss" for name in _LOSSES_OF_MONAI},
    # CLIP: texts as one tensor of numbers, whatever the tokenizer. Source: openai/CLIP, "clip/clip.py"; open_clip 2.30, "open_clip/tokenizer.py".
    "clip.tokenize": "token-ids",
    "clip.clip.tokenize": "token-ids",
    "open_clip.tokenize": "token-ids",
    "open_clip.tokenizer.tokenize": "token-ids",
    "open_clip.get_tokenizer": "maker-of-token-ids",
    "open_clip.factory.get_tokenizer": "maker-of-token-ids",
    # torchdiffeq: what follows a model, which gives the change of a state at a time
    "torchdiffeq.odeint": "integrate",
    "torchdiffeq.odeint_adjoint": "integrate",
    # accelerate and Lightning Fabric
    "accelerate.Accelerator": "accelerator",
    "accelerate.accelerator.Accelerator": "accelerator",
    "lightning.fabric.Fabric": "accelerator",
    "lightning.Fabric": "accelerator",
    "lightning_fabric.Fabric": "accelerator",
    "lightning_fabric.fabric.Fabric": "accelerator",
    "lightning.pytorch.lite.LightningLite": "accelerator",
    # apex, DeepSpeed, colossalai
    "apex.amp.initialize": "pass-through",
    "apex.amp.scale_loss": "scaled-loss-context",
    "apex.amp.master_params": "master-params",
    "apex.parallel.DistributedDataParallel": "same",
    # OpenMMLab: subclasses of torch's (mmcv.parallel, mmengine.model.wrappers)
    "mmcv.parallel.MMDataParallel": "spread",
    "mmcv.parallel.MMDistributedDataParallel": "spread",
    "mmengine.model.MMDistributedDataParallel": "spread",
    "mmengine.model.wrappers.MMDistributedDataParallel": "spread",
    "apex.parallel.convert_syncbn_model": "same",
    # It sends a loss backward that it scales itself, and steps the optimizer that it is put around.
    "apex.optimizers.FP16_Optimizer": "around-optimizer",
    "apex.contrib.optimizers.FP16_Optimizer": "around-optimizer",
    "apex.fp16_utils.FP16_Optimizer": "around-optimizer",
    "apex.fp16_utils.fp16_optimizer.FP16_Optimizer": "around-optimizer",
    "deepspeed.initialize": "deepspeed",
    "colossalai.initialize": "unknown",
    # Hydra: it builds or calls whatever a configuration names, with what it is given
    "hydra.utils.instantiate": "unknown",
    "hydra.utils.call": "unknown",
    "horovod.torch.DistributedOptimizer": "around-optimizer",
    # It averages weights over the steps of the optimizer that it is put around.
    "torchcontrib.optim.SWA": "around-optimizer",
    "torchcontrib.optim.swa.SWA": "around-optimizer",
    "horovod.torch.broadcast_parameters": "pure",
    "horovod.torch.broadcast_optimizer_state": "pure",
    "torch_xla.core.xla_model.optimizer_step": "step-argument",
    "torch_xla.core.xla_model.mark_step": "pure",
    "torch_xla.core.xla_model.xla_device": "xla-device",
    "torch_xla.device": "xla-device",
    "torch_xla.distributed.parallel_loader.MpDeviceLoader": "same",
    # schedulers
    "transformers.get_scheduler": "step-scheduler",
    "transformers.optimization.get_scheduler": "step-scheduler",
    "timm.scheduler.create_scheduler": "timm-scheduler",
    "timm.scheduler.create_scheduler_v2": "timm-scheduler",
    "warmup_scheduler.GradualWarmupScheduler": "scheduler",
    # optimizers
    "torch.distributed.optim.ZeroRedundancyOptimizer": "optimizer",
    "torch.distributed.optim.zero_redundancy_optimizer.ZeroRedundancyOptimizer": "optimizer",
    "transformers.AdamW": "optimizer",
    "transformers.Adafactor": "optimizer",
    "transformers.optimization.AdamW": "optimizer",
    "transformers.optimization.Adafactor": "optimizer",
    "timm.optim.create_optimizer": "optimizer",
    "timm.optim.optim_factory.create_optimizer": "optimizer",
    "timm.optim.optim_factory.create_optimizer_v2": "optimizer",
    "timm.optim.create_optimizer_v2": "optimizer",
    "timm.utils.NativeScaler": "scaler",
    "timm.utils.ApexScaler": "scaler",
    "timm.utils.cuda.NativeScaler": "scaler",
    "lion_pytorch.Lion": "optimizer",
    "adabelief_pytorch.AdaBelief": "optimizer",
    "prodigyopt.Prodigy": "optimizer",
    "muon.Muon": "optimizer",
    "madgrad.MADGRAD": "optimizer",
    "adamp.AdamP": "optimizer",
    "adamp.SGDP": "optimizer",
    "schedulefree.AdamWScheduleFree": "optimizer",
    "schedulefree.SGDScheduleFree": "optimizer",
    "schedulefree.RAdamScheduleFree": "optimizer",
    "dadaptation.DAdaptAdam": "optimizer",
    "dadaptation.DAdaptSGD": "optimizer",
    "dadaptation.DAdaptAdan": "optimizer",
    "dadaptation.DAdaptLion": "optimizer",
    "dadaptation.DAdaptAdaGrad": "optimizer",
    "ranger.Ranger": "optimizer",
    "transformers.set_seed": "seed",
    "transformers.trainer_utils.set_seed": "seed",
    # models
    "timm.create_model": "module",
    "timm.models.create_model": "module",
    "segmentation_models_pytorch.create_model": "module",
    # functions of tianshou that stand beside its networks
    "tianshou.utils.net.common.miniblock": "unknown",
    "tianshou.utils.net.common.get_dict_state_decorator": "unknown",
    "tianshou.utils.net.discrete.sample_noise": "pure",
    "peft.get_peft_model": "adapted",
    "peft.inject_adapter_in_model": "adapted",
    "peft.set_peft_model_state_dict": "pure",
    "peft.utils.set_peft_model_state_dict": "pure",
    "peft.get_peft_model_state_dict": "pure",
    "peft.utils.get_peft_model_state_dict": "pure",
    "diffusers.training_utils.cast_training_params": "pure",
    "peft.prepare_model_for_kbit_training": "same",
    "timm.utils.ModelEma": "average-module",
    "timm.utils.ModelEmaV2": "average-module",
    "timm.utils.ModelEmaV3": "average-module",
    "ema_pytorch.EMA": "average-module",
    "timm.utils.dispatch_clip_grad": "clip",
    "timm.utils.distribute_bn": "pure",
    "timm.utils.CheckpointSaver": "pure",
    "timm.utils.unwrap_model": "same",
    "timm.models.convert_splitbn_model": "same",
    "timm.models.model_parameters": "same",
    "timm.models.safe_model_name": "pure",
    # what e3nn's layers are told of their inputs
    "e3nn.o3.Irrep": "pure",
    "e3nn.o3.Irreps": "pure",
    "e3nn.o3.Instruction": "pure",
    # layers that only rearrange, or reduce over axes
    "einops.layers.torch.Rearrange": "shaping-layer",
    "einops.layers.torch.Reduce": "shaping-layer",
    "torch_ema.ExponentialMovingAverage": "pure",
    "diffusers.training_utils.EMAModel": "pure",
    # pictures of tensors, to be looked at
    "torchvision.transforms.ToPILImage": "image-maker",
    "torchvision.transforms.transforms.ToPILImage": "image-maker",
    "torchvision.transforms.v2.ToPILImage": "image-maker",
    "torchvision.transforms.functional.to_pil_image": "array",
    "torchvision.transforms.v2.functional.to_pil_image": "array",
    "torchvision.utils.save_image": "array",
    # loops that belong to a framework
    "transformers.Trainer": "framework",
    "transformers.Seq2SeqTrainer": "framework",
    "lightning.Trainer": "framework",
    "lightning.pytorch.Trainer": "framework",
    "pytorch_lightning.Trainer": "framework",
    "ignite.engine.Engine": "framework",
    "ignite.engine.create_supervised_trainer": "framework",
    "ignite.engine.create_supervised_evaluator": "framework",
    "fastai.learner.Learner": "framework",
    "catalyst.dl.Runner": "framework",
    "catalyst.dl.SupervisedRunner": "framework",
    "catalyst.dl.runner.SupervisedRunner": "framework",
    "catalyst.runners.SupervisedRunner": "framework",
    "skorch.NeuralNet": "framework",
    "skorch.NeuralNetClassifier": "framework",
    "torchinfo.summary": "pure",
    "torchsummary.summary": "pure",
    "thop.profile": "pure",
    "torchviz.make_dot": "pure",
    **{f"torch_geometric.utils.{name}": "edges" for name in _OF_EDGES},
    **{f"torch_geometric.utils.{name}": "tensor" for name in _OF_GRAPHS},
    "torch_geometric.seed_everything": "pure",
    "torch_geometric.seed.seed_everything": "pure",
}

# The transforms of torchvision that call others, or what the program gives them: what they give may be anything.
# Source: torchvision 0.26, torchvision/transforms/transforms.py.
TRANSFORMS_OF_ANYTHING = frozenset({"Compose", "Lambda", "RandomApply", "RandomChoice", "RandomOrder", "RandomTransforms", "ToPILImage"})

# What the autoencoders of diffusers have in their names (`AutoencoderKL`, `AsymmetricAutoencoderKL`), and their methods that compute with their parameters
# and leave gradients as they are. Source: diffusers 0.35, src/diffusers/models/autoencoders.
AUTOENCODERS = "Autoencoder"
METHODS_OF_AUTOENCODERS = frozenset({"encode", "decode"})

# The functions of torch.distributed that fill a list which they are given, and which of their arguments that is: its position and its name.
# Source: torch/distributed/distributed_c10d.py.
FILLED: dict[str, tuple[int, str]] = {
    "all_gather": (0, "tensor_list"),
    "all_gather_object": (0, "object_list"),
    "all_to_all": (0, "output_tensor_list"),
    "broadcast_object_list": (0, "object_list"),
    "gather": (1, "gather_list"),
    "gather_object": (1, "object_gather_list"),
    "recv_object_list": (0, "object_list"),
    "scatter_object_list": (0, "scatter_object_output_list"),
}

# (prefix, effect of every name below it); the longest prefix wins.
PREFIXES: tuple[tuple[str, str], ...] = (
    ("torch.optim.lr_scheduler.", "scheduler"),
    ("torch.optim.", "optimizer?"),
    ("torch.nn.functional.", "tensor"),
    ("torch.nn.init.", "initialize"),
    ("torch.nn.utils.rnn.", "tensor"),
    ("torch.nn.utils.", "same"),
    ("torch.nn.modules.loss.", "loss"),
    ("torch.nn.", "module?"),
    ("torch.utils.tensorboard.", "writer"),
    ("torch.utils.data.", "dataset"),
    ("torch.distributed.", "collective"),
    ("torch.cuda.", "pure"),
    ("torch.backends.", "pure"),
    ("torch.multiprocessing.", "spawn"),
    ("torch.jit.", "pure"),
    ("torch.onnx.", "pure"),
    ("torch.distributions.", "distribution"),
    ("torch.utils.", "pure"),
    ("torch.quantization.", "pure"),
    ("torch.ao.quantization.", "pure"),
    ("torch.", "tensor"),
    ("torchvision.models.", "module-function"),
    ("torchvision.datasets.", "dataset"),
    ("torchvision.", "tensor"),
    ("e3nn.o3.", "module?"),
    ("e3nn.nn.", "module?"),
    ("torchaudio.models.", "module-function"),
    ("torchaudio.", "tensor"),
    ("torchtext.", "dataset"),
    ("transformers.get_", "step-scheduler"),
    ("transformers.optimization.get_", "step-scheduler"),
    ("transformers.", "transformers"),
    ("diffusers.optimization.get_", "step-scheduler"),
    ("diffusers.", "transformers"),
    ("timm.models.", "module-function"),
    ("timm.loss.", "loss"),
    ("timm.scheduler.", "timm-scheduler"),
    ("timm.optim.", "optimizer?"),
    ("bitsandbytes.optim.", "optimizer?"),
    ("apex.optimizers.", "optimizer?"),
    ("torch_optimizer.", "optimizer?"),
    ("pytorch_optimizer.", "optimizer?"),
    ("deepspeed.ops.", "optimizer?"),
    ("torch_geometric.nn.", "module?"),
    ("torch_geometric.loader.", "loader"),
    ("torch_geometric.data.DataLoader", "loader"),
    ("torch_geometric.graphgym.", "unknown"),
    ("torch_geometric.profile.", "pure"),
    ("torch_geometric.", "dataset?"),
    ("dgl.dataloading.", "loader"),
    ("dgl.nn.", "module?"),
    ("nn_builder.pytorch.", "module?"),
    ("dgl.model_zoo.", "module-function"),
    ("dgl.", "dataset"),
    ("tianshou.utils.net.", "module?"),
    ("segmentation_models_pytorch.losses.", "loss"),
    ("segmentation_models_pytorch.", "module?"),
    ("torchmetrics.", "metric"),
    ("torchmetrics.functional.", "score"),
    ("sklearn.metrics.", "score"),
    ("sklearn.metrics.pairwise.", "array"),
    ("seqeval.metrics.", "score"),
    ("skimage.metrics.", "score"),
    ("scipy.stats.", "score"),
    ("numpy.", "array"),
    ("evaluate.", "metric"),
    ("datasets.", "dataset"),
    ("tensorboardX.", "writer"),
    ("wandb.", "pure"),
    ("mlflow.", "pure"),
    ("einops.", "tensor"),
    ("pytorch3d.transforms.", "tensor"),
    ("nvdiffrast.torch.", "tensor"),
    ("visdom.", "writer"),
    ("tensorboard_logger.", "pure"),
    ("neptune.", "pure"),
    ("comet_ml.", "writer"),
    ("aim.", "writer"),
    ("swanlab.", "pure"),
    ("clearml.", "pure"),
)

# The libraries that these tables tell of.
# Frameworks whose modules are none of torch's, though they have a forward too.
OTHER_FRAMEWORKS = (
    "mxnet.",
    "tensorflow.",
    "keras.",
    "paddle.",
    "mindspore.",
    "flax.",
    "haiku.",
    "equinox.",
    "chainer.",
    "jittor.",
    "oneflow.",
)
# Where their functions are that make tensors of their own, which no module of torch takes.
OF_OTHER_TENSORS = frozenset({
    "tensorflow", "tensorflow.random", "tensorflow.math", "tensorflow.experimental.numpy", "jax.numpy", "jax.random", "mxnet.nd", "mxnet.np", "paddle",
})  # fmt: skip
LIBRARIES = frozenset(prefix.partition(".")[0] for prefix, _ in PREFIXES)

# Libraries that do nothing to the objects of a loop.
PURE_LIBRARIES = frozenset({
    "numpy", "np", "os", "sys", "time", "datetime", "math", "random", "json", "re", "pathlib", "logging", "argparse", "collections", "shutil", "pickle",
    "csv", "glob", "copy", "warnings", "string", "typing", "dataclasses", "enum", "subprocess", "tempfile", "io", "abc", "contextlib", "gc", "hashlib",
    "matplotlib", "pylab", "seaborn", "plotly", "PIL", "cv2", "skimage", "scipy", "sklearn", "pandas", "yaml", "tqdm", "rich", "click", "hydra", "omegaconf",
    "absl", "tyro", "fire", "loguru", "gym", "gymnasium", "imageio", "h5py", "nltk", "spacy", "tokenizers", "sentencepiece", "psutil", "pprint", "inspect",
    "multiprocessing", "threading", "queue", "socket", "signal", "traceback", "types", "statistics", "decimal", "fractions", "struct", "urllib", "requests",
    "zipfile", "tarfile", "gzip", "unicodedata", "textwrap", "prettytable", "tabulate", "termcolor", "colorama", "IPython", "nbformat", "networkx", "jax",
    "tensorflow", "torchnet", "nvidia", "huggingface_hub", "safetensors", "tiktoken", "platform", "uuid", "codecs", "heapq", "bisect", "secrets", "ray",
    "pycocotools", "lmdb", "soundfile", "librosa", "albumentations", "rouge", "sacrebleu", "seqeval", "numbers", "copyreg", "builtins", "optuna",
})  # fmt: skip

# Where attacks and explanations come from: what they make of a model differentiates it by its input when it is called. Sources: the pages of each library,
# https://adversarial-attacks-pytorch.readthedocs.io, https://captum.ai/api/attribution.html and their like.
DIFFERENTIATING = ("torchattacks.", "advertorch.attacks.", "autoattack.", "foolbox.attacks.", "art.attacks.", "captum.attr.")
# What makes an optimizer of the settings of a run, its first argument, and of a model.
OF_SETTINGS_AND_MODEL = frozenset({"timm.optim.create_optimizer", "timm.optim.optim_factory.create_optimizer"})

# The methods of accelerate's Accelerator and Fabric.
ACCELERATOR_METHODS: dict[str, str] = {
    "prepare": "pass-through",
    "prepare_model": "same",
    "prepare_optimizer": "same",
    "prepare_scheduler": "same",
    "prepare_data_loader": "same",
    "setup": "pass-through",
    "setup_module": "same",
    "setup_optimizers": "pass-through",
    "setup_dataloaders": "pass-through",
    "backward": "backward-argument",
    "clip_grad_norm_": "clip",
    "clip_grad_value_": "clip",
    "clip_gradients": "clip",
    "unscale_gradients": "unscale-all",
    "accumulate": "accumulate-context",
    "no_sync": "context",
    "no_backward_sync": "context",
    "autocast": "context",
    "main_process_first": "context",
    "local_main_process_first": "context",
    "rank_zero_first": "context",
    "unwrap_model": "same",
    "gather": "detached",
    "gather_for_metrics": "detached",
    "all_gather": "detached",
    "reduce": "detached",
    "all_reduce": "detached",
    "skip_first_batches": "same",
    "free_memory": "pure",
    "print": "pure",
    "log_dict": "pure",
    "save": "pure",
    "save_state": "pure",
    "load_state": "pure",
    "load": "pure",
    "register_for_checkpointing": "pure",
    "wait_for_everyone": "pure",
    "end_training": "pure",
    "init_trackers": "pure",
    "get_state_dict": "pure",
    "save_model": "pure",
    "set_trigger": "pure",
    "check_trigger": "pure",
    "barrier": "pure",
    "launch": "launch",
    "seed_everything": "seed",
    "to_device": "same",
    "init_module": "context",
}
# DeepSpeed's engine: step() clears the gradients it used.
ENGINE_METHODS: dict[str, str] = {
    "backward": "backward-argument",
    "step": "step-and-clear",
    "zero_grad": "clear",
    "train": "train",
    "eval": "eval",
    "parameters": "parameters",
    "save_checkpoint": "pure",
    "load_checkpoint": "pure",
    "is_gradient_accumulation_boundary": "pure",
    "no_sync": "context",
}
# The bases of the classes that transformers' Trainer is overridden in.
TRAINERS = frozenset(
    {"transformers.Trainer", "transformers.Seq2SeqTrainer", "transformers.trainer.Trainer", "transformers.trainer_seq2seq.Seq2SeqTrainer"}
)
# Base classes whose loop is run by a framework.
FRAMEWORK_BASES = frozenset({
    "pytorch_lightning.LightningModule", "lightning.LightningModule", "lightning.pytorch.LightningModule", "pytorch_lightning.core.LightningModule",
    "pytorch_lightning.LightningDataModule", "lightning.pytorch.core.module.LightningModule", "lightning.pytorch.core.LightningModule",
    "pytorch_lightning.core.lightning.LightningModule", "lightning.pytorch.callbacks.Callback",
    "pytorch_lightning.callbacks.Callback", "pytorch_lightning.Callback", "lightning.pytorch.demos.boring_classes.BoringModel", "lightning.pytorch.Callback",
}) | TRAINERS  # fmt: skip
# What transformers' Trainer has: methods that a subclass calls, and attributes that are called.
TRAINER_METHODS: dict[str, str] = {
    "compute_loss": "loss-of-trainer",
    "evaluate": "evaluation-of-trainer",
    "predict": "evaluation-of-trainer",
    "log": "pure",
    "save_model": "pure",
    "_save_checkpoint": "pure",
    "is_world_process_zero": "pure",
    "is_local_process_zero": "pure",
    "_get_learning_rate": "pure",
    "_nested_gather": "same",
    "_prepare_inputs": "same",
    "compute_loss_context_manager": "context",
    "tokenizer": "pure",
    "processing_class": "pure",
    "data_collator": "pure",
}
# Where transformers' Trainer keeps its model, and that in what it has wrapped it in.
MODELS_OF_TRAINER = frozenset({"model", "model_wrapped"})
# What the loop of transformers' Trainer calls, as one calls it that is written anew in a subclass: `training_step` switches to train mode, scales the
# loss with the scaler that the Trainer keeps, and goes backward; the others only evaluate, log, save, count, or make loaders.
LOOP_OF_TRAINER: dict[str, str] = {
    "training_step": "backward-of-trainer",
    "evaluation_loop": "evaluation-of-trainer",
    "prediction_loop": "evaluation-of-trainer",
    "_maybe_log_save_evaluate": "evaluation-of-trainer",
    "_wrap_model": "wrapped-by-trainer",
    "_prepare_input": "same",
    "autocast_smart_context_manager": "context",
    "floating_point_ops": "pure",
    "store_flos": "pure",
    "num_examples": "pure",
    "get_train_dataloader": "pure",
    "get_eval_dataloader": "pure",
    "get_test_dataloader": "pure",
    "_get_output_dir": "pure",
    "_sorted_checkpoints": "pure",
    "_rotate_checkpoints": "pure",
    "_save_rng_state": "pure",
    "_load_rng_state": "pure",
}
# Methods of a LightningModule or a Trainer, besides those of every module; those in brackets stand for what the framework does between the hooks.
DRIVEN_METHODS: dict[str, str] = {
    "<optimize>": "optimize",
    "<step>": "step-of-trainer",
    "<switch>": "switch-of-framework",
    **TRAINER_METHODS,
    "training_step": "backward-of-trainer",
    "manual_backward": "backward-argument",
    "optimizers": "configured",
    "lr_schedulers": "configured",
    "clip_gradients": "clip-optimizer",
    "toggle_optimizer": "pure",
    "untoggle_optimizer": "pure",
    "toggled_optimizer": "context",
    "log": "pure",
    "log_dict": "pure",
    "print": "pure",
    "all_gather": "tensor",
    "save_hyperparameters": "pure",
}
# What a framework counts itself as its loops turn, with each batch and with each epoch. transformers' Trainer counts the epoch in fractions.
COUNTED_BATCHES = frozenset({
    "self.global_step", "self.trainer.global_step", "self.trainer.is_last_batch", "self.trainer.fit_loop.total_batch_idx",
    "self.trainer.fit_loop.batch_idx", "self.state.global_step", "self.state.epoch",
})  # fmt: skip
COUNTED_EPOCHS = COUNTED_BATCHES | {"self.current_epoch", "self.trainer.current_epoch"}
# Methods of a LightningModule or a LightningDataModule that return the loaders which the framework goes over: whether it trains on their batches.
LOADER_HOOKS: dict[str, bool] = {"train_dataloader": True, "val_dataloader": False, "test_dataloader": False}
# Methods of a LightningModule that the framework calls around its own loop.
FRAMEWORK_HOOKS = frozenset({
    "training_step", "validation_step", "test_step", "predict_step", "configure_optimizers", "forward", "optimizer_step", "lr_scheduler_step", "backward",
    "on_train_epoch_end", "on_train_batch_end", "on_validation_epoch_end", "compute_loss", "optimizer_zero_grad", "configure_gradient_clipping",
})  # fmt: skip
