"""Methods of what is no object of the heap: tensors, parameters, iterators, constants, and what is not known."""

from __future__ import annotations

from looplint.domain.membership import ready
from looplint.domain.objects import Dict, Instance
from looplint.domain.values import (
    NOTHING,
    UNKNOWN,
    Arguments,
    ClassRef,
    Const,
    Context,
    Iter,
    Method,
    Params,
    Ref,
    Tensor,
    Tuple,
    Unknown,
    Value,
    const,
    constant_of,
    ref,
    refs,
)
from looplint.flow.events import Snapshot
from looplint.interpreter import hooks, options_given, unfollowed
from looplint.interpreter.interpreter import Interpreter
from looplint.interpreter.outside import behind, is_unseen
from looplint.knowledge.lookup import tensor_method
from looplint.semantics import named_tuples
from looplint.semantics.contexts import enter_context
from looplint.semantics.formatting import note_arguments
from looplint.semantics.gradients import empties_gradient, fills_gradient
from looplint.semantics.parameters import on_params
from looplint.semantics.pretrained import from_pretrained
from looplint.semantics.tensor_evidence import note_discarded
from looplint.semantics.tensors import on_tensor, sizes
from looplint.semantics.unknown_objects import on_unknown
from looplint.syntax import ir

# Methods that make a text, or a truth, of a text alone.
_OF_TEXTS = frozenset({"lower", "upper", "strip", "startswith", "endswith"})


@hooks.method_called
def call_method(interp: Interpreter, method: Method, args: Arguments, expr: ir.Call) -> Value:
    name = method.name
    if name == "state_dict" and interp.candidates:
        interp.emit(Snapshot(), expr.node, ())  # of an object that is not known: here the call gives no state of the others
    if name == "register_post_accumulate_grad_hook":
        interp.flags.steps_in_backward = True
    match method.obj:
        case Tensor():
            return on_tensor(interp, method.obj, name, args, expr)
        case Params():
            note_discarded(interp, method.obj, name, args, expr)
            return on_params(interp, method.obj, name, args, expr)
        case Unknown():
            return on_unknown(interp, method.obj, name, args, expr)
        case Method() if tensor_method(name) == "shape":
            return sizes(args, name)
        case Method() as unseen if name == "backward" and not args.positional and is_unseen(unseen):
            return on_unknown(interp, Unknown(behind(unseen)), name, args, expr)  # `ctx.loss.backward()`
        case Method() as unseen if is_unseen(unseen) and (fills_gradient(name, expr) or empties_gradient(interp, name, args, expr)):
            return on_unknown(interp, Unknown(behind(unseen)), name, args, expr)  # `p.grad.data.zero_()`
        case ClassRef() as cls:
            return from_pretrained(interp, cls, args, expr)
        case Iter():
            return method.obj.element if name in ("__next__", "next") else unfollowed.quiet(interp, args)
        case Method(obj=Ref(obj=obj), name="__dict__") if name == "update":
            ready(ref(obj))  # it takes over what another one has
            entries = (
                (slot[1:], each) for d in refs(args.get(0, "") or NOTHING, Dict) for slot, each in d.heap.items() if slot.startswith("=")
            )
            for attribute, value in (*entries, *args.keywords.items()):
                interp.write(obj, attribute, value)
            if not refs(args.get(0, "") or NOTHING, Dict) and not args.keywords:
                options_given.set_by_options(interp, obj)
            return UNKNOWN
        case Method(obj=Ref(obj=Instance()), name="__dict__"):
            return unfollowed.quiet(interp, args)
        case Context(effect="no-grad" | "enable-grad" | "set-grad") as context if name == "__enter__":
            return enter_context(interp, frozenset({context}))
        case Context(effect="no-grad" | "enable-grad" | "set-grad") if name == "__exit__":
            interp.grad = None  # it is as it was where the context was entered
            return UNKNOWN
        case Context(effect="exit-stack") if name in ("enter_context", "enter_async_context") and args.positional:
            return enter_context(interp, args.positional[0])
        case Const(str() as text) if name in _OF_TEXTS:
            given = [constant_of(value) for value in args.positional]
            texts = [known.value for known in given if known is not None and isinstance(known.value, str)]
            return const(getattr(text, name)(*texts)) if len(texts) == len(given) and not args.keywords and not args.starred else UNKNOWN
        case Tuple() as whole:
            return named_tuples.call_method(interp, method, whole, args, expr)
        case Const():
            if name == "format":
                note_arguments(interp, expr.args, args.positional)
            return UNKNOWN
        case Method() as unseen if is_unseen(unseen):
            note_discarded(interp, Unknown(), name, args, expr)  # `batch.images.to(device)`
    return unfollowed.unknown_call(interp, method, args, expr)
