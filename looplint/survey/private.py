"""What Ray is told by its environment, which it reads when it is imported."""

from __future__ import annotations

import os
import secrets


def keep() -> str:
    """Let nobody else use the Ray that this process starts, and let it tell nobody of its use; to be called before Ray is imported.

    Ray listens on all addresses of a machine, and executes what it is sent. A token that only this process and those that it starts know keeps others out.

    Returns:
        The token, which Ray's dashboard asks for; nothing where the user has said how others are kept out.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # What Ray's own watch over the memory of a machine ends is tried again as often as what ends otherwise, and not for ever.
    os.environ.setdefault("RAY_task_oom_retries", "3")
    if "RAY_AUTH_MODE" in os.environ:
        return ""
    token = secrets.token_hex(32)
    os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=token)
    return token
