"""Tables of loaders, samplers and datasets: their arguments, and how they give items.

Sources: the API reference of PyTorch 2.13 (torch.utils.data, and torchvision's and torchaudio's datasets).
"""

from __future__ import annotations

# Loaders whose arguments are those of torch's DataLoader, and what these are, in order.
PLAIN_LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})
LOADER_ARGUMENTS = (
    "dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn", "pin_memory", "drop_last", "timeout", "worker_init_fn",
    "multiprocessing_context", "generator", "prefetch_factor", "persistent_workers",
)  # fmt: skip
DISTRIBUTED_SAMPLERS = frozenset({"torch.utils.data.DistributedSampler", "torch.utils.data.distributed.DistributedSampler"})
# Datasets that give an item for an index, wrappers of other datasets, and datasets that only go on.
MAP_DATASETS = frozenset(
    {
        "torch.utils.data.TensorDataset",
        "torch.utils.data.Dataset",
        "torch.utils.data.dataset.Dataset",
        "torch.utils.data.dataset.TensorDataset",
    }
)
DATASET_WRAPPERS = frozenset({
    "torch.utils.data.Subset", "torch.utils.data.ConcatDataset", "torch.utils.data.random_split", "torch.utils.data.dataset.Subset",
    "torch.utils.data.dataset.ConcatDataset", "torch.utils.data.dataset.random_split",
})  # fmt: skip
ITERABLE_DATASETS = frozenset(
    {"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset", "torch.utils.data.ChainDataset"}
)
# Collections of datasets with classes one after the other or in the order of their files, but for those made up at random and of clips of videos.
ORDERED_DATASETS = ("torchvision.datasets.",)
UNORDERED_DATASETS = frozenset({"FakeData", "Kinetics", "Kinetics400", "HMDB51", "UCF101", "MovingMNIST"})
# Collections that decode an item, or run it through transforms, on each access.
DECODING_DATASETS = ("torchvision.datasets.", "torchaudio.datasets.", "timm.data.")
# What a dataset's `__getitem__` may call where its items are in memory already: nothing here takes longer than handing them to a worker.
LIGHT_CALLS = frozenset({
    "tensor", "as_tensor", "from_numpy", "Tensor", "FloatTensor", "LongTensor", "float", "int", "long", "bool", "str", "len", "tuple", "list", "dict", "item", "clone", "copy",
    "detach", "unsqueeze", "squeeze", "view", "reshape", "size", "astype", "to", "get", "keys", "values", "items", "append", "type", "array", "asarray", "is_tensor", "isinstance",
    "numpy", "tolist", "range", "super", "zip", "enumerate", "min", "max", "slice", "print", "int64", "float32", "transpose", "permute", "T", "apply",
})  # fmt: skip
# Datasets whose items are tensors (or pairs of a tensor and a number): what a loader makes of them are tensors.
TENSOR_DATASETS = ("torch.utils.data.TensorDataset", "torchvision.datasets.")
