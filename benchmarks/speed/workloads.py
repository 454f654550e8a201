"""What is linted: a script of about 100 lines, a tree of 1,000 files, and generated files of growing length."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_LOOP = """
def train_{n}(model, loader, optimizer, criterion, device, history):
    model.train()
    total = 0.0
    for step, (inputs, targets) in enumerate(loader):
        inputs, targets = inputs.to(device), targets.to(device)
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
        optimizer.step()
        total += loss.item() * inputs.size(0)
        if step % 100 == 0:
            print(f"step {{step}} loss {{loss.item():.3f}}")
    history.append(total / len(loader.dataset))
    return history


def scale_{n}(values, low={n}, high=None):
    high = max(values) if high is None else high
    if high == low:
        raise ValueError("nothing to scale")
    spread = [(value - low) / (high - low) for value in values]
    table = {{index: value for index, value in enumerate(spread) if value > 0.5}}
    return [table.get(index, 0.0) for index in range(len(spread))]

"""


def script(folder: Path) -> Path:
    """The shipped example, or else the fixture nearest to 100 lines, alone in a folder."""
    example = ROOT / "examples" / "train.py"
    fixtures = list(ROOT.glob("fixtures/*/*.py"))
    source = example if example.is_file() else min(fixtures, key=lambda p: (abs(len(p.read_text("utf-8").splitlines()) - 100), str(p)))
    folder.mkdir(parents=True)
    return Path(shutil.copyfile(source, folder / "train.py"))


def tree(folder: Path, sources: Path | None, count: int = 1000) -> Path:
    """A tree of `count` files from the given checkouts (or the fixtures), spread evenly over them; where they are too few, they repeat."""
    files = sorted(_python_files(sources or ROOT / "fixtures"))
    if not files:
        raise SystemExit(f"no Python files in {sources}")
    # Every n-th file, so that no repository fills the tree alone.
    step = max(1, len(files) // count)
    chosen = files[::step][:count]
    for number in range(count):
        source = chosen[number % len(chosen)]
        target = folder / f"part{number // 50:02d}" / f"{number:04d}_{source.stem.lower().replace('-', '_')}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
    return folder


def _python_files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*.py"):
        if path.is_file() and ".git" not in path.parts and 0 < path.stat().st_size < 200_000 and _is_utf8(path):
            yield path


def _is_utf8(path: Path) -> bool:
    try:
        path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return False
    return True


def generated(folder: Path, lines: int) -> Path:
    """A file of about this many lines, half training loops and half other code."""
    folder.mkdir(parents=True, exist_ok=True)
    block = len(_LOOP.splitlines())
    path = folder / f"lines_{lines}.py"
    path.write_text("import torch\n" + "".join(_LOOP.format(n=n) for n in range(max(1, lines // block))), encoding="utf-8")
    return path


def count_lines(target: Path) -> int:
    files = [target] if target.is_file() else sorted(target.rglob("*.py"))
    return sum(p.read_bytes().count(b"\n") for p in files)
