"""Files that the program downloads: what is in them was saved by somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from looplint.interpreter.interpreter import Interpreter
from looplint.syntax import ir

# Functions that write what they download to the file they are given.
_DOWNLOADING = re.compile(r"(?i)download|urlretrieve|^wget$|^fetch")
# Names of what sends a request to a server.
_ASKING = frozenset({"requests", "urlopen", "urllib.request.urlopen", "request.urlopen", "httpx", "aiohttp"})


def is_downloaded(interp: Interpreter, path: ir.Expr) -> bool:
    """Whether this function, or the module's own code, writes a download to the file that `torch.load` is given."""
    code = interp.frame.module.lowered()
    functions = dict.fromkeys((interp.frame.function, *((code.top,) if code is not None else ())))
    return any(_downloads(function, ir.render(path)) for function in functions)


def _downloads(function: ir.Function, path: str) -> bool:
    """Whether a function writes a download to a file, by the text of its path."""
    asks = not _ASKING.isdisjoint(function.usage)
    return any(_writes(call, asks) and any(ir.render(a.value) == path for a in call.args) for call in _calls(function))


def _writes(call: ir.Call, asks: bool) -> bool:
    """Whether a call downloads to one of its arguments, or opens it to be written where the function sends a request to a server."""
    name = (ir.path_of(call.func) or "").rpartition(".")[2]
    if _DOWNLOADING.search(name):
        return True
    return asks and name == "open" and any(isinstance(a.value, ir.Const) and a.value.value in ("wb", "wb+") for a in call.args)


def _calls(function: ir.Function) -> Iterator[ir.Call]:
    expressions = (expr for stmt in ir.statements(function.body) for expr in ir.expressions(stmt))
    return (expr for expr in ir.walk(*expressions) if isinstance(expr, ir.Call))
