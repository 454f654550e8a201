"""The modules of a project: found from the linted file's own package, read and lowered only when a name of theirs is used."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from looplint.dataclass import dataclass, replace
from looplint.regex import regex
from looplint.sources.import_roots import added_by, files_of, holds_modules, import_roots, is_file, resolved
from looplint.sources.reading import Source, SourceError, display_name, read_source
from looplint.sources.reads import Reads, digest
from looplint.syntax.bounds import TooDeep
from looplint.syntax.ir import ModuleCode
from looplint.syntax.parsing import parsed

if TYPE_CHECKING:
    from looplint.interpreter.frames import Frame

# Files whose text is not (or not yet) that on the disk.
Overlay = Mapping[Path, Source]
# A loop is spread over a few files; what imports more than this is a library, and is followed no further.
_MOST_MODULES = 200
# A parsed module takes 500 times its text in memory. What others import and is longer than this is a table of data, or generated.
_MOST_OF_A_MODULE = 600_000
_NEVER_LOCAL = frozenset(
    {"torch", "numpy", "torchvision", "transformers", "accelerate", "lightning", "pytorch_lightning", "timm", "tqdm", "wandb"}
)
# `tensor.cuda(async=True)`: a keyword of torch 0.3 that is none of Python's since 3.7. Another word of its length leaves everything in its place.
_ASYNC = regex(r"(?<=[(,\s])async(?=\s*=(?!=))")
_PLAIN_IMPORT = regex(r"^import (\w+)", re.MULTILINE)


@dataclass(slots=True, eq=False)
class ModuleInfo:
    """A module of the project: its file, its code once lowered, and its names once its body has been followed."""

    path: Path | None
    filename: str
    source: Source
    code: ModuleCode | None = None
    frame: Frame | None = None
    broken: bool = False
    # What a folder without an `__init__.py` is imported as: a namespace package, which holds nothing but what lies in it.
    namespace: str = ""

    def __repr__(self) -> str:
        return f"ModuleInfo({self.filename})"

    def lowered(self) -> ModuleCode | None:
        """The lowered code, or None for a module that cannot be parsed, or is too large to be read for the sake of others: a table of data."""
        if self.code is None and not self.broken:
            if len(self.source.text) > _MOST_OF_A_MODULE:
                self.broken = True
                return None
            try:
                self.code = _parsed(self.source.text)
            except (cst.ParserSyntaxError, TooDeep, RecursionError):
                self.broken = True
        return self.code


def _parsed(text: str) -> ModuleCode:
    try:
        return parsed(text, imported=True)
    except cst.ParserSyntaxError:
        if _ASYNC.search(text) is None:
            raise
    return parsed(_ASYNC.sub("_sync", text), imported=True)


class Project:
    """Finds the modules that imports name, for one linted file."""

    def __init__(self, overlay: Overlay | None = None) -> None:
        self._modules: dict[Path, ModuleInfo | None] = {}
        # Those of them that could be read, once somebody asks for them.
        self._readable: tuple[ModuleInfo, ...] = ()
        self._asked = 0
        # The answers of `find`, by the importing file and what it names.
        self._answers: dict[tuple[Path, str, int], ModuleInfo | None] = {}
        # The folders that modules add to the import path, by the module.
        self._added: dict[Path, tuple[Path, ...]] = {}
        self._by_filename: dict[str, ModuleInfo] = {}
        self._overlay = overlay or {}
        self._found: dict[Path, Path] = {}
        self._absent: set[Path] = set()
        self._folders: set[Path] = set()
        # Folders that the linted file was reached through a link to: what they are, and what they are called.
        self._links: dict[Path, Path] = {}
        self._linted: list[Path] = []

    def add(self, info: ModuleInfo) -> None:
        if info.path is not None:
            self._modules[info.path] = info
            self._asked = 0
            self._linted.append(info.path)
            self._by_filename.setdefault(info.filename, info)
            self._links |= _link(info.path, Path(info.filename).absolute())

    @property
    def modules(self) -> tuple[ModuleInfo, ...]:
        """All modules of which something was read: the same tuple until there are more of them."""
        if len(self._modules) != self._asked:
            self._asked = len(self._modules)
            self._readable = tuple(info for info in self._modules.values() if info is not None)
        return self._readable

    def by_filename(self, filename: str) -> ModuleInfo | None:
        return self._by_filename.get(filename)

    def find(self, importer: ModuleInfo, dotted: str, level: int) -> ModuleInfo | None:
        """The module that an import statement of `importer` names, or None when it is not of this project."""
        if importer.path is None:
            return None
        question = (importer.path, dotted, level)
        if question not in self._answers:
            self._answers[question] = self._find(importer.path, dotted, level)
        return self._answers[question] or (None if level else self._in_added(importer, dotted))

    def _is_library(self) -> bool:
        return len(self._modules) > _MOST_MODULES

    def _find(self, importer: Path, dotted: str, level: int) -> ModuleInfo | None:
        here = importer.parent
        if "site-packages" in here.parts or self._is_library():
            return None
        parts = [p for p in dotted.split(".") if p]
        if level:
            for _ in range(level - 1):
                here = here.parent
            return self._in_folder(here, parts) or self._namespace((here,), parts)
        if not parts or not _may_be_local(parts[0]):
            return None
        self._folders.add(here)
        for folder in self._search_path(importer):
            found = self._in_folder(folder, parts)
            if found is not None and found.path != importer:
                return found
        return self._in_own_package(here, parts) or self._namespace(import_roots(here), parts)

    def _in_own_package(self, here: Path, parts: list[str]) -> ModuleInfo | None:
        """The module that a file names by the package it lies in, where that is the project's root: what its parent holds besides is of others."""
        folder = next((f for f in import_roots(here) if f.name.lower() == parts[0].lower() and is_file(f / "__init__.py")), None)
        return self._in_folder(folder, parts[1:]) if folder is not None else None

    def _search_path(self, importer: Path) -> list[Path]:
        """The folders in which the absolute imports of a module are looked for: first that of the script which is linted, as Python does."""
        roots = import_roots(importer.parent)
        if importer in self._linted:
            return list(roots)
        scripts = [path.parent for path in self._linted if path.parent in roots and not is_file(path.parent / "__init__.py")]
        return list(dict.fromkeys((*scripts, *roots)))

    def _in_added(self, importer: ModuleInfo, dotted: str) -> ModuleInfo | None:
        """The module of a name in the folders that the importing module, or the linted one, adds to the import path."""
        parts = [p for p in dotted.split(".") if p]
        if not parts or not _may_be_local(parts[0]) or self._is_library():
            return None
        adding = dict.fromkeys((importer.path, *self._linted))
        folders = dict.fromkeys(folder for path in adding if path is not None for folder in self._added_by(path))
        return next((found for folder in folders if (found := self._in_folder(folder, parts)) is not None), None)

    def _added_by(self, path: Path) -> tuple[Path, ...]:
        """The folders that a module adds to the import path, by itself or by a neighbour that it imports for this, as `import _init_paths` does."""
        if path not in self._added:
            info = self._modules.get(path)
            text = info.source.text if info is not None else ""
            neighbours = (path.parent / f"{name}.py" for name in _PLAIN_IMPORT.findall(text))
            read = [found for file in neighbours if is_file(file) and (found := self._read_at(file)) is not None]
            added = (folder for module in (info, *read) if module is not None for folder in added_by(module.source.text, path.parent))
            self._added[path] = tuple(dict.fromkeys(added))
        return self._added[path]

    def _namespace(self, folders: Iterable[Path], parts: list[str]) -> ModuleInfo | None:
        """The folder with modules that an import names where no file is meant: a package without an `__init__.py`."""
        target = next((t for folder in folders if holds_modules(t := folder.joinpath(*parts))), None)
        if target is None:
            return None
        path = target.resolve() / "__init__.py"
        if path not in self._modules:
            filename = display_name(path)
            self._modules[path] = ModuleInfo(path, filename, Source(path, filename, b"", ""), namespace=".".join(parts))
        return self._modules[path]

    def _in_folder(self, folder: Path, parts: list[str]) -> ModuleInfo | None:
        absent, found = files_of(folder, tuple(parts))
        self._absent.update(absent)
        return self._read_at(found) if found is not None else None

    def reads(self) -> Reads | None:
        """What was read from the file system so far, or None where a file could not be read."""
        files = []
        for path, behind in self._found.items():
            info = self._modules.get(behind)
            if info is None:
                return None
            files.append((str(path), digest(info.source.raw)))
        roots = [(str(folder), tuple(map(str, import_roots(folder)))) for folder in sorted(self._folders)]
        return Reads(tuple(sorted(files)), tuple(sorted(map(str, self._absent))), tuple(roots))

    def _read_at(self, candidate: Path) -> ModuleInfo | None:
        path = self._found[candidate] = resolved(candidate)
        if path not in self._modules:
            try:
                source = self._overlay.get(path) or read_source(path)
            except SourceError:
                self._modules[path] = None
            else:
                source = replace(source, display=self._shown(path) or source.display)
                info = self._modules[path] = ModuleInfo(path, source.display, source)
                self._by_filename.setdefault(info.filename, info)
        return self._modules[path]

    def _shown(self, path: Path) -> str | None:
        """What a file is called that lies where the linted one does, behind the same link; None for others."""
        real = next((folder for folder in self._links if path.is_relative_to(folder)), None)
        return display_name(self._links[real] / path.relative_to(real)) if real is not None else None


def _may_be_local(package: str) -> bool:
    return package not in _NEVER_LOCAL and package not in sys.stdlib_module_names


def _link(path: Path, named: Path) -> dict[Path, Path]:
    """The folder that a link stands for in the name of a file; none where it is called what it is."""
    if named == path or named.resolve() != path:
        return {}
    while path.name == named.name and path != path.parent:
        path, named = path.parent, named.parent
    return {path: named}
