"""A survey on Ray: a task for each repository, several for a large one, and each result written as soon as it is there.

Scheduling, retries and the store of objects are Ray's. A worker process serves one task, so nothing of one repository reaches the next.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from looplint.dataclass import dataclass
from looplint.errors import UserError
from looplint.survey.datasets import Header, Store
from looplint.survey.judging import Job, Parts, conclude, identify, look, look_at_part
from looplint.survey.limits import Limits
from looplint.survey.linter_options import LinterOptions, version
from looplint.survey.reasons import stored
from looplint.survey.repositories import Repository

# What the object store of a local Ray holds: the results of the parts of large repositories.
_STORE = 200 << 20
# Repositories in flight for each processor: enough for none to wait, few enough for their results to be small.
_IN_FLIGHT = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """How a survey runs."""

    limits: Limits
    retries: int = 2
    cut: int = 2 << 20
    retry_failed: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a survey has come: of all repositories those that are done, those that were done before, and those that failed."""

    total: int
    done: int = 0
    before: int = 0
    failed: int = 0
    last: str = ""


Progress = Callable[[Standing], None]


@contextmanager
def session(address: str | None, cpus: int | None, dashboard: bool | None = None) -> Iterator[str]:
    """A Ray to run on: the cluster at an address, else one of this machine that ends with the block (`private.keep` says who may use it).

    Yields:
        The address of Ray's dashboard, or nothing where there is none.

    Raises:
        UserError: there is no cluster at the address.
    """
    if ray.is_initialized():
        yield ""
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    try:
        if address is not None:
            context = ray.init(address=address, **quiet)
        else:
            context = ray.init("local", num_cpus=cpus, object_store_memory=_STORE, include_dashboard=dashboard, **quiet)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UserError(f"Ray does not start: {str(error).strip().splitlines()[0]}") from error
    try:
        yield context.dashboard_url or ""
    finally:
        ray.shutdown()


def survey(repositories: Sequence[Repository], linter: LinterOptions, plan: Plan, store: Store, progress: Progress) -> Standing:
    """Judge repositories, and store what was found; what is known is not judged again.

    Returns:
        How it went.

    Raises:
        UserError: the folder of results cannot be written.
    """
    with store.writing():
        run = _Run(repositories, linter, plan, store, progress)
        run.identify()
        run.judge()
        return run.standing


class _Run:
    """One run of a survey."""

    def __init__(self, repositories: Sequence[Repository], linter: LinterOptions, plan: Plan, store: Store, progress: Progress) -> None:
        self.standing = Standing(len(repositories))
        self._repositories, self._linter, self._plan, self._store, self._progress = repositories, linter, plan, store, progress
        self._known = store.known()
        self._jobs: list[Job] = []
        resources = ray.cluster_resources()
        self._width = max(1, int(resources.get("CPU", 1))) * _IN_FLIGHT
        # A task that asks for more memory than any machine has would wait for ever.
        memory = min(
            plan.limits.memory, *(int(node["Resources"].get("memory", plan.limits.memory)) for node in ray.nodes() if node["Alive"])
        )
        each = {"max_calls": 1, "num_cpus": 1, "memory": memory, "max_retries": plan.retries, "retry_exceptions": True}
        self._identify = ray.remote(num_cpus=1, max_retries=plan.retries, retry_exceptions=True)(identify)
        self._look, self._part, self._conclude = (ray.remote(**each)(function) for function in (look, look_at_part, conclude))

    def identify(self) -> None:
        """Find out what each repository holds; those of which that is known, and judged in the same way, are done."""
        waiting = deque(self._repositories)
        flying: dict[Any, Repository] = {}
        found: dict[str, Job] = {}
        while flying or waiting:
            while waiting and len(flying) < self._width:
                repository = waiting.popleft()
                flying[self._identify.remote(repository, self._linter)] = repository
            for task in self._landed(flying):
                repository = flying.pop(task)
                try:
                    content = ray.get(task)
                except RayError as error:
                    self._fail(Job(repository, "", self._linter, self._plan.limits, version(), self._plan.cut), reason_of(error))
                    continue
                job = Job(repository, content, self._linter, self._plan.limits, version(), self._plan.cut)
                if self._is_known(job):
                    self._tell(before=1)
                else:
                    found[repository.name] = job
        self._jobs = [found[repository.name] for repository in self._repositories if repository.name in found]

    def judge(self) -> None:
        """Judge what is left, as many repositories at a time as there are processors for."""
        waiting = deque(self._jobs)
        flying: dict[Any, Job] = {}
        while flying or waiting:
            while waiting and len(flying) < self._width:
                job = waiting.popleft()
                flying[self._look.remote(job)] = job
            for task in self._landed(flying):
                job = flying.pop(task)
                try:
                    answer = ray.get(task)
                except RayError as error:
                    self._fail(job, reason_of(error))
                    continue
                if isinstance(answer, Parts):
                    parts = [self._part.remote(job, numbers) for numbers in answer.numbers]
                    flying[self._conclude.remote(job, *parts)] = job
                else:
                    self._store.put(_header(job), answer)
                    self._tell(done=1, last=job.repository.name)

    def _landed(self, flying: dict[Any, Any]) -> list[Any]:
        """The tasks that have ended; none where there is none in flight."""
        return list(ray.wait(list(flying), num_returns=1)[0]) if flying else []

    def _is_known(self, job: Job) -> bool:
        row = self._known.get(job.repository.name)
        if row is None or row["key"] != _header(job).key:
            return False
        return row["state"] == "done" or (row["limits"] == str(job.limits) and not self._plan.retry_failed)

    def _fail(self, job: Job, reason: str) -> None:
        self._store.fail(_header(job), reason)
        self._tell(failed=1, last=f"{job.repository.name}: {reason}")

    def _tell(self, done: int = 0, before: int = 0, failed: int = 0, last: str = "") -> None:
        standing = self.standing
        self.standing = Standing(standing.total, standing.done + done, standing.before + before, standing.failed + failed, last)
        self._progress(self.standing)


def _header(job: Job) -> Header:
    repository, linter = job.repository, job.linter
    key = linter.key(repository.name, job.content) if job.content else ""
    return Header(
        name=repository.name,
        key=key,
        kind=repository.kind,
        year=repository.year,
        content=job.content,
        looplint=job.version,
        settings=str(linter),
        limits=str(job.limits),
    )


def reason_of(error: RayError) -> str:
    """Why a task has failed, in a line."""
    if isinstance(error, RayTaskError):
        return stored(error.cause, str(error))
    return stored(error, "")
