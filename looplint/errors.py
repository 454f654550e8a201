"""The one kind of exception for what a user got wrong."""

from __future__ import annotations


class UserError(Exception):
    """A mistake in how looplint was called or configured: what is wrong, where, and what to do about it. Exit code 2."""
