"""What no run comes to: a mistake in a function that nothing in its project uses changes nothing today, and is advice."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from looplint.dataclass import replace
from looplint.finding import Finding, Location, Related
from looplint.linting.mentions import Definition, Mention, Mentions, base_name, is_text

# The outermost folder with one of these is a project.
_MARKS = ("readme", "license", ".git", "pyproject.toml", "setup.py", "setup.cfg", "requirements")
_PARENTS = 8
# What makes a folder one that is installed: others call what its packages offer.
_INSTALLED = ("setup.py", "setup.cfg", "pyproject.toml")
# Statements of a module by which it does something, and does not only define.
_DOING = (ast.Expr, ast.If, ast.For, ast.While, ast.With)
# What trains an object of a class that has hooks for it, by whatever name it is kept.
_TRAINERS = ("Trainer", "LightningCLI", "Fabric", "Learner")
_RESTORES = "load_from_checkpoint"
# Through how many levels of callers the search goes.
_DEPTH = 3
# Whoever looks functions up by names that are made at run time may call any that is defined beside.
_LOOKUP = re.compile(
    r"(?<![.\w])(?:globals|locals|vars|eval|exec)\(|\bFire\(|\bgetattr\(\s*(?:self|cls|sys\.modules\b[^,]*)\s*,\s*(?![\"'])|\bself\.__dict__\b"
)
# Decorators behind which a function is called by its name as any other: all others may hand it to someone.
_PLAIN = {"staticmethod", "classmethod", "property", "no_grad", "inference_mode", "enable_grad", "abstractmethod", "override", "dataclass"}
# Bases that call no method but `forward` and those with `__`.
_BASES = {"object", "Module", "ABC", "Dataset", "Generic", "Protocol"}


def weighed(findings: Iterable[Finding], folders: Sequence[Path]) -> Iterator[Finding]:
    """Some findings, as advice those that stand in what nothing in a project uses: the function, its class, or whoever calls them, is mentioned nowhere.

    Only where something else of the same file is used: a file of which nothing is may be the program itself.

    Args:
        findings: those of all files of a run.
        folders: the folders that were given to the run; of projects that they do not hold as a whole nothing is known.
    """
    project, folder_of = cache(_Project), cache(lambda folder: _project_of(folder, folders))
    for finding in findings:
        places: list[Related] = []
        roots = [root.partition("::") for root in finding.roots]
        for filename, _, function in roots if finding.severity != "advice" else ():
            folder = folder_of(Path(os.path.abspath(filename)).parent) if function else None
            node = project(folder).unused(os.path.abspath(filename), function) if folder is not None else None
            if node is None:
                break
            verb = "trains" if function == f"{node.name}.fit" else "calls"
            places.append(Related(f"no code in use {verb} {node.name}", filename, Location(node.lineno, node.col_offset + 1)))
        else:
            if places:
                finding = replace(finding, severity="advice", unused=True, related=(*finding.related, *dict.fromkeys(places)))
        yield finding


def _project_of(folder: Path, folders: Sequence[Path]) -> Path | None:
    """The outermost folder of a project that a folder lies in, where a run was given all of it."""
    parents = (folder, *folder.parents)[:_PARENTS]
    found = next((parent for parent in reversed(parents) if _is_marked(parent)), None)
    return found if found is not None and any(each == found or each in found.parents for each in folders) else None


def _is_marked(folder: Path) -> bool:
    try:
        return any(name.lower().startswith(_MARKS) for name in os.listdir(folder))
    except OSError:
        return False


class _Project:
    """What is used of the functions of a project."""

    def __init__(self, folder: Path) -> None:
        self._mentions = Mentions(folder)
        self._is_installed = any(os.path.exists(folder / name) for name in _INSTALLED)
        self._is_of_a_library = cache(self._derives_from_a_library)
        self._is_used = cache(self._is_used_by_any)

    def unused(self, file: str, function: str) -> Definition | None:
        """The definition of a function, or of its class, that nothing uses; None where something may, and where nothing else of its file is used."""
        if not self._mentions.complete:
            return None
        trained = self._way(file, function.removesuffix(".fit")) if function.endswith(".fit") and not self._way(file, function) else []
        if trained:  # a class whose hooks its framework calls
            return trained[-1] if len(trained) == 1 and self._is_only_restored(file, trained[-1]) else None
        return self._unused(file, function, _DEPTH) if self._is_otherwise_used(file, function) else None

    def _is_only_restored(self, file: str, cls: Definition) -> bool:
        """Whether a project takes the objects of a class from checkpoints alone, and has nothing in use that could train them."""
        mentions = self._mentions.of_function_in_python(cls.name, file)
        restoring = [mention for mention in self._mentions.of_method(_RESTORES) or () if mention.of == cls.name]
        mentions = [mention for mention in mentions or () if not _is_inside(mention, file, cls.name)]
        if not mentions or cls.decorator_list or any(mention.spelled for mention in mentions):
            return False
        places = Counter((mention.file, mention.within) for mention in mentions)
        if places != Counter((mention.file, mention.within) for mention in restoring):
            return False
        return not any(self._may_be_made(name, _DEPTH) for name in _TRAINERS)

    def _may_be_made(self, name: str, depth: int) -> bool:
        """Whether something in use may make an object of a class of that name, or of one that derives from it."""
        mentions = self._mentions.of_any(name)
        if mentions is None or depth == 0:
            return True
        trees = {mention.file: self._mentions.tree(mention.file) for mention in mentions}
        bodies = {file: tree.body if tree is not None else [] for file, tree in trees.items()}
        heirs = [
            (file, node)
            for file, body in bodies.items()
            for node in body
            if isinstance(node, ast.ClassDef) and name in map(base_name, node.bases)
        ]
        # The bases of a class are named where it stands.
        at_top = Counter(mention.file for mention in mentions if not mention.within) - Counter(file for file, _ in heirs)
        within = any(mention.within and self._may_run(mention, depth - 1) for mention in mentions)
        return bool(at_top) or within or any(self._may_be_made(node.name, depth - 1) for _, node in heirs)

    def _unused(self, file: str, function: str, depth: int) -> Definition | None:
        """As `unused`, with the number of levels through which those that use it are asked for in turn."""
        way = self._way(file, function)
        if not way or _LOOKUP.search(self._mentions.python[file]) is not None:
            return None
        offered = self._is_installed and os.path.exists(Path(file).with_name("__init__.py"))
        for number, node in enumerate(way):
            owner = way[number - 1] if number else None
            if offered and not any(each.name.startswith("_") for each in way[: number + 1]):
                continue
            qualified = ".".join(each.name for each in way[: number + 1])
            if not self._is_called_by_others(node, owner) and not self._is_used(file, qualified, depth):
                return node
        return None

    def _is_called_by_others(self, node: Definition, owner: Definition | None) -> bool:
        """Whether something may be called otherwise than by its name: by whom a decorator hands it to, by Python, or by what its class derives from."""
        if not {base_name(each) for each in node.decorator_list} <= _PLAIN:
            return True
        by_python = owner is not None and (node.name == "forward" or (node.name.startswith("__") and node.name.endswith("__")))
        return by_python or (isinstance(owner, ast.ClassDef) and any(map(self._is_of_a_library, {*map(base_name, owner.bases)} - _BASES)))

    def _derives_from_a_library(self, name: str) -> bool:
        """Whether a class is none of the project's own, or derives from one that is not."""
        own = self._mentions.of_class(name)
        bases = {base_name(base) for each in own for base in each.bases} - _BASES
        return not own or name in bases or any(map(self._is_of_a_library, bases))

    def _is_used_by_any(self, file: str, qualified: str, depth: int) -> bool:
        """Whether anything that may itself be used mentions a definition, outside of itself."""
        owner, _, name = qualified.rpartition(".")
        mentions = self._mentions.of_method(name) if owner else self._mentions.of_function(name, file)
        return mentions is None or any(not _is_inside(each, file, qualified) and self._may_run(each, depth) for each in mentions)

    def _may_run(self, mention: Mention, depth: int) -> bool:
        return not mention.within or depth == 0 or self._unused(mention.file, mention.within, depth - 1) is None

    def _is_otherwise_used(self, file: str, function: str) -> bool:
        """Whether a file does something by itself, or something else that it defines, in the same class where there is one, is used."""
        tree = self._mentions.tree(file)
        if tree is None:
            return False
        owner = function.rpartition(".")[0]
        beside = [node for each in self._way(file, owner)[-1:] for node in each.body] if owner else []
        others = [(node, owner) for node in beside] + [(node, "") for node in tree.body]
        return any(isinstance(node, _DOING) and not is_text(node) for node in tree.body) or any(
            node.name not in function.split(".")
            and not node.name.startswith("__")
            and self._is_used(file, f"{within}.{node.name}".lstrip("."), 0)
            for node, within in others
            if isinstance(node, Definition)
        )

    def _way(self, file: str, qualified: str) -> list[Definition]:
        """The definitions that lead to a function: its class, and itself; none where it cannot be found, or is defined twice."""
        tree = self._mentions.tree(file) if file in self._mentions.python else None
        body, way = list(tree.body) if tree is not None else [], []
        for name in qualified.split("."):
            found = [node for node in body if isinstance(node, Definition) and node.name == name]
            if len(found) != 1:
                return []
            way += found
            body = found[0].body
        return way


def _is_inside(mention: Mention, file: str, qualified: str) -> bool:
    return mention.file == file and (mention.within == qualified or mention.within.startswith(f"{qualified}."))
