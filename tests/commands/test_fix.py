"""`--fix` as a user runs it: what is written, what is printed, and what happens when writing goes wrong."""

from __future__ import annotations
