"""Files that the program downloads: what is in them was saved by somebody else."""

from __future__ import annotations

from looplint.interpreter.interpreter import Interpreter
from looplint.knowledge import naming
from looplint.syntax import ir

# Names of what sends a request to a server.
_ASKING = frozenset({"requests", "urlopen", "urllib.request.urlopen", "request.urlopen", "httpx", "aiohttp"})


def is_downloaded(interp: Interpreter, path: ir.Expr, known: str | None) -> bool:
    """Whether this function, or the module's own code, writes a download to the file that `torch.load` is given.

    Args:
        path: the argument of `torch.load`.
        known: the path itself, where it stands in the program.
    """
    code = interp.frame.module.lowered()
    functions = dict.fromkeys((interp.frame.function, *((code.top,) if code is not None else ())))
    return any(_gives(function, path) or _downloads(function, path, known) for function in functions)


def _gives(function: ir.Function, path: ir.Expr) -> bool:
    """Whether a path is what a function that downloads says of where it wrote: `path = load_file_from_url(url)`."""
    text = ir.path_of(path)
    makers = [callee for callee, target in function.made if target == text] if text is not None else []
    if isinstance(path, ir.Call):
        makers.append(ir.path_of(path.func) or "")
    return any(naming.downloads(callee.rpartition(".")[2]) for callee in makers)


def _downloads(function: ir.Function, path: ir.Expr, known: str | None) -> bool:
    """Whether a function writes a download to a file, by the text of its path, or to the folder that the file is in."""
    asks = not _ASKING.isdisjoint(function.usage)
    folder = known.rpartition("/")[0] if known is not None else ""
    places = {ir.render(path), _folder(path), *_folders(function, ir.render(path))}
    return any(
        _writes(call, asks)
        and any(
            ir.render(a.value) in places or (isinstance(a.value, ir.Const) and a.value.value in {known, folder} - {None, ""})
            for a in call.args
        )
        for call in ir.calls_in(function.body)
    )


def _folders(function: ir.Function, path: str) -> set[str]:
    """The texts of the folder that a file is in, as all statements say that give a name its path: `path = Path(folder) / "model.pth"`."""
    given = [s.value for s in ir.statements(function.body) if isinstance(s, ir.Assign) and path in map(ir.render, s.targets)]
    folders = {_folder(value) for value in given}
    return {folder for folder in folders if folder} if len(folders) == 1 else set()


def _folder(path: ir.Expr) -> str:
    match path:
        case ir.Binary(op="/", left=left):
            return _folder(left) or ir.render(left)
        case ir.Call(func=ir.Name(id="Path") | ir.Attr(attr="Path" | "join"), args=[ir.Arg(value=ir.Name() | ir.Attr() as first), *_]):
            return ir.render(first)
    return ""


def _writes(call: ir.Call, asks: bool) -> bool:
    """Whether a call downloads to one of its arguments, or opens it to be written where the function sends a request to a server."""
    name = ir.called_name(call)
    if naming.downloads(name):
        return True
    return asks and name == "open" and any(isinstance(a.value, ir.Const) and a.value.value in ("wb", "wb+") for a in call.args)
