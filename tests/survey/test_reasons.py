"""Why repositories failed: what is stored tells where looplint failed, and what is shown names nobody."""

from __future__ import annotations

import traceback

import pytest

from looplint.survey.judging import Refused
from looplint.survey.limits import Exceeded
from looplint.survey.reasons import general, stored

_TRACE = """\
ray::look() (pid=7, ip=10.0.0.1)
  File "/home/alan/looplint/venv/lib/python3.11/site-packages/looplint/survey/judging.py", line 110, in look
    return found
  File "{}", line 12, in <lambda>
    net = alan(x)
KeyError: 'x'
"""


@pytest.mark.parametrize(
    ("innermost", "place"),
    [
        ("/home/alan/looplint/venv/lib/python3.11/site-packages/looplint/linting/files.py", "looplint/linting/files.py"),
        ("/home/alan/my code/looplint/rules/missing_zero_grad.py", "rules/missing_zero_grad.py"),
        ("/usr/lib/python3.11/json/decoder.py", "decoder.py"),
        ("/home/alan/detector/lint/no_steps.py", "no_steps.py"),
        ("<string>", "<string>"),
    ],
)
def test_what_nobody_foresaw_is_stored_with_its_place_in_looplint(innermost: str, place: str) -> None:
    assert stored(KeyError("x"), _TRACE.format(innermost)) == f"KeyError: 'x' ({place}, line 12, in <lambda>)"


def test_what_was_foreseen_is_stored_as_it_is() -> None:
    assert stored(Refused("/home/alan/three: no such folder"), _TRACE) == "/home/alan/three: no such folder"
    assert stored(Exceeded("took more than 4 s"), _TRACE) == "took more than 4 s"
    assert stored(ConnectionError(), "") == "ConnectionError: "


def test_a_real_traceback_is_understood() -> None:
    try:
        stored(None, None)  # type: ignore[arg-type]
    except TypeError as error:
        assert "(" not in general(stored(error, ""))
        told = stored(error, "".join(traceback.format_exception(error)))
    assert told.startswith("TypeError: ") and ", line " in told and "/" not in told.partition("(")[0]


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("/home/alan smith/three: no such folder", "the repository cannot be read"),
        (
            "KeyError: Config(author=alan) (looplint/linting/files.py, line 12, in judge)",
            "KeyError in looplint/linting/files.py, line …, in judge",
        ),
        ("KeyError: alan (alan_rule.py, line 12, in <module>)", "KeyError"),
        ('KeyError: x (File "/home/alan/looplint/linting/files.py", line 12, in judge)', "KeyError"),
        ("WorkerCrashedError: The worker on alan-laptop died", "WorkerCrashedError"),
        ("alan/looplint.toml:3: `ignore`: no rule has the code 'LL999'", "…: …: no rule has the code …"),
        ("alan.toml:2: is not valid TOML: Expected =", "…: is not valid TOML: Expected ="),
        ("pyproject.toml:2: `extend` names no file: ../of alan/lint.toml", "…: … names no file: …"),
        ('[Errno 13] Permission denied: "/home/o\'alan/x"', "[Errno …] Permission denied: …"),
        ("took more than 200 MB of memory", "took more than … MB of memory"),
        ("the model that `alan` comes from is not known", "the model that … comes from is not known"),
    ],
)
def test_a_reason_that_is_shown_names_nobody(reason: str, shown: str) -> None:
    assert general(reason) == shown
