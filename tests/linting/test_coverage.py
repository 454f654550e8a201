"""What is said about the loops that were judged, and about those that could not be followed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import looplint
from looplint.commands.cli import cli
from looplint.finding import Location
from looplint.linting.coverage import Coverage, FoundLoop
from places import DATA

JUDGED = """\
import torch
from torch import nn, optim


def train(loader):
    net = nn.Linear(2, 1)
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        optimizer.step()
"""
# Nothing shows who calls the function, or with what.
LOST = """\
import torch


def make():
    def train(net, loader, optimizer):
        for x in loader:
            net(x).sum().backward()
            optimizer.step()

    return {}
"""
ATTACK = """\
import torch


def attack(net, x, y):
    x.requires_grad_()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    return x + x.grad.sign()
"""
CHECKED = (
    JUDGED
    + """

def {name}({parameters}):
    net = Net(3)
    {more}
    loss = net(torch.ones(1, 2)).sum()
    loss.backward()
    assert all(p.grad is not None for p in net.parameters())
"""
)


def checked(folder: Path, *options: str, **files: str) -> Result:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return CliRunner().invoke(cli, ["check", "--no-cache", "--isolated", str(folder), *options])


def test_judged_loops_are_counted(tmp_path: Path) -> None:
    assert "Judged 1 training loop in 1 file.\n" in checked(tmp_path, judged=JUDGED).output


def test_a_loop_that_could_not_be_followed_is_named_with_the_reason(tmp_path: Path) -> None:
    output = checked(tmp_path, judged=JUDGED, lost=LOST).output
    assert "Judged 1 training loop in 1 file; 1 could not be followed:\n" in output
    assert "lost.py:7: no call of `make.train` was found" in output


@pytest.mark.parametrize("before", ["    for x, y", "        optimizer.step"])
def test_a_loop_behind_a_call_that_does_not_fit_is_not_judged(tmp_path: Path, before: str) -> None:
    indent = " " * (len(before) - len(before.lstrip()))
    text = JUDGED.replace(before, f"{indent}report(loader)\n{before}") + "\n\ndef report(loader, name):\n    print(loader, name)\n"
    output = checked(tmp_path, judged=text).output
    assert "`report(...)` ends in a TypeError: it is not given `name`" in output and "LL1" not in output


@pytest.mark.parametrize("before", ["    for x, y", "        loss.backward"])
def test_a_backward_behind_a_call_that_does_not_fit_is_a_loop_that_is_lost(tmp_path: Path, before: str) -> None:
    """Nothing steps in the file, and the gradients that are cleared say that something should."""
    indent = " " * (len(before) - len(before.lstrip()))
    text = JUDGED.replace(before, f"{indent}report(loader)\n{before}").replace("        optimizer.step()\n", "")
    text += "\n\ndef report(loader, name):\n    print(loader, name)\n"
    output = checked(tmp_path, judged=text).output
    assert "1 could not be followed" in output and "`report(...)` ends in a TypeError: it is not given `name`" in output
    assert "training loop" not in checked(tmp_path, judged=text.replace("        optimizer.zero_grad()\n", "")).output


def test_gradients_of_inputs_are_no_training_loop(tmp_path: Path) -> None:
    assert "training loop" not in checked(tmp_path, attack=ATTACK).output


@pytest.mark.parametrize("call", ["torch.ops.rwkv7_gate.backward(grad_out.contiguous(), a0)", "tape.backward(grad_out)"])
def test_the_backward_of_an_extension_is_no_training_loop(tmp_path: Path, call: str) -> None:
    text = f"import torch\n\n\ndef _backward(ctx, grad_out):\n    a0, a1 = ctx.saved_tensors\n    return tuple({call})\n"
    assert "training loop" not in checked(tmp_path, kernel=text).output


def test_a_loop_is_judged_that_goes_backward_in_a_method_called_backward(tmp_path: Path) -> None:
    text = """\
import torch
from torch import nn, optim


class Trainer:
    def __init__(self):
        self.net = nn.Linear(2, 1)
        self.optimizer = optim.SGD(self.net.parameters(), lr=0.1)

    def backward(self):
        self.loss = nn.functional.mse_loss(self.out, self.y)
        self.loss.backward()

    def update(self, x, y):
        self.out, self.y = self.net(x), y
        self.optimizer.zero_grad()
        self.backward()
        self.optimizer.step()


trainer = Trainer()
for x, y in optim.loader:
    trainer.update(x, y)
"""
    assert "Judged 1 training loop in 1 file." in checked(tmp_path, train=text).output


def test_a_loop_that_a_caller_lets_be_judged_is_judged(tmp_path: Path) -> None:
    epoch = "def epoch(net, loss_of, optimizer, x):\n    optimizer.zero_grad()\n    loss_of(net(x)).backward()\n    optimizer.step()\n"
    main = (
        "from torch import nn, optim\nfrom engine import epoch\n\nnet = nn.Linear(1, 1)\noptimizer = optim.SGD(net.parameters(), lr=0.1)\n"
        "for x in loader:\n    epoch(net, nn.MSELoss(), optimizer, x)\n"
    )
    assert "Judged 1 training loop in 1 file.\n" in checked(tmp_path, engine=epoch, main=main).output


@pytest.mark.parametrize(("required", "status"), [("50", 0), ("51", 1)])
def test_a_share_of_judged_loops_can_be_required(tmp_path: Path, required: str, status: int) -> None:
    result = checked(tmp_path, "--exit-zero", "--require-coverage", required, judged=JUDGED, lost=LOST)
    assert result.exit_code == status
    assert ("1 of 2 training loops were judged (50 %), where 51 % are required" in result.output) == bool(status)


def test_every_format_says_which_loop_was_lost(tmp_path: Path) -> None:
    for output_format in ("sarif", "github", "concise", "json", "gitlab", "junit"):
        result = checked(tmp_path, "--output-format", output_format, lost=LOST)
        assert "no call of `make.train`" in result.output, output_format
    result = checked(tmp_path, "--output-format", "json", "--statistics", lost=LOST)
    counted = json.loads(result.stdout)
    assert [(entry["name"], entry["lost"][0]["location"]["row"]) for entry in counted if entry["code"] is None] == [("coverage", 7)]
    assert result.stderr == ""
    assert checked(tmp_path, "--output-format", "concise", "--statistics", lost=LOST).output.count("no call of `make.train`") == 1


def test_many_lost_loops_are_counted_and_the_first_ones_named() -> None:
    lost = tuple(FoundLoop("train.py", n, location=Location(n, 1), reason="too large") for n in range(1, 6))
    owned = FoundLoop("train.py", -1, owner="lightning")
    text = Coverage((*lost, owned)).summary()
    assert text.count("too large") == 3
    assert text.endswith("  and 2 more, which --statistics lists\nNot judged: 1 loop that lightning runs.\n")


def test_a_caller_that_knows_less_hides_nothing(tmp_path: Path) -> None:
    """`launch` hands over objects of which nothing is known; by itself the function's loop is judged."""
    epoch = (
        "def epoch(net, loader, optimizer):\n    for x, y in loader:\n        loss = (net(x) - y).pow(2).mean()\n        loss.backward()\n"
        "        optimizer.zero_grad()\n        optimizer.step()\n"
    )
    launch = "import torch\nfrom engine import epoch\n\n\ndef launch(*parts):\n    torch.manual_seed(0)\n    epoch(*parts).backward()\n"
    output = checked(tmp_path, "--output-format", "concise", engine=epoch, launch=launch).output
    assert "engine.py:5:9: error: LL101" in output


def test_a_caller_to_whom_the_optimizer_is_one_of_two_hides_nothing(tmp_path: Path) -> None:
    """What the file by itself is certain of, its caller is not."""
    epoch = (
        "def epoch(net, loader, optimizer, steps=True):\n    for x, y in loader:\n        loss = (net(x) - y).pow(2).mean()\n        loss.backward()\n"
        "        optimizer.zero_grad()\n        optimizer.step()\n"
    )
    launch = (
        "import torch\nfrom engine import epoch\n\n\ndef launch(net, loader, made):\n    found = {}\n    found['one'] = torch.optim.SGD(made, lr=0.1)\n"
        "    found['two'] = torch.optim.Adam(made)\n    for name in found:\n        epoch(net, loader, found[name])\n"
    )
    assert "engine.py:5:9: error: LL101" in checked(tmp_path, "--output-format", "concise", engine=epoch, launch=launch).output
    # A caller that is certain of as much knows better: it clears what each call finds.
    alone = epoch.replace("        optimizer.zero_grad()\n", "").replace("    for x, y in loader:", "    for x, y in loader[:1]:")
    clears = (
        "import torch\nfrom engine import epoch\n\n\ndef launch(loader):\n    net = torch.nn.Linear(1, 1)\n    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "    for batch in loader:\n        optimizer.zero_grad()\n        epoch(net, [batch], optimizer)\n"
    )
    assert "LL101" not in checked(tmp_path, "--output-format", "concise", engine=alone, launch=clears).output


def test_a_caller_that_follows_a_class_and_judges_no_loop_of_it_hides_nothing(tmp_path: Path) -> None:
    """The finding's function is the one that the analysis begins with; the loop stands in a method that it calls."""
    solver = """\
import torch


class Solver:
    def __init__(self, net, loader, optimizer):
        self.net, self.loader, self.optimizer = net, loader, optimizer

    def fit(self):
        for epoch in range(3):
            self.epoch()

    def epoch(self):
        for x, y in self.loader:
            loss = (self.net(x) - y).pow(2).mean()
            loss.backward()
            self.optimizer.zero_grad()
            self.optimizer.step()
"""
    launch = "import torch\nfrom solver import Solver\n\nsolver = Solver(torch.nn.Linear(3, 1), [], {})\nsolver.fit()\nsolver.net.step()\n"
    output = checked(tmp_path, "--output-format", "concise", solver=solver, launch=launch).output
    assert "solver.py:16:13: error: LL101" in output


@pytest.mark.parametrize(
    ("name", "number"),
    [("lightning_automatic", "1 training loop"), ("lightning_manual", "2 training loops"), ("transformers_trainer", "4 training loops")],
)
def test_a_loop_that_a_framework_runs_over_hooks_is_judged(tmp_path: Path, name: str, number: str) -> None:
    text = (DATA / "frameworks" / f"{name}.py").read_text(encoding="utf-8")
    assert f"Judged {number} in 1 file.\n" in checked(tmp_path, fit=text).output


def test_a_hook_whose_loss_is_not_known_is_named(tmp_path: Path) -> None:
    text = "import lightning as L\n\n\nclass Fit(L.LightningModule):\n    def training_step(self, batch):\n        return {}\n"
    assert "fit.py:5: what `training_step` gives is not known to be a loss of the model" in checked(tmp_path, fit=text).output


def test_a_caller_that_was_not_followed_to_its_end_hides_nothing_of_what_needs_a_whole_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the caller does before is larger than its budget, so that it cannot tell whether the optimizer steps; the function's own file can."""
    engine = (
        "from torch import nn, optim\n\n\ndef fit(loader):\n    net = nn.Linear(2, 1)\n    optimizer = optim.SGD(net.parameters(), lr=0.1)\n"
        "    for x, y in loader:\n        optimizer.zero_grad()\n        nn.functional.mse_loss(net(x), y).backward()\n"
    )
    work = "    net(x).sum().backward()\n" * 600
    main = f"import torch\nfrom engine import fit\n\n\ndef warm(net, x):\n{work}\n\nwarm(torch.nn.Linear(2, 1), torch.ones(2))\nfit([])\n"
    for budget, small in (("interpreter.ROOT_FUEL", 600), ("roots.ROOT_FUEL", 600), ("allowances._LEAST", 60)):
        monkeypatch.setattr(f"looplint.interpreter.{budget}", small)
    assert "LL106" in checked(tmp_path, engine=engine, main=main).output
    alone = CliRunner().invoke(cli, ["check", "--no-cache", "--isolated", str(tmp_path / "main.py")])
    assert "No problems found" in alone.output


@pytest.mark.parametrize(("around", "found"), [("", True), ("@torch.no_grad()\n", False)], ids=["in any case", "without gradients"])
def test_a_caller_to_whom_a_function_is_too_large_hides_nothing_that_holds_of_its_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, around: str, found: bool
) -> None:
    """What a call may use is a part of the caller's budget; by itself the function has all of one. That gradients are off, the caller knows."""
    evaluation = (
        "def evaluate(net, loader):\n    net.eval()\n    for x, y in loader:\n        print((net(x).argmax(1) == y).sum().item())\n"
        + "    print(loader)\n" * 150
    )
    main = f"import torch\nfrom evaluation import evaluate\n\n\n{around}def main(net, loader):\n    evaluate(net, loader)\n\n\nmain(torch.nn.Linear(2, 1), [])\n"
    for budget, small in (("interpreter.ROOT_FUEL", 1000), ("roots.ROOT_FUEL", 1000), ("allowances._LEAST", 60)):
        monkeypatch.setattr(f"looplint.interpreter.{budget}", small)
    files = {"main.py": main, "evaluation.py": evaluation}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert [f.code for f in looplint.lint([tmp_path / name for name in files], isolated=True)] == (["LL303"] if found else [])


ENGINES = {
    "one of two engines": """
import deepspeed
import torch
def main(args, loader):
    net = torch.nn.Linear(2, 1)
    if args.config:
        engine, *_ = deepspeed.initialize(model=net, config=args.config)
    else:
        engine, *_ = deepspeed.initialize(model=net, model_parameters=net.parameters())
    for x, y in loader:
        engine.backward(torch.nn.functional.mse_loss(engine(x), y))
        engine.step()
""",
    "an engine that the annotation calls a module": """
import torch
def train(model: torch.nn.Module, loader):
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        model.backward(loss)
        model.step()
""",
    "an engine where no scaler is given": """
import torch
def train(model: torch.nn.Module, loader, optimizer: torch.optim.Optimizer, loss_scaler):
    for x, y in loader:
        loss = torch.nn.functional.mse_loss(model(x), y)
        if loss_scaler is None:
            model.backward(loss)
            model.step()
        else:
            loss_scaler(loss, optimizer, parameters=model.parameters())
            optimizer.zero_grad()
""",
}


@pytest.mark.parametrize("source", ENGINES.values(), ids=ENGINES)
def test_a_loop_of_an_engine_is_judged(tmp_path: Path, source: str) -> None:
    assert "Judged 1 training loop in 1 file." in checked(tmp_path, engine=source).output


@pytest.mark.parametrize("parameters", ["", "device", "tmp_path, seed=0"])
def test_a_test_that_never_steps_is_no_loop(tmp_path: Path, parameters: str) -> None:
    text = CHECKED.format(name="test_gradients", parameters=parameters, more="net.train()")
    assert "Judged 1 training loop in 1 file.\n" in checked(tmp_path, test_net="from somewhere import Net, fit\n" + text).output


@pytest.mark.parametrize(("run", "lost"), [("check()", False), ("for _ in range(9):\n    check()", True)], ids=["once", "in a loop"])
def test_a_check_of_gradients_in_a_script_that_trains_is_no_loop(tmp_path: Path, run: str, lost: bool) -> None:
    text = CHECKED.format(name="check", parameters="", more="net.train()")
    output = checked(tmp_path, script=f"from somewhere import Net, loader\n{text}\n\ntrain(loader)\n{run}\n").output
    assert "Judged 1 training loop in 1 file" in output
    assert ("could not be followed" in output) == lost


@pytest.mark.parametrize(("name", "more"), [("compute", "net.train()"), ("test_gradients", "fit(net)")])
def test_a_caller_or_other_code_may_step(tmp_path: Path, name: str, more: str) -> None:
    text = CHECKED.format(name=name, parameters="", more=more)
    assert "1 could not be followed" in checked(tmp_path, test_net="from somewhere import Net, fit\n" + text).output


@pytest.mark.parametrize("stepping", ["pruner", "env", "self.profiler"])
def test_what_steps_without_training_makes_no_loop(tmp_path: Path, stepping: str) -> None:
    text = f"import torch\n\n\ndef prune(self, model, {stepping.rpartition('.')[2]}, batches):\n    for x in batches:\n        model(x).sum().backward()\n        {stepping}.step()\n"
    assert "training loop" not in checked(tmp_path, prune=text).output


UPDATED_BY_A_SCALER = """\
import torch
from torch import nn, optim
from lib import NativeScaler


def make():
    def train(net, loader, optimizer, loss_scaler):
        for x in loader:
            optimizer.zero_grad()
            loss = net(x).sum()
            {update}

    return {{}}
"""


@pytest.mark.parametrize("update", ["loss_scaler(loss, optimizer)", "self.scaler(loss, self.optimizer, parameters=net.parameters())"])
def test_a_loop_that_a_scaler_updates_is_a_training_loop(tmp_path: Path, update: str) -> None:
    output = checked(tmp_path, lost=UPDATED_BY_A_SCALER.format(update=update)).output
    assert "Judged no training loop; 1 could not be followed:\n" in output
    assert "lost.py:11: no call of `make.train` was found" in output


@pytest.mark.parametrize("update", ["scaler(x, x.mean())", "save(loss, optimizer)", "self.scaler(loss)"])
def test_what_scales_data_or_saves_is_none(tmp_path: Path, update: str) -> None:
    assert "training loop" not in checked(tmp_path, lost=UPDATED_BY_A_SCALER.format(update=update)).output


OF_A_CONTAINER = """\
import torch


def train(net, optimizers, loader):
    net.train()
    for x, y in loader:
        {clear}
        torch.nn.functional.mse_loss(net(x), y).backward()
        {step}
"""


@pytest.mark.parametrize(
    "method",
    [
        "for each in optimizers:\n            each.{}()",
        "for name in optimizers:\n            optimizers[name].{}()",
        "for name, each in optimizers.items():\n            each.{}()",
        "for number in range(len(optimizers)):\n            optimizers[number].{}()",
        "[each.{}() for each in optimizers.values()]",
    ],
)
def test_a_loop_is_judged_that_steps_all_of_a_container(tmp_path: Path, method: str) -> None:
    source = OF_A_CONTAINER.format(clear=method.format("zero_grad"), step=method.format("step"))
    of_a_model = source.replace("net, optimizers, loader", "make, loader").replace(
        "    net.train()\n", "    net = make()\n    net.train()\n    optimizers = net.configure_optimizers()\n"
    )
    result = checked(tmp_path, "--statistics", train=source, model=of_a_model)
    assert "Judged 2 training loops in 2 files." in result.stdout + result.stderr


@pytest.mark.parametrize("broken", ["def f(:\n    pass\n", "x = " + "(" * 300 + "1" + ")" * 300 + "\n"])
def test_a_loop_of_a_file_that_could_not_be_read_is_lost(tmp_path: Path, broken: str) -> None:
    output = checked(tmp_path, judged=JUDGED, unread=JUDGED + broken).output
    assert "Judged 1 training loop in 1 file; 1 could not be followed:\n" in output
    assert "unread.py:11: the file could not be read" in output
    assert "could not be followed" not in checked(tmp_path, unread=JUDGED.replace("loss.backward()", "# loss.backward()") + broken).output


WRAPPER = """\
import torch


class Half:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def backward(self, loss):
        (loss * 128).backward()

    def step(self):
        {step}


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def backward(ctx, *grads):
        torch.autograd.backward(ctx.outputs, grads)
"""
USER = """\
import torch
from half import Half

net = torch.nn.Linear(2, 1)
optimizer = Half(torch.optim.SGD(net.parameters(), lr=0.1))
for x, y in loader:
    optimizer.optimizer.zero_grad()
    optimizer.backward(torch.nn.functional.mse_loss(net(x), y))
    optimizer.step()
"""


def test_what_goes_backward_for_its_callers_is_named(tmp_path: Path) -> None:
    # What never steps is the backward of an operation.
    assert "training loop" not in checked(tmp_path, half=WRAPPER.format(step="pass")).output
    wrapper = WRAPPER.format(step="self.optimizer.step()")
    assert "Judged 1 training loop in 1 file.\n" in checked(tmp_path, half=wrapper).output
    assert "Judged 2 training loops in 2 files.\n" in checked(tmp_path, half=wrapper, user=USER).output


def test_a_schedule_is_not_named_as_what_is_no_optimizer(tmp_path: Path) -> None:
    text = """\
import torch


def train(net, loader, found):
    optimizer = find(found)
    rate = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for x in loader:
        net(x).sum().backward()
        rate.step()
        found.stepper.step()
"""
    assert "`rate` is not known" not in checked(tmp_path, train=text).output


def test_a_step_that_a_wrapper_makes_is_not_named_as_what_is_no_optimizer(tmp_path: Path) -> None:
    text = """\
import torch
from elsewhere import scaled


class Half:
    def __init__(self, optimizer):
        self.optimizer = optimizer

    def step(self):
        self.optimizer.step()


def train(net, loader, kind):
    optimizer = Half(torch.optim.SGD(kind.parameters(), lr=0.1))
    other = Half(torch.optim.SGD(kind.others(), lr=0.1))
    for x in loader:
        scaled(net(x)).backward()
        optimizer.step()
        other.step()
"""
    output = checked(tmp_path, train=text).output
    assert "1 could not be followed" in output
    assert "is not known to be an optimizer" not in output


BY_A_CLOSURE = """\
import torch


class Beam:
    def measure(self, target):
        loss = torch.zeros(1)
        for i in range(10):
            loss = loss - torch.norm(self.state[i] - target)
        return loss

    def train(self):
        optimizer = None

        def closure():
            loss = self.measure(1.0)
            loss.backward()

        for i in range(10):
            closure()
            optimizer.{step}
"""


@pytest.mark.parametrize(("step", "said"), [("step(closure)", True), ("record(closure)", False)])
def test_a_loop_whose_closure_is_handed_to_a_step_is_not_passed_over_without_a_word(tmp_path: Path, step: str, said: bool) -> None:
    output = checked(tmp_path, beam=BY_A_CLOSURE.format(step=step)).output
    assert ("beam.py:16: the model that `loss` comes from is not known" in output) is said


BROKEN_SCRIPT = """\
import torch
from torch import nn
from elsewhere import read


class Set(torch.utils.data.Dataset):
    def __init__(self, rows, split):
        self.rows = rows


loader = torch.utils.data.DataLoader(Set(read(){given}), shuffle=True)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)


def train():
    for x in loader:
        optimizer.zero_grad()
        loss = net(x).sum()
        loss.backward()
        optimizer.step()


train()
"""


def test_a_loop_that_a_broken_script_does_not_come_to_is_named_with_what_is_broken(tmp_path: Path) -> None:
    assert (
        "train.py:20: `Set(...)` ends in a TypeError: it is not given `split`"
        in checked(tmp_path, train=BROKEN_SCRIPT.format(given="")).output
    )
    assert "TypeError" not in checked(tmp_path, train=BROKEN_SCRIPT.format(given=", split=0")).output
