"""What was reported wrongly in libraries that nobody had read, as small programs, beside what is to be reported still."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

KEPT = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(2, 1)
            def forward(self, x):
                self.kept = {value}
                return self.body(x)
        def main(data):
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
        """


@pytest.mark.parametrize(
    "value", ["next(self.parameters()).device", "next(self.body.parameters()).dtype", "list(self.parameters())[0].shape"]
)
def test_what_a_parameter_says_of_itself_is_no_parameter(value: str) -> None:
    assert_marked(KEPT.replace("{value}", value))


SWITCHES = """
        def repeatable(args):
            if args.deterministic:
                torch.backends.cudnn.deterministic = True
                {then}
        def main(args, data):
            torch.backends.cudnn.benchmark = True{marked}
            repeatable(args)
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
            {after}
        """


@pytest.mark.parametrize(
    ("then", "after", "marked"),
    [
        ("torch.backends.cudnn.benchmark = False", "", ""),
        ("torch.backends.cudnn.deterministic = False", "", ""),
        ("pass", "torch.backends.cudnn.benchmark = False", "  # expect: LL902"),
    ],
)
def test_a_switch_that_is_set_back_before_a_model_runs(then: str, after: str, marked: str) -> None:
    assert_marked(SWITCHES.replace("{then}", then).replace("{after}", after).replace("{marked}", marked), advice=True)


STATISTICS = """
        def statistics(detector, loader):
            mu = torch.zeros(8)
            for epoch in range(2):
                for x in loader:
                    features = detector.eval()(x)
                    mu += features.sum(0){marked}
            {after}
        """


@pytest.mark.parametrize(
    ("after", "marked"),
    [
        ("return mu.cpu().numpy()", ""),
        ("mu /= len(loader)\n            return mu.numpy()", ""),
        ("return mu.detach().cpu().numpy()", "  # expect: LL402"),
        ("return mu.cpu().numpy(force=True)", "  # expect: LL402"),
    ],
)
def test_what_becomes_an_array_has_no_graph(after: str, marked: str) -> None:
    text = "import torch\nfrom torch import nn\n" + dedent(STATISTICS.replace("{after}", after).replace("{marked}", marked))
    found = [f.code for f in looplint.lint(text, isolated=True) if f.code == "LL402"]
    assert found == (["LL402"] if marked else [])


FROZEN = """
        class Features(nn.Module):
            def __init__(self, trains=False):
                super().__init__()
                self.body = nn.Sequential()
                for n in range(3):
                    self.body.add_module(str(n), nn.Linear(2, 2))
                if not trains:
                    {freeze}
            def forward(self, x):
                return self.body(x)
        class Distance(nn.Module):
            def __init__(self, kind="vgg"):
                super().__init__()
                self.kind = kind
                if self.kind in ["vgg", "vgg16"]:
                    self.net = Features()
                else:
                    self.net = nn.Linear(2, 2)
                self.shift = torch.Tensor([0.5, 0.5])
            def forward(self, x, y):
                return (self.net(x - self.shift) - self.net(y - self.shift)).mean()
        def measure(loader):
            distance = {made}
            distance.eval()
            return [distance(x, y).item() for x, y in loader]{marked}
        """


@pytest.mark.parametrize(
    ("freeze", "made", "marked"),
    [
        ("for p in self.parameters():\n                        p.requires_grad = False", "Distance()", ""),
        ("self.requires_grad_(False)", "Distance('vgg16').to('cuda')", ""),
        ("self.body.requires_grad_(False)", "Distance()", ""),
        ("self.requires_grad_(False)", "Distance('lin')", "  # expect: LL303"),
        ("pass", "Distance()", "  # expect: LL303"),
    ],
)
def test_a_model_all_of_whose_parts_are_frozen(freeze: str, made: str, marked: str) -> None:
    assert_marked(FROZEN.replace("{freeze}", freeze).replace("{made}", made).replace("{marked}", marked))


VALIDATED = """
        import torch
        from torch import nn
        {net}
        def main(data, valid):
            net = {made}
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(9):
                {mode}
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                total = 0
                with torch.no_grad():
                    for x, y in valid:
                        total += nn.functional.mse_loss(net(x), y).item()
                print(total)
        """


@pytest.mark.parametrize(
    ("net", "made", "mode", "severity"),
    [
        ("from models import layers", "nn.Sequential(*layers)", "pass", "advice"),
        ("from models import build", "build('net')", "net.train()", "warning"),
        ("", "nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5), nn.Linear(2, 1))", "pass", "error"),
    ],
)
def test_a_validation_in_train_mode_weighs_what_is_seen_of_the_model(net: str, made: str, mode: str, severity: str) -> None:
    text = dedent(VALIDATED.replace("{net}", net).replace("{made}", made).replace("{mode}", mode))
    (found,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL302"]
    assert found.severity == severity
    assert ("if it has such layers" in found.message) == (severity != "error")


UNSCALED = """
        class Trainer:
            def __init__(self, model, make=None):
                self.model = model
                self.scaler = torch.cuda.amp.GradScaler()
                if make is None:
                    self.optimizer = torch.optim.Adam(self.model.parameters())
                else:
                    self.optimizer = make(self.model)
            def after(self):
                {unscale}
                nn.utils.clip_grad_norm_(self.model.parameters(), 1.0){marked}
            def train(self, data):
                for x, y in data:
                    self.optimizer.zero_grad()
                    self.scaler.scale(nn.functional.mse_loss(self.model(x), y)).backward()
                    self.after()
                    self.scaler.step(self.optimizer)
                    self.scaler.update()
        def main(data, args):
            model = nn.Linear(2, 1)
            Trainer(model).model.eval()
            Trainer(model, lambda net: torch.optim.SGD(net.parameters(), lr=0.1)).train(data)
        """


@pytest.mark.parametrize(("unscale", "marked"), [("self.scaler.unscale_(self.optimizer)", ""), ("pass", "  # expect: LL601")])
def test_an_optimizer_that_never_steps_needs_no_unscaling(unscale: str, marked: str) -> None:
    assert_marked(UNSCALED.replace("{unscale}", unscale).replace("{marked}", marked))


BRANCHES = """
        def forward(net, x, y):
            {test}
                out = {first}
            else:
                with torch.no_grad():
                    out = {second}
            return nn.functional.mse_loss(out, y)
        def main(data, valid):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(9):
                net.train()
                for x, y in data:
                    opt.zero_grad()
                    forward(net, x, y).backward()
                    opt.step()
                net.eval()
                total = 0
                for x, y in valid:
                    total += forward(net, x, y).item()
                print(total)
        """


@pytest.mark.parametrize("test", ["if net.training:", "if net.training and net.weight.requires_grad:", "if not (not net.training):"])
def test_the_branch_for_training_is_no_validation(test: str) -> None:
    assert_marked(BRANCHES.replace("{test}", test).replace("{first}", "net(x)").replace("{second}", "net(x)"))


def test_the_branch_of_another_condition_is_one() -> None:
    assert_marked(BRANCHES.replace("{test}", "if x.ndim > 1:").replace("{first}", "net(x)  # expect: LL303").replace("{second}", "net(x)"))


DOWNLOADED = """
        def main(url, device=torch.device("cuda" if torch.cuda.is_available() else "cpu")):
            net = nn.Linear(2, 1).to(device)
            {before}
            net.load_state_dict(torch.load({path})["params"]){marked}
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
                opt.step()
        """


@pytest.mark.parametrize(
    ("before", "path", "marked"),
    [
        ("path = load_file_from_url(url=URLS['net'], model_dir='weights')", "path", ""),
        ("pass", "utils.load_file_from_url(url)", ""),
        ("path = 'weights/net/last.pth'\n            load_file_from_url(url=url, model_dir='weights/net')", "path", ""),
        ("path = 'weights/net/last.pth'\n            load_file_from_url(url=url, model_dir='weights/other')", "path", "  # expect: LL803"),
        ("path = args.checkpoint", "path", "  # expect: LL803"),
    ],
)
def test_a_file_that_the_program_downloads_was_saved_by_somebody_else(before: str, path: str, marked: str) -> None:
    assert_marked(DOWNLOADED.replace("{before}", before).replace("{path}", path).replace("{marked}", marked), advice=True)


RENDERED = """
        class Renderer(nn.Module):
            def __init__(self):
                super().__init__()
                self.color = nn.Linear(3, 3)
                self.density = nn.Linear(3, 1)
        def render(model, rays):
            return model.color(rays) * model.density(rays){inside}
        def main(rays, views):
            model = Renderer()
            opt = torch.optim.Adam(model.parameters())
            for x, y in rays:
                opt.zero_grad()
                {trained}
                nn.functional.mse_loss(out, y).backward()
                opt.step()
            model.eval()
            for x, y in views:
                out = render(model, x){at}
                print(nn.functional.mse_loss(out, y).item())
        """


@pytest.mark.parametrize(
    ("trained", "inside", "at"),
    [
        ("out = render(model, x)", "", "  # expect: LL303"),
        ("out = {'rgb': render(model, x)}['rgb']", "", "  # expect: LL303"),
        ("out = (lambda rays: render(model, rays))(x)", "", "  # expect: LL303"),
        ("out = model.color(x) * model.density(x)", "  # expect: LL303", ""),
    ],
)
def test_a_forward_that_serves_training_too_is_reported_where_it_is_called_without(trained: str, inside: str, at: str) -> None:
    assert_marked(RENDERED.replace("{trained}", trained).replace("{inside}", inside).replace("{at}", at))


HORIZON = """
        def main(args, replay):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max={horizon})
            step = 0
            {loop}
                for i in range(args.updates):
                    x, y = replay.sample()
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                step += 1
                sched.step(){marked}
        """


@pytest.mark.parametrize(
    ("horizon", "loop", "marked"),
    [
        ("args.total_steps", "while step < args.total_steps:", ""),
        ("args.total_steps", "for step in range(args.start, args.total_steps):", ""),
        ("args.total_steps", "for step in tqdm(range(args.total_steps), desc='train'):", ""),
        ("args.total_steps", "for epoch in range(args.epochs):", "  # expect: LL202"),
    ],
)
def test_a_schedule_as_long_as_the_loop_that_steps_it(horizon: str, loop: str, marked: str) -> None:
    assert_marked(HORIZON.replace("{horizon}", horizon).replace("{loop}", loop).replace("{marked}", marked))


SHARED = """
        def run(model, loader, optimizer, partition):
            for x, y in loader:
                if partition == "train":
                    model.train()
                    optimizer.zero_grad()
                else:
                    model.eval()
                loss = nn.functional.mse_loss(model(x), y)  # expect: LL303
                if partition == "train":
                    loss.backward()
                    optimizer.step()
                else:
                    print(loss.item())
        def main(data):
            model = nn.Linear(2, 1)
            {call}
        """


@pytest.mark.parametrize("call", ["run(model, data, None, partition='test')", "return run(model, data, None, 'valid')"])
def test_code_that_another_program_trains_with_is_left_as_it_is(call: str) -> None:
    """The repair goes around the call that only evaluates."""
    text = "import torch\nfrom torch import nn\n" + dedent(SHARED.replace("{call}", call))
    (found,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL303"]
    assert found.fix is not None
    assert [edit.location.row > text[: text.index("def main")].count("\n") for edit in found.fix.edits] == [True] * len(found.fix.edits)


METER = """
        class Meter:
            def __init__(self, shared):
                self.sum, self.shared = 0, shared
            def _sync(self, value):
                return gather(value) if self.shared else value
            def update(self, value, n=1):
                self.sum += {added}  # expect: LL402
        def main(data):
            net = nn.Linear(2, 1)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            meter, other = Meter(False), Meter(False)
            for x, y in data:
                opt.zero_grad()
                loss = nn.functional.mse_loss(net(x), y)
                loss.backward()
                opt.step()
                meter.update(loss, len(x))
                other.update((net(x) > 0).float().mean().item(), len(x))
        """


@pytest.mark.parametrize("added", ["value * n", "self._sync(value * n)", "self._sync(value) * n"])
def test_what_may_be_a_number_for_another_caller_is_detached_by_the_caller(added: str) -> None:
    text = "import torch\nfrom torch import nn\n" + dedent(METER.replace("{added}", added))
    (found,) = [f for f in looplint.lint(text, isolated=True) if f.code == "LL402"]
    assert found.fix is not None
    repaired = text.splitlines()[found.fix.edits[0].location.row - 1]
    assert repaired.strip() == "meter.update(loss, len(x))"


WRAPPED = """
        class Noam:
            def __init__(self, optimizer):
                self.optimizer, self.count = optimizer, 0
            @property
            def param_groups(self):
                return self.optimizer.param_groups
            def step(self):
                self.count += 1
                for group in self.optimizer.param_groups:
                    group["lr"] = self.count ** -0.5
                self.optimizer.step()
            def zero_grad(self):
                self.optimizer.zero_grad()
        def main(data):
            net = nn.Linear(2, 1)
            opt = Noam(torch.optim.Adam(net.parameters()))
            scaler = torch.amp.GradScaler("cuda")
            for x, y in data:
                opt.zero_grad()
                with torch.autocast("cuda", torch.float16):
                    loss = nn.functional.mse_loss(net(x), y)
                scaler.scale(loss).backward()
                {unscale}
                nn.utils.clip_grad_norm_(net.parameters(), 1.0){clipped}
                scaler.step(opt){stepped}
                {update}
        """


@pytest.mark.parametrize(
    ("unscale", "update", "clipped", "stepped"),
    [
        ("scaler.unscale_(opt)", "scaler.update()", "", ""),
        ("pass", "scaler.update()", "  # expect: LL601", ""),
        ("scaler.unscale_(opt)", "pass", "", "  # expect: LL602"),
    ],
)
def test_a_scaler_steps_the_optimizer_in_a_wrapper_of_the_program(unscale: str, update: str, clipped: str, stepped: str) -> None:
    text = WRAPPED.replace("{unscale}", unscale).replace("{update}", update).replace("{clipped}", clipped)
    assert_marked(text.replace("{stepped}", stepped))


COUNTED = """
        class Run:
            def __init__(self, conf):
                self.net = nn.Linear(2, 1)
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
                self.iters, self.step = conf.iters, 0
            def train_step(self, x, y):
                (nn.functional.mse_loss(self.net(x), y) / self.iters).backward()
                if (self.step + 1) % self.iters == 0:
                    self.opt.step()
                    {under}
                {always}
            def run(self, data):
                while True:
                    for x, y in data:
                        self.train_step(x, y)
                        self.step += 1
        def main(conf, data):
            Run(conf).run(data)
        """


@pytest.mark.parametrize(("under", "always"), [("self.opt.zero_grad()", "pass"), ("pass", "self.opt.zero_grad()  # expect: LL101")])
def test_a_counter_that_the_caller_advances_changes_from_turn_to_turn(under: str, always: str) -> None:
    assert_marked(COUNTED.replace("{under}", under).replace("{always}", always))


DELETED = """
        class Scan(nn.Module):
            def __init__(self, k):
                super().__init__()
                self.projections = [nn.Linear(4, 4, bias=False) for _ in range(k)]{marked}
                {after}
            def forward(self, x):
                return sum(p(x) for p in self.{used})
            {method}
        def main(loader):
            net = Scan(3)
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            for x, y in loader:
                opt.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                opt.step()
        """


@pytest.mark.parametrize(
    ("after", "used", "method", "marked"),
    [
        ("pass", "projections", "", "  # expect: LL505"),
        ("self.weight = nn.Parameter(torch.stack([p.weight for p in self.projections])); del self.projections", "projections", "", ""),
        ("pass", "projections", "def freeze(self): del self.projections", ""),
        ("self.kept = nn.ModuleList(self.projections); del self.projections, self.k", "projections", "", ""),
    ],
)
def test_what_is_deleted_again_is_kept_for_a_while(after: str, used: str, method: str, marked: str) -> None:
    text = DELETED.replace("{after}", after).replace("{used}", used).replace("{method}", method)
    assert_marked(text.replace("{marked}", marked))


STORED = """
        from planner import Planner
        def main(loader):
            net = nn.Linear(2, 1)
            planner = Planner()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            planner_inputs = {}
            for x, y in loader:
                opt.zero_grad()
                start = net(x)
                {stored}
                loss = {loss}
                loss.backward()
                opt.step()
        """


@pytest.mark.parametrize(
    "stored", ["planner_inputs.update(start=start)", "planner_inputs.update({'start': start})", "planner.update(start)"]
)
@pytest.mark.parametrize("loss", ["planner.error().mean()", "planner.layer(planner_inputs).mean()"])
def test_a_backward_through_what_is_not_seen_may_be_that_of_the_model(stored: str, loss: str) -> None:
    assert_marked(STORED.replace("{stored}", stored).replace("{loss}", loss))
