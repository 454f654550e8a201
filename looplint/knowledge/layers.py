"""Tables of layers and ready-made models: what their modes change, what they compute, and which have no parameters.

Sources: the API reference of PyTorch 2.13 (torch.nn, and torchvision.models).
"""

from __future__ import annotations

import re

LAST_LAYERS = {
    "Softmax": "softmax", "Softmax2d": "softmax", "LogSoftmax": "log_softmax", "Sigmoid": "sigmoid", "Linear": "linear", "LazyLinear": "linear",
    "Bilinear": "linear", "Conv1d": "linear", "Conv2d": "linear", "Conv3d": "linear", "ConvTranspose1d": "linear", "ConvTranspose2d": "linear",
    "ConvTranspose3d": "linear", "LazyConv1d": "linear", "LazyConv2d": "linear", "LazyConv3d": "linear",
}  # fmt: skip
SHAPING_LAYERS = frozenset({"Identity", "Flatten", "Unflatten", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d"})
# Where ready-made classifiers keep their last layer, and those that end in something else.
HEADS = ("fc", "classifier", "head", "heads")
CLASSIFIERS = ("torchvision.models.", "timm.create_model", "timm.models.create_model")
NO_CLASSIFIERS = (
    "detection",
    "segmentation",
    "optical_flow",
    "feature_extraction",
    "squeezenet",
    "googlenet",
    "inception",
    "GoogLeNet",
    "Inception",
    "SqueezeNet",
    "get_model",
)
# Modules of libraries whose output goes through the `activation` that they are given, by where they stand and their names, and what comes out of them
# where there is none. Sources: segmentation_models_pytorch 0.5, "SegmentationHead"; DGL 2.4, "dgl.nn.pytorch", where dropout at most comes after it.
ACTIVATED = {
    "segmentation_models_pytorch.": (
        frozenset({
            "Unet", "UnetPlusPlus", "MAnet", "Linknet", "FPN", "PSPNet", "PAN", "DeepLabV3", "DeepLabV3Plus", "UPerNet", "Segformer", "DPT", "create_model",
        }),
        "linear",
    ),
    "dgl.nn.": (
        frozenset({"GraphConv", "RelGraphConv", "TAGConv", "GATConv", "GATv2Conv", "SAGEConv", "GINConv", "DenseGraphConv", "DenseSAGEConv"}),
        None,
    ),
}  # fmt: skip
# The texts that say which.
ACTIVATIONS = {"softmax": "softmax", "softmax2d": "softmax", "logsoftmax": "log_softmax", "sigmoid": "sigmoid"}
# Layers whose output differs between train and eval mode.
MODE_SENSITIVE = (
    "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
    "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "RReLU",
    "Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer", "MultiheadAttention",
)  # fmt: skip
# Models of transformers that drop as they are configured by default, by what the names of their classes begin with.
# Source: the defaults of their configurations in transformers 4.57 (`hidden_dropout_prob`, `dropout`, `resid_pdrop`, `dropout_rate`, `attention_dropout`).
DROPPING_MODELS = (
    "Bert", "Roberta", "XLMRoberta", "Camembert", "DistilBert", "Electra", "Deberta", "DebertaV2", "MPNet", "Longformer", "BigBird", "Ernie", "LayoutLM",
    "GPT2", "OpenAIGPT", "XLNet", "XLM", "CTRL", "T5", "MT5", "UMT5", "LongT5", "Bart", "MBart", "Pegasus", "Marian", "M2M100", "Blenderbot", "LED", "OPT",
    "XGLM", "BioGpt", "Wav2Vec2", "Hubert", "WavLM", "UniSpeech", "SEWD", "Speech2Text",
)  # fmt: skip
# Of these, those that differ by dropout alone; recurrent layers do too.
DROPPING = frozenset({
    "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "Transformer", "TransformerEncoderLayer",
    "TransformerDecoderLayer", "MultiheadAttention", "RNN", "LSTM", "GRU",
})  # fmt: skip
# Those that are a dropout and nothing else, with its rate in `p`.
RATED_DROPOUTS = frozenset(name for name in DROPPING if "Dropout" in name)
RECURRENT = frozenset({"RNN", "LSTM", "GRU"})
# Dropouts as functions, whose `training` is True where it is not given.
FUNCTIONAL_DROPOUTS = frozenset(f"torch.nn.functional.{name}" for name in ("dropout", "dropout1d", "dropout2d", "dropout3d"))
# Attention as a function, which drops at the rate that it is given: the position and the name of that.
FUNCTIONAL_ATTENTION = {"torch.nn.functional.scaled_dot_product_attention": (4, "dropout_p")}
# Names of classes and methods that drop in both modes on purpose: the prenet of Tacotron, samples of Bayesian networks, noise on the input.
DROPS_ON_PURPOSE = ("prenet", "pre_net", "mcdrop", "mc_", "monte", "bayes", "noise", "perturb", "augment", "corrupt")
# Where layers take the probability with which they drop, and whether they drop at all when it is left out.
DROPOUT_ARGUMENTS = {
    "Dropout": (0, "p", True), "Dropout1d": (0, "p", True), "Dropout2d": (0, "p", True), "Dropout3d": (0, "p", True), "AlphaDropout": (0, "p", True),
    "FeatureAlphaDropout": (0, "p", True), "MultiheadAttention": (2, "dropout", False), "Transformer": (5, "dropout", True),
    "TransformerEncoderLayer": (3, "dropout", True), "TransformerDecoderLayer": (3, "dropout", True),
}  # fmt: skip
# Where layers are given whether to keep running statistics, and whether they do by default: without them the modes do not differ.
TRACKING = {
    "BatchNorm1d": (4, True), "BatchNorm2d": (4, True), "BatchNorm3d": (4, True), "InstanceNorm1d": (4, False), "InstanceNorm2d": (4, False),
    "InstanceNorm3d": (4, False),
}  # fmt: skip
# Where layers are given how much of their running statistics each batch replaces; with 1, all of it.
MOMENTA = {
    "BatchNorm1d": 2, "BatchNorm2d": 2, "BatchNorm3d": 2, "LazyBatchNorm1d": 1, "LazyBatchNorm2d": 1, "LazyBatchNorm3d": 1, "SyncBatchNorm": 2,
    "InstanceNorm1d": 2, "InstanceNorm2d": 2, "InstanceNorm3d": 2,
}  # fmt: skip
# Layers that are built of layers they are given.
BUILT_OF_LAYERS = frozenset({"TransformerEncoder", "TransformerDecoder", "DataParallel", "DistributedDataParallel"})
# Layers that normalise over the batch, and ready-made models that are full of them.
BATCH_NORMS = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "SyncBatchNorm")
BATCH_NORM_MODELS = (
    "resnet", "resnext", "wide_resnet", "densenet", "mobilenet", "efficientnet", "mnasnet", "regnet", "shufflenet", "googlenet", "inception",
)  # fmt: skip
# Modules without a parameter: to put one in or take one out changes nothing that an optimizer holds.
PARAMETERLESS = frozenset({
    "Identity", "Flatten", "Unflatten", "ReLU", "ReLU6", "LeakyReLU", "ELU", "SELU", "CELU", "GELU", "SiLU", "Mish", "Sigmoid", "Tanh", "Softmax", "LogSoftmax",
    "Softplus", "Softsign", "Softmin", "Softmax2d", "LogSigmoid", "Hardtanh", "Hardswish", "Hardsigmoid", "Hardshrink", "Softshrink", "Tanhshrink", "Threshold",
    "RReLU", "GLU", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout", "MaxPool1d", "MaxPool2d", "MaxPool3d",
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "LPPool1d", "LPPool2d", "MaxUnpool2d", "Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d", "PixelShuffle", "PixelUnshuffle", "ZeroPad2d",
    "ReflectionPad1d", "ReflectionPad2d", "ReplicationPad2d", "ConstantPad2d", "Fold", "Unfold", "ChannelShuffle", "CosineSimilarity", "PairwiseDistance",
})  # fmt: skip
# Containers of layers, which have the parameters of what is put in.
CONTAINERS = frozenset({"Sequential", "ModuleList", "ModuleDict"})
# Where normalising layers are given whether to have parameters, under which name, and whether they do by default.
AFFINE = {
    "BatchNorm1d": (3, "affine", True), "BatchNorm2d": (3, "affine", True), "BatchNorm3d": (3, "affine", True), "SyncBatchNorm": (3, "affine", True),
    "LazyBatchNorm1d": (2, "affine", True), "LazyBatchNorm2d": (2, "affine", True), "LazyBatchNorm3d": (2, "affine", True),
    "InstanceNorm1d": (3, "affine", False), "InstanceNorm2d": (3, "affine", False), "InstanceNorm3d": (3, "affine", False),
    "GroupNorm": (3, "affine", True), "LayerNorm": (2, "elementwise_affine", True), "RMSNorm": (2, "elementwise_affine", True),
}  # fmt: skip
# Layers that give one tensor, whatever they are given; pooling may give indices as well.
TENSOR_LAYERS = frozenset(name for name in {*PARAMETERLESS, *LAST_LAYERS, *BATCH_NORMS} if "MaxPool" not in name and name not in SHAPING_LAYERS) | {
    "LayerNorm", "GroupNorm", "RMSNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "PReLU", "Embedding", "EmbeddingBag", "GRUCell", "RNNCell",
    "TransformerEncoder", "TransformerEncoderLayer", "Transformer", "TransformerDecoder",
}  # fmt: skip
# Layers whose parameters begin as zeros and ones, or another number.
CONSTANT_LAYERS = frozenset({
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LayerNorm", "GroupNorm",
    "RMSNorm", "LocalResponseNorm", "PReLU",
})  # fmt: skip
# Layers that draw their weights when they are first run: only then is it known how large they are.
LAZY_LAYERS = frozenset(f"Lazy{kind}{n}d" for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm") for n in (1, 2, 3)) | {
    "LazyLinear"
}


def layers_like(fixed: tuple[str, ...]) -> frozenset[str]:
    """The layers of torch whose names have some fixed parts, in this order, with something between them."""
    if max(map(len, fixed)) < 3:
        return frozenset()
    pattern = re.compile(".+".join(map(re.escape, fixed)))
    return frozenset(filter(pattern.fullmatch, {*PARAMETERLESS, *LAST_LAYERS, *MODE_SENSITIVE, *TENSOR_LAYERS}))
