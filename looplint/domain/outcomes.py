"""What a tensor came out of, as far as its value tells."""

from __future__ import annotations

from looplint.dataclass import replace
from looplint.domain.values import Const, Outcomes, Tensor, Value

# How many entries of a result are distinguished.
_PATH = 3


def of_value(value: Value | None) -> Outcomes | None:
    """What the tensor came out of on each path; None where that is not known."""
    atoms = [a for a in value or () if not (isinstance(a, Const) and a.value is None)]
    tensors = [a for a in atoms if isinstance(a, Tensor)]
    return tensors[0].outcomes or None if len(tensors) == 1 == len(atoms) else None


def entry(tensor: Tensor, key: int | str | None) -> Tensor:
    """An entry of a structure of tensors; of a tensor itself, a part of its numbers."""
    if not any(o.op == "forward" for o in tensor.outcomes):
        return tensor
    if key is None or any(len(o.path) >= _PATH for o in tensor.outcomes):
        return replace(tensor, outcomes=frozenset())
    return replace(tensor, outcomes=frozenset(replace(o, path=(*o.path, key)) if o.op == "forward" else o for o in tensor.outcomes))
