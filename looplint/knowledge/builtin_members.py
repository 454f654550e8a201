"""What Python's own containers, texts and numbers have: a value that is asked for something else is none of them."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

OF_DICTS = frozenset(dir(OrderedDict)) | frozenset(dir(Counter))
OF_LISTS = frozenset(dir(list)) | frozenset(dir(set)) | frozenset(dir(deque))
# What tells a container from any other object.
OF_CONTAINERS = (frozenset(dir(OrderedDict)) | OF_LISTS) - frozenset(dir(object))
OF_BUILTINS = OF_DICTS | OF_LISTS | frozenset().union(*(dir(kind) for kind in (tuple, str, bytes, int, float)))
