"""Every option of a configuration file, declared once: reading, `looplint config`, the JSON schema and the reference are rendered from this table."""

from __future__ import annotations

from typing import Literal

from looplint.dataclass import dataclass
from looplint.finding import SEVERITIES
from looplint.knowledge.own import KINDS
from looplint.settings.formats import FORMATS
from looplint.settings.values import EXCLUDED
from looplint.sources.languages import LANGUAGES

Kind = Literal[
    "flag",
    "choice",
    "version",
    "file",
    "files",
    "rules",
    "patterns",
    "rules by pattern",
    "severities by rule",
    "names by kind",
    "languages by ending",
]
# How long values of a child and of the file it extends come together.
Merge = Literal["replace", "add", "by key"]


@dataclass(frozen=True, slots=True)
class Option:
    """One key of `[tool.looplint]`: what it is called, what it holds, and what a reader has to know of it."""

    name: str
    kind: Kind
    help: str
    example: str
    default: object = ()
    merge: Merge = "replace"
    choices: tuple[str, ...] = ()

    @property
    def attribute(self) -> str:
        """What the option is called in code and on the command line's side."""
        return self.name.replace("-", "_")


OPTIONS: tuple[Option, ...] = (
    Option(
        "extend", "file",
        "Another configuration file, whose values apply where this one sets none. Its `extend-...` lists and its tables are added to; paths and patterns in it "
        "are relative to its own folder.",
        '"../looplint.toml"', None,
    ),
    Option("select", "rules", "The rules to run instead of the default ones: codes, prefixes of codes, names, or `ALL`.", '["LL1", "missing-eval-mode"]'),
    Option("extend-select", "rules", "Rules to run in addition to the selected or the default ones.", '["LL402"]', merge="add"),
    Option("ignore", "rules", "Rules not to run. If a rule is both selected and ignored, the more specific selector wins, and `ignore` wins a tie.", '["LL303"]'),
    Option(
        "per-file-ignores", "rules by pattern",
        "Rules not to report in files that match a pattern (as in a `.gitignore`). The file of the finding counts.",
        '{ "tests/**" = ["LL3"], "scripts/legacy.py" = ["ALL"] }', merge="by key",
    ),
    Option(
        "exclude", "patterns",
        "Files and folders not to lint (as in a `.gitignore`), instead of those excluded by default: virtual environments, caches and build folders.",
        '["third_party/"]', EXCLUDED,
    ),
    Option("extend-exclude", "patterns", "Files and folders not to lint, in addition to `exclude`.", '["generated_*.py"]', merge="add"),
    Option("force-exclude", "flag", "Apply the exclusions also to paths given on the command line, as pre-commit gives them.", "true", False),
    Option(
        "extension", "languages by ending",
        "The languages of more file extensions. Files with these are linted in folders too; Markdown (`.md`) otherwise only if named.",
        '{ md = "markdown", nb = "ipynb" }', merge="by key",
    ),
    Option("fixable", "rules", "The rules whose repairs may be applied.", '["LL1"]', ("ALL",)),
    Option("unfixable", "rules", "Rules whose repairs are never applied.", '["LL301"]'),
    Option("extend-safe-fixes", "rules", "Rules whose unsafe repairs are applied as if they were safe.", '["LL105"]', merge="add"),
    Option("extend-unsafe-fixes", "rules", "Rules whose safe repairs are applied only with `--unsafe-fixes`.", '["LL301"]', merge="add"),
    Option(
        "severity", "severities by rule",
        "How much the findings of a rule matter, in place of what the analysis decides for each of them: `error`, `warning` or `advice`, by codes, beginnings of "
        "codes, or names. The longest word that names a rule decides.",
        '{ LL504 = "warning", missing-no-grad = "error" }', merge="by key",
    ),
    Option("min-severity", "choice", "Report nothing that matters less. A baseline and comments still count for all findings.", '"warning"', "advice", choices=SEVERITIES),
    Option(
        "exit-on", "choice",
        "The least severity that makes the exit code 1. Findings of a rule that is selected by its own code or name always do.", '"advice"', "warning", choices=SEVERITIES,
    ),
    Option("output-format", "choice", "How findings are printed.", '"concise"', "text", choices=FORMATS),
    Option(
        "target-torch", "version",
        "The oldest version of PyTorch that the code supports. Rules and messages follow it; the default is the current version.", '"2.4"', None,
    ),
    Option("rules", "files", "Folders with rules of your own, relative to this file. A rule file is Python. It is executed only with `--allow-rules`, or in a folder that you trust.", '["lint/rules"]', merge="add"),
    Option(
        "knowledge", "names by kind",
        "Classes and functions of your own, or of a library that looplint does not know, by kind. They are taken at their word and not analysed.",
        '{ optimizers = ["acme.optim.Lion"], wrappers = ["acme.parallel.shard"] }', merge="by key",
    ),
    Option("baseline", "file", "A baseline: the problems listed in it are not reported. `--write-baseline` writes one.", '"known.json"', None),
    Option("cache-dir", "file", "The folder of the cache.", '".cache/looplint"', None),
)  # fmt: skip

BY_NAME: dict[str, Option] = {option.name: option for option in OPTIONS}
# What a table option may have as keys, and what each means.
KEYS: dict[str, dict[str, str]] = {"knowledge": {kind: words for kind, (_, words) in KINDS.items()}}
# What the values of a table option may be, and what each means.
VALUES: dict[str, dict[str, str]] = {
    "extension": dict(LANGUAGES.items()),
    "severity": {
        "error": "the run learns wrong, crashes or reports wrong numbers",
        "warning": "the run wastes time or memory, or the program is one step away from an error",
        "advice": "nothing happens to this run",
    },
}

# What a value of each kind is called in an error.
EXPECTED: dict[Kind, str] = {
    "flag": "true or false", "choice": "one of {choices}", "version": 'a version such as "2.4"', "file": "a string with a path",
    "files": "a list of strings with paths", "rules": "a list of strings with codes or names of rules", "patterns": "a list of strings with patterns",
    "rules by pattern": "a table whose values are lists of codes or names of rules", "names by kind": "a table whose values are lists of qualified names",
    "severities by rule": "a table whose keys are codes or names of rules and whose values are severities",
    "languages by ending": "a table whose keys are endings and whose values are languages",
}  # fmt: skip
