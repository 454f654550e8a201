"""What mkdocs calls while it builds the site: pages that the code knows best are rendered here and stored nowhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

# mkdocs looks beside this file only; the site is to show the code that lies here, whatever is installed.
sys.path.insert(0, str(Path(__file__).parent.parent))

import looplint
from looplint.linting.catalogue import load
from website import reference, rules, verdicts

_RULES = "Rules"
# Who searches for a code or a name means its page, not one of those that mention it.
_FIRST = "---\nsearch:\n  boost: 10\n---\n\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the pages of the rules into the navigation, by what they are about."""
    for entry in config.nav or []:
        if _RULES in entry:
            entry[_RULES] = [*entry[_RULES], *_sections()]
    return config


def _sections() -> list[dict[str, Any]]:
    return [
        {f"{prefix}: {title}": [{f"{rule.code} {rule.name}": rules.address(rule)} for rule in found]}
        for prefix, title, found in rules.families(load())
    ]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the rendered pages."""
    pages = {
        "rules/index.md": rules.overview(load()),
        "configuration.md": reference.configuration(),
        "command-line.md": reference.command_line(),
        "api.md": reference.api(looplint),
        "verdicts.md": verdicts.page(load()),
        **{rules.address(rule): f"{_FIRST}{rules.page(rule)}" for rule in load()},
    }
    for address, text in pages.items():
        files.append(File.generated(config, address, content=text))
    for name, text in {"loop.svg": reference.loop("svg"), "loop.html": reference.loop("html")}.items():
        files.append(File.generated(config, f"drawn/{name}", content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put in what the code says already."""
    return reference.completed(markdown)
