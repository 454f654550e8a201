"""Whether a file is a program of PyTorch, or of another framework that is written in much the same way."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from looplint.regex import regex

_OTHERS = regex(
    rb"^[ \t]*(?:from|import)[ \t]+(?:mxnet|paddle|tensorflow|jax|flax|mindspore|oneflow|keras|jittor|tinygrad|mlx|chainer)\b", re.MULTILINE
)
# How the names of torch and its own libraries begin, and those of libraries that are built on it alone.
_OF_TORCH = ("torch", "pytorch")
_ON_TORCH = frozenset(
    {"lightning", "accelerate", "deepspeed", "timm", "diffusers", "peft", "monai", "ignite", "fastai", "catalyst", "composer"}
)
_NAMES = regex(b"|".join(name.encode() for name in sorted({*_OF_TORCH, *_ON_TORCH})))


def of_another_framework(*codes: bytes) -> bool:
    """Whether one of some files that belong together imports another framework, and none of them names torch in its code."""
    return any(_OTHERS.search(code) for code in codes) and not any(_NAMES.search(code) and _names_torch(code) for code in codes)


def _names_torch(code: bytes) -> bool:
    """Whether torch, or what is built on it, is a name in a program: in a comment or a text it says nothing."""
    try:
        return any(name.startswith(_OF_TORCH) or name in _ON_TORCH for name in _names(code))
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return True


def _names(code: bytes) -> Iterable[str]:
    return (token.string for token in tokenize.tokenize(io.BytesIO(code).readline) if token.type == tokenize.NAME)
