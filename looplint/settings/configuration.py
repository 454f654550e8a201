"""Which settings are in force for a file: the nearest configuration up the tree, what it extends, and the command line above both."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from looplint.dataclass import dataclass, replace
from looplint.errors import UserError
from looplint.settings.file import NAMES, Layer, read
from looplint.settings.options import BY_NAME, OPTIONS
from looplint.settings.trust import Trust
from looplint.settings.values import Origin, Settings
from looplint.sources.reading import display_name

_MOST_EXTENSIONS = 20


class Configurations:
    """Finds and reads the configuration of each linted file, each file of it once."""

    def __init__(
        self,
        *,
        file: str | Path | None = None,
        isolated: bool = False,
        overrides: Mapping[str, Any] | None = None,
        allow_rules: bool | None = None,
        reaching: bool = True,
    ) -> None:
        """Prepare to look for configurations.

        Args:
            file: the one configuration file to use for all files.
            isolated: use none.
            overrides: what the command line says, by the names of options; it wins over all files.
            allow_rules: whether rules of one's own are executed. Where it is not given, those that the user trusts are, and others are refused.
            reaching: whether `file` may lead out of its project, as it may where the user's command line names it.

        Raises:
            UserError: `file` is missing or wrong.
        """
        self._overrides = {name: value for name, value in (overrides or {}).items() if value not in (None, ())}
        self._of_folder: dict[Path, Settings] = {}
        self._read: dict[Path, Settings] = {}
        self._fixed: Settings | None = None
        self._trust = Trust(allow_rules, Path(file).resolve() if file is not None and reaching else None)
        if isolated:
            self._fixed = self._override(Settings())
        elif file is not None:
            path = Path(file).resolve()
            self._fixed = self._settings(path)
            if self._fixed is None:
                raise UserError(f"{display_name(path)}: has no section [tool.looplint]")

    def of_file(self, path: Path) -> Settings:
        """The settings for a file.

        Raises:
            UserError: its configuration is wrong.
        """
        return self.of_folder(path.parent)

    def of_folder(self, folder: Path) -> Settings:
        """The settings for the files of a folder."""
        if self._fixed is not None:
            return self._fixed
        found = self._of_folder.get(folder)
        if found is None:
            found = self._of_folder[folder] = self._nearest(folder.resolve())
        return found

    def _nearest(self, folder: Path) -> Settings:
        passed = []
        settings: Settings | None = None
        for here in (folder, *folder.parents):
            settings = self._of_folder.get(here)
            if settings is not None:
                break
            passed.append(here)
            for name in NAMES:
                if os.path.isfile(here / name):
                    settings = self._settings(here / name)
                    if settings is not None:
                        break
            if settings is not None:
                break
        if settings is None:
            settings = self._override(Settings())
        self._of_folder.update(dict.fromkeys(passed, settings))
        return settings

    def _settings(self, path: Path) -> Settings | None:
        if path not in self._read:
            layer = read(path)
            if layer is None:
                return None
            self._read[path] = self._override(self._confined(path, _from_layers(path, self._chain(path, layer))))
        return self._read[path]

    def _chain(self, path: Path, layer: Layer) -> list[Layer]:
        """A file's layer and those of the files it extends, the furthest first."""
        layers = [layer]
        seen = {path}
        while layer.extends is not None:
            target = layer.extends
            place = layer.origins["extend"]
            if target in seen or len(layers) > _MOST_EXTENSIONS:
                raise UserError(f"{place}: `extend` forms a cycle: {display_name(target)} is extended by itself")
            if not self._trust.may_reach(path, target):
                raise UserError(_leads_out("extend", place, target, "--config names a file that may"))
            if not os.path.isfile(target):
                raise UserError(f"{place}: `extend` names no file: {display_name(target)}")
            further = read(target)
            if further is None:
                raise UserError(f"{place}: {display_name(target)} has no section [tool.looplint] to extend")
            layers.append(further)
            seen.add(target)
            layer = further
        return layers[::-1]

    def _confined(self, path: Path, settings: Settings) -> Settings:
        """Settings that do no more than the user trusts their file with.

        Raises:
            UserError: the cache or the baseline would be outside of the project.
        """
        for option, value in (("cache-dir", settings.cache_dir), ("baseline", settings.baseline)):
            if value is not None and option not in self._overrides and not self._trust.may_reach(path, Path(value)):
                raise UserError(_leads_out(option, settings.origin(option)[-1], Path(value), f"--{option} on the command line may"))
        if not settings.rules:
            return settings
        unexecuted, refusal = self._trust.unexecuted(path, settings.rules)
        return replace(settings, unexecuted=unexecuted, refusal=refusal)

    def _override(self, settings: Settings) -> Settings:
        """Put the command line above a configuration.

        `--select` replaces what the file selects, and wins over the same word in its `ignore`; `--ignore` and `--extend-select` are added.
        """
        given = self._overrides
        changed: dict[str, Any] = {}
        origins = dict(settings.origins)
        if "select" in given:
            selected = {word.lower() for word in given["select"]}
            changed["extend_select"] = ()
            changed["ignore"] = tuple(word for word in settings.ignore if word.lower() not in selected)
            origins.pop("extend-select", None)
        for name, value in given.items():
            option = BY_NAME[name]
            here = Origin("the command line")
            if option.merge == "add" or name == "ignore":
                before = changed.get(option.attribute, getattr(settings, option.attribute))
                changed[option.attribute] = (*before, *value)
                origins[name] = (*(origins.get(name, ()) if before else ()), here)
            else:
                changed[option.attribute] = value
                origins[name] = (here,)
        return replace(settings, **changed, origins=tuple(origins.items()))


def _leads_out(option: str, place: Origin, target: Path, otherwise: str) -> str:
    return (
        f"{place}: `{option}` leads out of the project, to {display_name(target)}; {otherwise}, or trust its folder with `looplint trust`"
    )


def _from_layers(path: Path, layers: Iterable[Layer]) -> Settings:
    settings = replace(Settings(), file=path)
    # The names that are left out by default are those of folders below the configuration, wherever they stand.
    values: dict[str, Any] = {"exclude": tuple((str(path.parent), name) for _, name in settings.exclude)}
    origins: dict[str, tuple[Origin, ...]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            attribute = BY_NAME[name].attribute
            before = values.get(attribute, getattr(settings, attribute))
            places = (*origins.get(name, ()), layer.origins[name])
            match BY_NAME[name].merge:
                case "add":
                    values[attribute] = (*before, *value)
                case "by key":
                    values[attribute] = tuple({**dict(before), **dict(value)}.items())
                case _:
                    values[attribute], places = value, places[-1:]
            origins[name] = places
    return replace(settings, **values, origins=tuple(origins.items()))


@dataclass(frozen=True, slots=True)
class InForce:
    """One line of `looplint config`: an option, its value, and where it was set."""

    name: str
    value: Any
    origins: tuple[Origin, ...]


def in_force(settings: Settings) -> list[InForce]:
    """Every option with its value, in the order of the table."""
    return [InForce(o.name, getattr(settings, o.attribute), settings.origin(o.name)) for o in OPTIONS if o.name != "extend"]
