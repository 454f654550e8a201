"""Models of the program's own classes that a library's base builds from a checkpoint: `Tagger.from_pretrained(path)`."""

from __future__ import annotations

from looplint.domain.values import UNKNOWN, Arguments, ClassRef, Ref, Value
from looplint.flow.events import Eval
from looplint.interpreter import calls, classes
from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir


def from_pretrained(interp: Interpreter, cls: ClassRef, args: Arguments, expr: ir.Call) -> Value:
    """The model, built from the configuration that its checkpoint has and left in eval mode.

    What its constructor takes besides is handed on to it: `PreTrainedModel.from_pretrained` of transformers. `ModelMixin` of diffusers and
    `PyTorchModelHubMixin` of huggingface_hub give it everything else from the checkpoint.
    """
    made = calls.instantiate(interp, cls, _for_constructor(interp, cls, args), expr)
    interp.emit(Eval(built=True), expr.node, {a.obj for a in made if isinstance(a, Ref)})
    return made


def _for_constructor(interp: Interpreter, cls: ClassRef, args: Arguments) -> Arguments:
    init = classes.find_member(interp, cls, "__init__")
    if init is None or not isinstance(init[0], ir.Function):
        return args.handed_on([])
    params = [p.name for p in init[0].params[1:] if p.kind in ("plain", "keyword")]
    by_configuration = any(name.startswith("transformers.") for name in classes.external_bases(interp, cls))
    known = {name: args.keywords[name] for name in params if name in args.keywords}
    rest = {name: UNKNOWN for name in (params[:1] if by_configuration else params) if name not in known}
    return args.handed_on([], {**rest, **known})
