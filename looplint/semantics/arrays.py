"""What leaves torch as arrays and plain numbers: numpy's functions, and the metrics of libraries that take arrays.

An array keeps what it was computed from: predictions that are gathered over a validation pass are scored as arrays, after it.
"""

from __future__ import annotations

from looplint.domain.tensors import combine, copied_to_host
from looplint.domain.values import UNKNOWN, Arguments, External, Number, Value
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.transfers import transfer
from looplint.syntax import ir


@transfer("array")
def _array(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`np.concatenate(predictions)`: an array computed from tensors, or from arrays of their numbers."""
    tensor = combine(interp.grad, args.values())
    if tensor is None:
        return UNKNOWN
    interp.uses.fetched |= tensor.origins
    return frozenset({copied_to_host(tensor)})


@transfer("compared-arrays")
def _compared_arrays(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`np.equal(predictions, targets)`: what `predictions == targets` is."""
    tensor = combine(interp.grad, args.values())
    if tensor is not None:
        interp.uses.compare(tensor.origins)
    return _array(interp, qualname, args, expr)


@transfer("image-maker")
def _image_maker(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`ToPILImage()`: what it gives back makes a picture of a tensor, as the function does."""
    return frozenset({External("torchvision.transforms.functional.to_pil_image")})


@transfer("score")
def _score(interp: Interpreter, qualname: str, args: Arguments, expr: ir.Call) -> Value:
    """`roc_auc_score(targets, predictions)`: numbers that say how good a prediction is."""
    tensor = combine(interp.grad, args.values())
    if tensor is not None:
        interp.uses.compare(tensor.origins)
    return frozenset({Number()})
