from dataclasses import dataclass
from pathlib import Path
class SourceError(Exception): ...
@dataclass(frozen=True)
class Source:
    path: Path | None
    display: str
    text: str
def read_source(path):
    p = Path(path)
    try:
        return Source(p.resolve(), str(p), p.read_text())
    except (OSError, UnicodeDecodeError) as e:
        raise SourceError(str(e))
