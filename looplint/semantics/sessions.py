"""Sessions of ONNX Runtime, which stand where a model stands otherwise, and compute arrays of arrays."""

from __future__ import annotations

from looplint.domain.objects import List
from looplint.domain.values import Arguments, Const, Iter, Ref, exact_items


def runs_a_session(name: str, args: Arguments) -> bool:
    """Whether a method is that of a session, by what it is given: `model.run(None, feeds)`, `model.run([output.name], {"ids": ids})`.

    torch gives its modules no method of that name, and none of theirs is told first which outputs to compute.
    """
    asked, feeds = args.get(0, "output_names"), args.get(1, "input_feed")
    if name != "run" or asked is None or feeds is None:
        return False
    items = exact_items(asked)
    if items is not None:
        return all(isinstance(a, Const) for item in items for a in item)
    return bool(asked) and all(
        (isinstance(a, Const) and a.value is None) or isinstance(a, Iter) or (isinstance(a, Ref) and isinstance(a.obj, List)) for a in asked
    )
