"""What a survey asks of every repository: the settings above those of its own, and this version of looplint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from looplint import __version__
from looplint.dataclass import dataclass, field
from looplint.linting.catalogue import folder
from looplint.settings.configuration import Configurations


@dataclass(frozen=True, slots=True)
class LinterOptions:
    """The options of the linter, as a command line gives them; a repository's own configuration stands below them."""

    config: str | None = None
    isolated: bool = False
    overrides: Mapping[str, Any] = field(default_factory=dict)
    allow_rules: bool | None = None

    def configurations(self) -> Configurations:
        """What finds the settings of each file; a configuration that is named is read.

        Raises:
            UserError: it is missing or wrong.
        """
        return Configurations(file=self.config, isolated=self.isolated, overrides=self.overrides, allow_rules=self.allow_rules)

    def __str__(self) -> str:
        """The same text for the same options, on every machine."""
        settings: dict[str, Any] = {**self.overrides}
        if self.isolated:
            settings["isolated"] = True
        if self.config is not None:
            settings["config"] = hashlib.blake2b(Path(self.config).read_bytes(), digest_size=8).hexdigest()
        if self.allow_rules is not None:
            settings["allow-rules"] = self.allow_rules
        return json.dumps(settings, sort_keys=True, default=str)

    def key(self, name: str, content: str) -> str:
        """What a result is known by: it is not computed again as long as all that decides it is the same."""
        return hashlib.blake2b(
            "\0".join((name, content, version(), str(self))).encode("utf-8", "surrogateescape"), digest_size=16
        ).hexdigest()


@lru_cache(maxsize=1)
def version() -> str:
    """The version of looplint with a digest of its code and its rules: a checkout changes more often than its number."""
    package = Path(__file__).parents[1]
    found = hashlib.blake2b(digest_size=6)
    for top in dict.fromkeys((package, folder())):
        for path in sorted(top.rglob("*.py")):
            found.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{__version__}+{found.hexdigest()}"
