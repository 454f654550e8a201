"""The recorded process: hooks torch, runs the script as `python script.py` would, and writes at the end how it went.

Started as a file, with the options as one JSON argument; the parent is `looplint.runtime.streams.record`.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import json
import os
import random
import signal
import sys
import threading
import time
import traceback
import types
import weakref
from typing import Any

QUIET = 5.0  # seconds without an event after which threads are not waited for any longer
PACKAGE_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))


def main() -> None:
    # Started as a file, so the first entry is this file's folder; the script's goes there instead.
    sys.path[0] = PACKAGE_ROOT
    if sys.argv[1] == "--serve":
        _serve()
    else:
        _run_script(json.loads(sys.argv[1]))


def _serve() -> None:
    """Imports torch once, and runs in a fork each script that a line of input names."""
    import torch._dynamo  # noqa: F401 (imported for the forks, like the hooks)

    import looplint.runtime.recording.hooks  # noqa: F401

    for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]  # private: nothing public lists them
        finalizer.atexit = False  # torch's take its libraries down, for as long as a small script runs, in a fork that ends anyway
    gc.collect()
    gc.freeze()  # a collection in a fork would have every page of it copied
    # The forks have pipes of their own; the scripts must not see those of the parent.
    requests, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    for line in requests:
        request = json.loads(line)
        process = os.fork()
        if process == 0:
            _leave(_status(request))
        answers.write(json.dumps({"process": process}) + "\n")
        answers.flush()
        _, status = os.waitpid(process, 0)
        answers.write(json.dumps({"exit": os.waitstatus_to_exitcode(status)}) + "\n")
        answers.flush()


def _status(request: dict[str, Any]) -> int:
    """Runs a request's script in this fork; its exit status."""
    try:
        _become(request)
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        return error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:  # noqa: BLE001 (nothing of this fork may return to the loop of the process it came from)
        traceback.print_exc()
        return 1
    return 0


def _leave(status: int) -> None:
    """Ends a fork as Python would, without tearing down the modules."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]  # private: what the interpreter calls at its end
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _become(request: dict[str, Any]) -> None:
    """Turns a fork into what a fresh process would be, and runs the script in it."""
    os.setsid()
    for target, path, flags in ((0, os.devnull, os.O_RDONLY), (1, request["out"], os.O_WRONLY), (2, request["err"], os.O_WRONLY)):
        opened = os.open(path, flags)
        os.dup2(opened, target)
        os.close(opened)
    os.closerange(3, 64)  # the pipes among them
    os.environ.update(request["environment"])
    os.chdir(request["cwd"])
    _run_script(request["settings"])


def _run_script(options: dict[str, Any]) -> None:
    if options.get("trace") and hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, open(options["trace"], "w"), all_threads=False)  # noqa: SIM115 (used until the end)
    import torch

    from looplint.runtime.recording.limits import StepLimit
    from looplint.runtime.recording.spawned import end_children

    _seed(options)
    recorder = _record(options) if options.get("stream") else None
    # Only the script's own modules are to be found: the package's folder may hold others of the same names.
    sys.path[0] = options["path"]
    sys.argv = [options["script"], *options["arguments"]]
    gc.collect()
    gc.freeze()  # what exists now is none of the script's: the search for live graphs passes over it
    if options.get("ready"):
        open(options["ready"], "w").close()  # from here on the script's time limit counts
    if options.get("placed"):
        from looplint.runtime.recording import placed

        placed.install()
    began, worked = time.perf_counter(), time.process_time()
    end: dict[str, Any] = {"record": "end", "outcome": "finished", "exit": 0}
    failure: BaseException | None = None
    try:
        _run(options)
        if recorder is not None:
            _wait_for_threads(recorder.tape)
    except StepLimit as limit:
        end.update(outcome="step-limit", message=str(limit))
        end_children()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        end.update(outcome="exit", exit=code, message=str(error.code) if isinstance(error.code, str) else "")
        failure = error
    except BaseException as error:  # noqa: BLE001 (whatever ends the script is part of the record; it is raised again as exit status)
        end.update(outcome="crashed", exit=1, error=_describe(error))
        failure = error
    if recorder is not None and recorder.limits.aside and end["outcome"] in ("finished", "crashed"):
        # The thread that trains was ended, and whatever became of the rest of the script is due to that.
        end, failure = {"record": "end", "outcome": "step-limit", "exit": 0, "message": recorder.limits.reached}, None
    end["wall"], end["cpu"] = time.perf_counter() - began, time.process_time() - worked
    end["threads"] = torch.get_num_threads()
    if recorder is not None:
        recorder.finish(end)
    if options.get("result"):
        with open(options["result"], "w", encoding="utf-8") as stream:
            json.dump(end, stream)
    if isinstance(failure, SystemExit):
        raise failure
    if failure is not None:
        _print_user_traceback(failure)
        raise SystemExit(1)


def _wait_for_threads(tape: Any) -> None:
    """Waits for the threads that Python waits for at its end, as long as they are seen to train: what they do is part of the run."""
    others = [thread for thread in threading.enumerate() if thread is not threading.current_thread() and not thread.daemon]
    for end in reversed(getattr(threading, "_threading_atexits", ()) if others else ()):
        end()  # threads of pools wait for work otherwise
    seen, quiet = (0, 0), 0.0
    # Some end when the script's first thread has, which is here.
    while quiet < QUIET and (others := [thread for thread in others if thread.is_alive()]):
        others[0].join(0.1)
        quiet = quiet + 0.1 if seen == (tape.events, tape.steps) else 0.0
        seen = tape.events, tape.steps


def _record(options: dict[str, Any]) -> Any:
    """Installs the hooks. They import torch, which this process does only once it has a script to run."""
    from looplint.runtime.recording import hooks

    return hooks.install(options, _sources(options))


def _seed(options: dict[str, Any]) -> None:
    """Seeds what a script draws from before it seeds anything itself."""
    import torch

    seed = options.get("seed")
    if seed is not None:
        random.seed(seed)
        torch.manual_seed(seed)
        if "numpy" in sys.modules:
            sys.modules["numpy"].random.seed(seed)
    if options.get("deterministic"):
        torch.use_deterministic_algorithms(True, warn_only=True)


def _run(options: dict[str, Any]) -> None:
    if options.get("module"):
        import runpy

        runpy.run_module(options["module"], run_name="__main__", alter_sys=True)
        return
    path = options["script"]
    code = _sources(options).code(path) if options.get("stream") else None
    if code is None:
        with open(path, "rb") as stream:
            code = compile(stream.read(), path, "exec", dont_inherit=True)
    # Classes of the script are pickled, and found again by loader workers, as members of __main__.
    module = types.ModuleType("__main__")
    vars(module).update({"__file__": path, "__builtins__": __builtins__, "__cached__": None, "__spec__": None})
    options["main"] = module
    sys.modules["__main__"] = module
    exec(code, vars(module))


def _sources(options: dict[str, Any]) -> Any:
    from looplint.runtime.recording.probes import Sources

    return Sources(options.get("watch") or {}, options.get("replaced") or {})


def _user_frames(error: BaseException) -> list[traceback.FrameSummary]:
    mine = os.path.abspath(__file__)
    frames = list(traceback.extract_tb(error.__traceback__))
    last = max(
        (i for i, frame in enumerate(frames) if os.path.abspath(frame.filename) == mine or frame.filename.startswith("<frozen runpy")),
        default=-1,
    )
    hooks = os.path.dirname(mine) + os.sep
    return [frame for frame in frames[last + 1 :] if not frame.filename.startswith(hooks)]


def _describe(error: BaseException) -> dict[str, Any]:
    frames = [(frame.filename, frame.lineno, frame.name) for frame in _user_frames(error)]
    return {"type": type(error).__name__, "message": str(error)[:2000], "frames": frames}


def _print_user_traceback(error: BaseException) -> None:
    """What Python would have printed, without the recorder's own frames."""
    lines = [
        "Traceback (most recent call last):\n",
        *traceback.format_list(_user_frames(error)),
        *traceback.format_exception_only(type(error), error),
    ]
    sys.stderr.write("".join(lines))


if __name__ == "__main__":
    main()
