"""What `looplint survey` tells beside its results."""

from __future__ import annotations

from looplint.commands.survey import _dashboard


def test_the_dashboard_is_named_or_how_to_get_it() -> None:
    named = "Ray's dashboard: http://127.0.0.1:8265"
    assert _dashboard("127.0.0.1:8265", "", wanted=True) == named
    assert _dashboard("127.0.0.1:8265", "3f", wanted=True) == f"{named}, with the token 3f"
    assert 'pip install "ray[default]"' in _dashboard("", "3f", wanted=True)
    assert _dashboard("", "3f", wanted=False) == ""
