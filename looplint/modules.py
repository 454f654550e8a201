"""Following the body of an imported module once, so that its names have values."""

from __future__ import annotations

from looplint.frames import Frame
from looplint.machine import Machine
from looplint.project import ModuleInfo
from looplint.values import const


def module_by_filename(m: Machine, filename: str) -> ModuleInfo | None:
    return m.main if m.main.filename == filename else m.project.by_filename(filename)


def load(m: Machine, info: ModuleInfo) -> None:
    """Run an imported module's body beside the graph: importing it is no part of the loop."""
    if info.frame is not None:
        return
    code = info.lowered()
    if code is None:
        return
    frame = Frame(code.top, info, None, ("module", info.filename), 0)
    info.frame = frame
    frame.locals["__name__"] = const(info.path.stem if info.path else "module")
    with m.beside(frame):
        m.run_block(code.top.body)
