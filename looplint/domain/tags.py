"""What was done to a tensor, besides what its graph holds: a mark, or a class for what names an object, an event or an amount.

No hash rests on an address or on the seed of Python's hashes of text; see `domain.values`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING

from looplint.dataclass import dataclass

if TYPE_CHECKING:
    from looplint.domain.objects import Data, Scaler
    from looplint.domain.values import EventKey


class Mark(Enum):
    """What is known of a tensor by itself."""

    # Gradients with respect to it are wanted: `images.requires_grad_()`.
    INPUT_GRADIENT = 1
    # A loss function returned it, or it was computed from such a tensor.
    LOSS = 2
    # It was reduced by `mean()`, by `sum()`.
    MEAN = 3
    SUM = 4
    # The reduction of the loss function is "sum", or not known.
    SUM_REDUCTION = 5
    UNKNOWN_REDUCTION = 6
    # It was copied into pinned memory, to a device.
    PINNED = 7
    PLACED = 8
    # A scaler multiplied a value that is not known.
    UNKNOWN = 9
    # It is a batch of one item, made of it: `state.unsqueeze(0)`.
    SINGLE = 10
    # It is a copy outside of torch: an array, a list of numbers.
    HOST = 11
    # It asks for no graph in the words of torch 0.3, which do nothing today: `Variable(x, volatile=True)`.
    VOLATILE = 12
    # It is a packed sequence, whose `data` is its tensor: `pack_padded_sequence(x, lengths).data` has the graph of x.
    PACKED = 13
    # It is a leaf that the program made of a value, or computed from such leaves alone: no graph of it reaches a parameter of a module.
    LEAF = 14
    # It is a loss or a mean on some paths alone: on the others a module or code out of sight gave it, and may have scaled it.
    MIXED = 15
    # It is a constant that the program made on some paths, in the place of what has its graph on the others: `loss = torch.tensor(0.0)` before a condition.
    PLACE_HELD = 16
    # It is a term of a sum that goes backward, and has the name of a loss: it is there for its gradients.
    TERM = 17
    # It is a leaf in which nothing stands that the program has computed, to begin a sum: `torch.tensor(0.0, requires_grad=True)`.
    BEGUN = 18
    # It was begun so, and something was added that is not known: that may have the graph.
    ADDED_TO = 19
    # It is what a module out of sight returns, as it is.
    RETURNED = 20
    # It is an entry of that, behind the first, and nothing was computed of it: it may be a text, or an array of numbers.
    ENTRY = 21
    # What decides whether such a constant has its place (PLACE_HELD) may come out differently in the next call: it is no option, and no setting of an object.
    UNSETTLED = 22
    # It is wrapped in the words of torch 0.3, and asks for its graph: `Variable(x)`.
    RECORDED = 23
    # It is a leaf of zeros that takes the form of another tensor, or was computed from such leaves alone: `torch.zeros_like(points, requires_grad=True)`.
    PROBE = 24

    def __hash__(self) -> int:
        return self.value


@dataclass(frozen=True, slots=True)
class OfBatch:
    """It is a batch of a loader, or a part of one; or an item of a dataset."""

    source: Data

    def __hash__(self) -> int:
        return self.source.number


@dataclass(frozen=True, slots=True)
class OfEntry:
    """It is an entry of a batch that is a dict."""

    source: Data

    def __hash__(self) -> int:
        return self.source.number


@dataclass(frozen=True, slots=True)
class Chunked:
    """It is one of several parts of a batch: how many, as the program writes it or would, and of how many items where it says that."""

    number: str
    size: str = ""

    def __hash__(self) -> int:
        return len(self.number)


@dataclass(frozen=True, slots=True)
class Kept:
    """A container keeps it: the event that put it there."""

    event: EventKey

    def __hash__(self) -> int:
        return self.event[0].number


@dataclass(frozen=True, slots=True)
class Summed:
    """It is a running sum: the event that added to it."""

    event: EventKey

    def __hash__(self) -> int:
        return self.event[0].number


@dataclass(frozen=True, slots=True)
class SentBackward:
    """It went backward: that event."""

    event: EventKey

    def __hash__(self) -> int:
        return self.event[0].number


@dataclass(frozen=True, slots=True)
class Multiplied:
    """It was multiplied or divided: the operator and the operand, as the program writes it."""

    op: str
    by: str

    def __hash__(self) -> int:
        return len(self.by)


@dataclass(frozen=True, slots=True)
class Scaled:
    """A gradient scaler multiplied it: on every path that is known, or only on some."""

    scaler: Scaler
    always: bool = True

    def __hash__(self) -> int:
        return self.scaler.number


@dataclass(frozen=True, slots=True)
class Rooted:
    """It is computed from parameters or other leaves directly, through no forward, inside so many loops: the graph of that is built there."""

    depth: int

    def __hash__(self) -> int:
        return self.depth


@dataclass(frozen=True, slots=True)
class SetAside:
    """It is a structure in which the program has put something without a graph under a key."""

    key: str

    def __hash__(self) -> int:
        return len(self.key)


@dataclass(frozen=True, slots=True)
class MadeOutOfSight:
    """Code out of sight made it of what has a graph: the event that handed it that."""

    event: EventKey

    def __hash__(self) -> int:
        return self.event[0].number


@dataclass(frozen=True, slots=True)
class ToldBy:
    """It comes from what that forward put out, by a way that is none of torch: it was made of an array of that, or is the items that it chose."""

    forward: EventKey

    def __hash__(self) -> int:
        return self.forward[0].number


Tag = Mark | OfBatch | OfEntry | Chunked | Kept | Summed | SentBackward | Multiplied | Scaled | Rooted | SetAside | MadeOutOfSight | ToldBy
Tags = frozenset[Tag]
NO_TAGS: Tags = frozenset()


# What is true of a tensor that may be any of several, or is computed from them, only where it is true of all.
_OF_ALL = frozenset({Mark.SINGLE, Mark.HOST, Mark.TERM})


def joined(each: Iterable[Tags], attached: list[Tags]) -> Tags:
    """What was done to any of some tensors; a scaler is certain only where it scaled all of them, and some marks hold only where all have them.

    Args:
        each: the tags of each of them.
        attached: the tags of those that have a graph: it begins at leaves, or at zeros, of the program alone where it does so in all of these.
    """
    tags = list(each)
    union = NO_TAGS.union(*tags)
    union -= {mark for mark in (Mark.LEAF, Mark.PROBE) if not all(mark in those for those in attached)}
    union -= {tag for tag in union if (tag in _OF_ALL or isinstance(tag, SetAside)) and not all(tag in those for those in tags)}
    partial = {tag for tag in union if isinstance(tag, Scaled) and tag.always and not all(tag in those for those in tags)}
    return union - partial | {Scaled(tag.scaler, always=False) for tag in partial} if partial else union


def is_loss_or_mean(tags: Tags) -> bool:
    return Mark.LOSS in tags or Mark.MEAN in tags


def sources_of_batches(tags: Tags) -> frozenset[Data]:
    """The loaders and datasets of whose batches a tensor is a part."""
    return frozenset(tag.source for tag in tags if isinstance(tag, OfBatch))


def kept_at(tags: Tags) -> frozenset[EventKey]:
    """The events that keep a tensor in a container or in a sum."""
    return frozenset(tag.event for tag in tags if isinstance(tag, Kept | Summed))


def is_sum(tags: Tags) -> bool:
    """Whether a tensor is a sum of elements, or a running sum."""
    return any(tag is Mark.SUM or isinstance(tag, Summed) for tag in tags)


def is_multiplied(tags: Tags) -> bool:
    return any(isinstance(tag, Multiplied) for tag in tags)


def went_backward(tags: Tags) -> bool:
    """Whether a tensor went backward, on some path."""
    return any(isinstance(tag, SentBackward) for tag in tags)


def lasting(tags: Tags) -> Tags:
    """What stays true of a tensor without its graph, and of what is computed from it: an index that code out of sight has chosen comes from there."""
    return frozenset(tag for tag in tags if tag is Mark.HOST or isinstance(tag, MadeOutOfSight | ToldBy)) if tags else tags


def without_roots(tags: Tags) -> Tags:
    """What was done to a tensor that has no graph: it was not built anywhere."""
    return frozenset(tag for tag in tags if not isinstance(tag, Rooted)) if any(isinstance(tag, Rooted) for tag in tags) else tags


def is_built_around(tags: Tags, depth: int) -> bool:
    """Whether a graph has a part that was built outside of the innermost of so many loops: each turn of it goes through that again."""
    return any(isinstance(tag, Rooted) and tag.depth < depth for tag in tags)


def handed_over_at(tags: Tags) -> frozenset[EventKey]:
    """The events that handed code out of sight what it made a tensor of."""
    return frozenset(tag.event for tag in tags if isinstance(tag, MadeOutOfSight))


def told_by(tags: Tags) -> frozenset[EventKey]:
    """The forwards of whose results a tensor was made outside of torch, or whose results chose what it is."""
    return frozenset(tag.forward for tag in tags if isinstance(tag, ToldBy))


def tell_of_a_graph(tags: Tags) -> bool:
    """Whether what may have a graph has it if it goes backward somewhere: it is a loss or a term of one, a constant has its place on some path, or it has gone backward."""
    return went_backward(tags) or not tags.isdisjoint((Mark.LOSS, Mark.PLACE_HELD, Mark.TERM))
