"""Which names the texts of a project mention, and where: Python as it is written, and the settings, scripts and documents beside it."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from looplint.dataclass import dataclass
from looplint.sources.reading import text_of
from looplint.sources.regular import read_regular

# What may name a function or a class beside Python: settings, launch scripts, documents, notebooks.
_TEXTS = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".gin", ".sh", ".bash", ".slurm", ".md", ".rst", ".txt", ".ipynb", ".jsonnet")
_MOST_BYTES = 64_000_000
_LEFT_OUT = ("node_modules", "venv", "__pycache__")
# A text that is a name, or a path to one: `"train"`, `"package.module:Class"`.
_PATH = re.compile(r"[A-Za-z_][\w.:]*")

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Mention:
    """A use of a name: in which file, within which function or class ("" for none), of what it is an attribute, and whether a text spells it."""

    file: str
    within: str
    of: str | None = None
    spelled: bool = False


@dataclass(frozen=True, slots=True)
class _Uses:
    """What a file mentions, and what it imports from which modules, each by its last name; "*" is all of a module."""

    mentions: dict[str, list[Mention]]
    imported: dict[str, set[str]]


class Mentions:
    """The texts below a folder, each read and parsed once."""

    def __init__(self, folder: Path) -> None:
        paths = list(_texts_below(folder))
        # Of a folder that holds more than can be read, nothing is known.
        self.complete = sum(map(_size, paths)) <= _MOST_BYTES
        read = paths if self.complete else []
        self.python = {path: text_of(Path(path)) for path in read if path.endswith(".py")}
        self._others = [_raw(path) for path in read if not path.endswith(".py")]
        self.tree = cache(lambda file: tree_of(self.python.get(file, "")))
        self._uses = cache(lambda file: _uses(file, self.tree(file)))
        self._files_with = cache(self._find_files)
        self._named = cache(self._find)

    def of_function(self, name: str, home: str) -> list[Mention] | None:
        """The uses of a function or class that is a module's own; None where it may be used anyhow.

        Args:
            name: the function or class.
            home: the file that defines it.
        """
        return self._meant(name, home, self._named(name))

    def of_function_in_python(self, name: str, home: str) -> list[Mention] | None:
        """As `of_function`, of the files of Python alone: what a document calls so may be something else."""
        return self._meant(name, home, self._in_python(name))

    def of_method(self, name: str) -> list[Mention] | None:
        """The uses of whatever has a method of that name; None where it may be used anyhow."""
        found = self._named(name)
        return found and [mention for mention in found if mention.spelled or mention.of is not None]

    def of_any(self, name: str) -> list[Mention] | None:
        """The uses of a name, whatever it means; None where it may be used anyhow."""
        return self._named(name)

    def of_class(self, name: str) -> list[ast.ClassDef]:
        """The classes of a name."""
        declared = re.compile(rf"(?m)^\s*class\s+{re.escape(name)}\b")
        trees = [self.tree(file) for file, text in self.python.items() if declared.search(text) is not None]
        return [node for tree in trees if tree for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == name]

    def _meant(self, name: str, home: str, found: list[Mention] | None) -> list[Mention] | None:
        modules = self._modules_with(name, home)
        return found and [mention for mention in found if self._may_mean(name, home, modules, mention)]

    def _modules_with(self, name: str, home: str) -> set[str]:
        """The modules, by their last names, from which something can be imported: the one that defines it, and those that import it from there."""
        importing = [(_module_name(file), uses.imported.get(name, set())) for file in self._files_with(name) if (uses := self._uses(file))]
        modules = {_module_name(home)}
        while more := {module for module, sources in importing if module not in modules and not sources.isdisjoint(modules)}:
            modules |= more
        return modules

    def _may_mean(self, name: str, home: str, modules: set[str], mention: Mention) -> bool:
        uses = self._uses(mention.file)
        if mention.spelled or uses is None:
            return True
        if mention.of is not None:
            return mention.of in uses.imported
        return mention.file == home or "*" in uses.imported or not uses.imported.get(name, set()).isdisjoint(modules)

    def _find_files(self, name: str) -> tuple[str, ...]:
        """The files of Python in which a name is a word."""
        word = re.compile(rf"\b{re.escape(name)}\b")
        return tuple(file for file, text in self.python.items() if word.search(text) is not None)

    def _find(self, name: str) -> list[Mention] | None:
        """All uses of a name; None where it stands in a text that is no Python, or in a file that cannot be read."""
        word = re.escape(name)
        # What is a word of the language too is meant as a name only where it is written like one.
        written = re.compile(rf"\b{word}\b" if re.search(r"_|[a-z][A-Z]", name) else rf"\b{word}\(|[.:]{word}\b(?!\.)")
        if any(written.search(text) for text in self._others):
            return None
        return self._in_python(name)

    def _in_python(self, name: str) -> list[Mention] | None:
        found: list[Mention] = []
        for uses in map(self._uses, self._files_with(name)):
            if uses is None:
                return None
            found += uses.mentions.get(name, ())
        return found


def _texts_below(folder: Path) -> Iterator[str]:
    for top, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in _LEFT_OUT)
        yield from (os.path.join(top, file) for file in sorted(files) if file.endswith((".py", *_TEXTS)))


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _module_name(file: str) -> str:
    path = Path(file)
    return path.parent.name if path.name == "__init__.py" else path.stem


def _raw(path: str) -> str:
    """The text of a regular file; none of a pipe or a device, or where it cannot be read."""
    try:
        return read_regular(Path(path)).decode("utf-8", "replace")
    except OSError:
        return ""


def tree_of(text: str) -> ast.Module | None:
    """The tree of a text; None where it is no Python, or more than Python can take."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _uses(file: str, tree: ast.Module | None) -> _Uses | None:
    """What a file uses and imports; None where it cannot be read."""
    if tree is None:
        return None
    exports = os.path.basename(file) == "__init__.py"
    mentions: dict[str, list[Mention]] = {}
    imported: dict[str, set[str]] = {}
    work: list[tuple[ast.AST, str]] = [(tree, "")]
    while work:
        node, within = work.pop()
        inner = within
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                inner = f"{within}.{name}".lstrip(".")
            case ast.Name(id=name, ctx=ast.Load()):
                mentions.setdefault(name, []).append(Mention(file, within))
            case ast.Attribute(attr=name, value=value):
                mentions.setdefault(name, []).append(Mention(file, within, of=base_name(value)))
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
                for alias in aliases:
                    name = alias.name.rpartition(".")[2]
                    for bound in (name, alias.name.partition(".")[0], alias.asname or name):
                        imported.setdefault(bound, set()).add(module.rpartition(".")[2])
                    if exports or alias.asname not in (None, name):
                        # What is imported by its own name is used where that name is.
                        mentions.setdefault(name, []).append(Mention(file, within, spelled=True))
            case ast.Constant(value=str(text)) if _PATH.fullmatch(text):
                for part in re.split(r"[.:]", text):
                    mentions.setdefault(part, []).append(Mention(file, within, spelled=True))
        # A definition's decorators, defaults and bases are used where it stands.
        body = set(map(id, node.body)) if isinstance(node, Definition) else ()
        work.extend((child, inner if id(child) in body else within) for child in ast.iter_child_nodes(node) if not is_text(child))
    return _Uses(mentions, imported)


def is_text(node: ast.AST) -> bool:
    """Whether a statement is a text that is no value, as a docstring is."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def base_name(expr: ast.expr) -> str:
    """The last name of what is called or subscripted, or of anything else; "" where there is none."""
    return last_name(expr.func if isinstance(expr, ast.Call) else expr.value if isinstance(expr, ast.Subscript) else expr)


def last_name(expr: ast.expr) -> str:
    """The last name of a name or an attribute; "" for anything else."""
    return expr.attr if isinstance(expr, ast.Attribute) else expr.id if isinstance(expr, ast.Name) else ""
