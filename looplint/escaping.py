"""Text of others (names of files, lines of source), written so that it acts on nothing that shows or reads it"""

from __future__ import annotations

import re
from typing import Any

# Each is shown as one character, so that columns stay: those below the blank by their pictures, others by the sign for what cannot be shown. They are
# control characters, which move the cursor or rename the window; characters that turn or hide what follows; line ends; halves of pairs, which stand for bytes
# that are no UTF-8.
_SHOWN = {
    **{code: chr(0x2400 + code) for code in range(32)},
    0x7F: "\u2421",
    **dict.fromkeys(
        (*range(0x80, 0xA0), 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF), "\ufffd"
    ),
    **dict.fromkeys(range(0xFFF9, 0xFFFC), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),
}
# What JSON may hold as it is, and a terminal or an editor that shows the JSON acts on; and halves of pairs, which UTF-8 has not.
_IN_JSON = r"(?<=##)\[|[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
# GitHub's runner takes `##[error]` for a command wherever it stands in a line, and `::error::` where a line begins with it.
_COMMAND, _NO_COMMAND = "##[", "##\u2772"


def visible(text: str) -> str:
    """A name or a line as a terminal or a page can show it: nothing in it acts, and it stays one line of as many characters."""
    shown = text if text.isascii() and text.isprintable() else text.translate(_SHOWN)
    return shown.replace(_COMMAND, _NO_COMMAND)


def shown(text: str) -> str:
    """Text of several lines, of which each can be shown."""
    return "\n".join(map(visible, text.split("\n")))


def shown_place(text: str) -> str:
    """The place at the beginning of a line: one that begins as a command of GitHub's runner does is written as a path."""
    return f"./{shown}" if (shown := visible(text)).lstrip().startswith("::") else shown


def json_text(data: Any, indent: int | None = None) -> str:
    """JSON that is UTF-8 whatever is in it: bytes of names that are none are kept as escapes, which Python reads as the names."""
    import json

    return re.sub(_IN_JSON, lambda found: f"\\u{ord(found[0]):04x}", json.dumps(data, indent=indent, ensure_ascii=False))


def escaped(text: str) -> str:
    """Text for a page or an image: no markup, and nothing that XML cannot hold."""
    from html import escape

    return escape(visible(text))
