"""Places in the text of a project, without their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from looplint.dataclass import dataclass

if TYPE_CHECKING:
    import libcst as cst

    from looplint.syntax.project import ModuleInfo


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a file: the module and the CST node that stands there."""

    module: ModuleInfo
    node: cst.CSTNode
