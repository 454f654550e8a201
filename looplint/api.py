"""What the command line does, as functions: `looplint.lint` and `looplint.fix`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from looplint.dataclass import dataclass, field, replace
from looplint.errors import UserError
from looplint.finding import Finding, Problem, Severity
from looplint.linting import edits, fixing
from looplint.linting.files import Gathered, LintResult, forget, gather, lint_gathered
from looplint.linting.fixing import Applied
from looplint.linting.selection import Selections
from looplint.settings.configuration import Configurations
from looplint.settings.file import check_value
from looplint.sources.languages import Language, language_of
from looplint.sources.reading import Source, SourceError, decode, display_name, from_text, programs_of

PathLike = str | os.PathLike[str]
# What can be linted: a file or folder, several of them, or the text of a script.
Lintable = PathLike | Iterable[PathLike]
_TEXT = "<text>"


class UnreadError(UserError):
    """Some of what was to be linted could not be: there is no such file, it is no Python, or nobody may read it.

    `problems` says what and why, `findings` is what was found in the rest.
    """

    def __init__(self, problems: Sequence[Problem], findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)
        self.findings = list(findings)


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file with its text as it was and as it is after the repairs; of a notebook, the text of its program."""

    filename: str
    before: str
    after: str
    _old: Source = field(repr=False)
    _new: Source = field(repr=False)

    @property
    def diff(self) -> str:
        """What was changed, as a unified diff."""
        return edits.diff(self._old, self._new)

    def write(self) -> None:
        """Put the repaired file in place of the old one.

        Raises:
            UserError: it is a text without a file, or the file has changed since it was read, or cannot be written; it is then as it was.
        """
        if self._old.path is None:
            raise UserError(f"{self.filename}: is a text, not a file: use `after`")
        if problem := edits.write(self._old, self._new):
            raise UserError(str(problem))


@dataclass(frozen=True, slots=True)
class Fixed:
    """What repairing gave: the files that changed, the repairs made, and the findings that are left, which say why (`unrepaired`)."""

    files: tuple[FixedFile, ...]
    applied: tuple[Applied, ...]
    findings: tuple[Finding, ...]
    _text: str | None = field(default=None, repr=False)

    @property
    def text(self) -> str:
        """The text that was given, as it is after the repairs, changed or not; or that of the one file that changed.

        Raises:
            UserError: no text was given, and not exactly one file has changed.
        """
        if self._text is not None:
            return self._text
        if len(self.files) != 1:
            raise UserError(f"{len(self.files)} files have changed: look at `files`")
        return self.files[0].after

    @property
    def diff(self) -> str:
        """What was changed in all files, as a unified diff; nothing where nothing was."""
        return "".join(file.diff for file in self.files)

    def write(self) -> None:
        """Put all repaired files in place of the old ones.

        Raises:
            UserError: as `FixedFile.write`; the files before it are written.
        """
        for file in self.files:
            file.write()


def lint(
    what: Lintable,
    *,
    filename: PathLike | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    extend_select: Iterable[str] = (),
    target_torch: str | None = None,
    min_severity: Severity | None = None,
    config: PathLike | None = None,
    isolated: bool = False,
    allow_rules: bool | None = None,
    jobs: int = 1,
) -> list[Finding]:
    """Find what is out of place in training loops.

    Args:
        what: a file or folder, several of them, or the text of a script: a `str` with a line break in it is text, any other names a file.
        filename: the file that a text is a version of, which need not exist: findings name it, and imports and settings are found beside it.
        select: codes, prefixes of codes, or names of the rules to ask instead of the configured or default ones.
        ignore: rules to leave out.
        extend_select: rules to ask as well.
        target_torch: the oldest version of PyTorch the code runs on, such as "2.4".
        min_severity: "error" or "warning" leaves out what matters less; what is configured, or everything, where it is not given.
        config: the one configuration file to use; the one nearest to each file where it is not given, as on the command line.
        isolated: use no configuration file.
        allow_rules: whether the rules of their own that configuration files name are executed; where it is not given, those that the user trusts.
        jobs: how many processes.

    Returns:
        The findings that no comment and no setting silences, by file and place.

    Raises:
        UnreadError: something could not be linted; it holds what was found in the rest.
        UserError: a word names no rule, or a configuration is wrong.
    """
    configurations = _configurations(select, ignore, extend_select, target_torch, min_severity, config, isolated, allow_rules)
    gathered, selections = _gather(what, filename, configurations)
    return _complete(lint_gathered(gathered, selections, jobs=jobs), selections)


def fix(
    what: Lintable,
    *,
    filename: PathLike | None = None,
    unsafe: bool = False,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    extend_select: Iterable[str] = (),
    target_torch: str | None = None,
    min_severity: Severity | None = None,
    config: PathLike | None = None,
    isolated: bool = False,
    allow_rules: bool | None = None,
    jobs: int = 1,
) -> Fixed:
    """Repair what can be repaired, in memory: nothing is written until `write` is called on what is returned.

    Args:
        what: as for `lint`; so are all arguments that are not named here.
        unsafe: make the unsafe repairs too; they need a look.

    Returns:
        The repaired files, the repairs, and what is left.

    Raises:
        UnreadError: something could not be linted, and nothing was repaired.
        UserError: a word names no rule, or a configuration is wrong.
    """
    configurations = _configurations(select, ignore, extend_select, target_torch, min_severity, config, isolated, allow_rules)
    gathered, selections = _gather(what, filename, configurations)
    result = fixing.fix_gathered(gathered, selections, unsafe=unsafe, jobs=jobs)
    findings = tuple(_complete(result.linted, selections))
    files = tuple(FixedFile(new.display, old.text, new.text, old, new) for old, new in result.changed)
    text = None
    if _is_text(what):
        assert isinstance(what, str)
        text = files[0].after if files else what
    return Fixed(files, result.applied, findings, text)


def _is_text(what: Lintable) -> bool:
    return isinstance(what, str) and ("\n" in what or "\r" in what)


def _gather(what: Lintable, filename: PathLike | None, configurations: Configurations) -> tuple[Gathered, Selections]:
    # What an earlier call learned of the file system may not hold any more.
    forget()
    if _is_text(what):
        assert isinstance(what, str)
        return _of_text(what, filename, configurations)
    if filename is not None:
        raise UserError("`filename` is the name of a text; files have their own")
    names = [os.fspath(what)] if isinstance(what, (str, os.PathLike)) else [os.fspath(each) for each in what]
    selections = Selections(names, configurations=configurations)
    return gather(names, selections), selections


def _of_text(text: str, filename: PathLike | None, configurations: Configurations) -> tuple[Gathered, Selections]:
    path = Path(filename) if filename is not None else None
    name = display_name(path) if path is not None else _TEXT
    selections = Selections([name], configurations=configurations)
    selections.of_source(None)
    language = language_of(path, configurations.of_file(path).extension) if path is not None else "python"
    try:
        source = _source(text, path, name, language)
    except SourceError as error:
        return Gathered((), (*selections.refused, error.problem), (Path(name),)), selections
    programs = tuple(programs_of(source))
    for program in programs:
        selections.of_source(program)
    return Gathered(programs, (*selections.refused, *(p for program in programs for p in program.problems)), (Path(name),)), selections


def _source(text: str, path: Path | None, name: str, language: Language) -> Source:
    """A text as a source. It has no path, for it is written nowhere; what it is a version of says where its imports are."""
    if language == "ipynb":
        source = decode(text.encode("utf-8", "surrogatepass"), None, name, language)
    else:
        source = from_text(text, None, name, language)
    return replace(source, stands_for=path.resolve() if path is not None else None)


def _configurations(
    select: Iterable[str],
    ignore: Iterable[str],
    extend_select: Iterable[str],
    target_torch: str | None,
    min_severity: Severity | None,
    config: PathLike | None,
    isolated: bool,
    allow_rules: bool | None,
) -> Configurations:
    given: dict[str, object] = {"select": _words(select), "ignore": _words(ignore), "extend-select": _words(extend_select)}
    if target_torch is not None:
        check_value("target-torch", target_torch)
        given["target-torch"] = target_torch
    if min_severity is not None:
        check_value("min-severity", min_severity)
        given["min-severity"] = min_severity
    return Configurations(
        file=os.fspath(config) if config is not None else None, isolated=isolated, overrides=given, allow_rules=allow_rules
    )


def _words(words: Iterable[str]) -> tuple[str, ...]:
    """One word is often given as itself."""
    return (words,) if isinstance(words, str) else tuple(words)


def _complete(result: LintResult, selections: Selections) -> list[Finding]:
    findings = list(selections.reported(result.findings))
    if result.problems:
        raise UnreadError(result.problems, findings)
    return findings
