"""One process with torch imported, for all the tests' runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from looplint.runtime.streams.warm import Warm


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    with Warm({"OMP_NUM_THREADS": "1"}) as process:
        yield process
