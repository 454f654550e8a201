"""What was reported wrongly in repositories that nobody had read, as small programs, beside what is to be reported still."""

from __future__ import annotations

from textwrap import dedent

import pytest

import looplint
from programs import assert_marked

CACHE = """
        class Base(nn.Module):
            def __init__(self, conf):
                super().__init__()
                self.conf = merge(self.defaults, conf)
                self._init(self.conf)
                print(sum(p.numel() for p in self.parameters()))
        class Cached(Base):
            defaults = {"path": "", "pad": None}
            def _init(self, conf):
                self.files = {}
                self.pad_fn = conf.pad
                if self.pad_fn is not None:
                    self.pad_fn = eval(self.pad_fn){part}
            def forward(self, data):
                found = read(self.conf.path, data)
                return {use}
        def evaluate(loader, conf):
            net = Cached(conf).eval()
            scores = []
            for data in loader:
                scores.append(net(data)["score"].cpu().numpy()){marked}
            return scores
        """
MOVED = """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.body = nn.Linear(width, width)
            def forward(self, x):
                return self.body(x)
        def main(opt, data, weights, device):
            if opt.pretrained:
                net = Net(opt.width){first}
                net.load_state_dict(torch.load(weights, map_location="cpu")["net"])
            else:
                net = Net(opt.width){second}
            optimizer = torch.optim.Adam(net.parameters())
            optimizer.load_state_dict(torch.load(weights, map_location="cpu")["optimizer"])
            if opt.sync:
                net = nn.SyncBatchNorm.convert_sync_batchnorm(net).to(device){marked}
            for x, y in data:
                optimizer.zero_grad()
                nn.functional.mse_loss(net(x), y).backward()
                optimizer.step()
        """
SCHEDULES = """
        from diffusers.optimization import get_scheduler
        def main(args, data, net: nn.Module):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            schedule = get_scheduler(name={name}, optimizer=opt, num_warmup_steps=100)
            steps = 0
            for x, y in data:
                nn.functional.mse_loss(net(x), y).backward()
                schedule.step(){marked}
                {test}
                    opt.step()
                    opt.zero_grad()
                steps += 1
        """
LOADED = """
        def main(path, build, loader):
            state = torch.load(path){marked}
            net = build(10)
            net.load_state_dict(state["net"])
            if torch.cuda.is_available():
                net.cuda()
            net.eval()
            with torch.no_grad():
                for data in loader:
                    image = data["image"]
                    {moved}
                    print(net(image).argmax(1))
        """


@pytest.mark.parametrize(
    ("part", "use", "marked"),
    [
        ("", "found if self.pad_fn is None else self.pad_fn(found)", ""),
        ("\n                self.names = conf.names", "{k: found[k] for k in self.names}", ""),
        ("\n                self.body = nn.Linear(2, 2)", "self.body(found)", "  # expect: LL303"),
        ("\n                self.body = build(conf)", "self.body(found)", "  # expect: LL303"),
    ],
)
def test_a_module_that_shows_no_parameter_is_not_said_to_record_a_graph(part: str, use: str, marked: str) -> None:
    assert_marked(CACHE.replace("{part}", part).replace("{use}", use).replace("{marked}", marked))


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        (".to(device)", ".to(device)", ""),
        (".cuda()", ".to(device)", ""),
        (".to(device)", "", "  # expect: LL501"),
        ("", "", "  # expect: LL501"),
    ],
)
def test_a_model_that_each_branch_has_moved_is_moved_already(first: str, second: str, marked: str) -> None:
    assert_marked(MOVED.replace("{first}", first).replace("{second}", second).replace("{marked}", marked))


@pytest.mark.parametrize(
    ("name", "test", "marked"),
    [
        ('"constant"', "if True:", ""),
        ('"cosine"', "if steps % args.every == 0 and steps > 0:", ""),
        ('"cosine"', "if True:", "  # expect: LL203"),
        ("args.schedule", "if True:", "  # expect: LL203"),
    ],
)
def test_a_schedule_skips_its_first_value_where_it_has_several(name: str, test: str, marked: str) -> None:
    assert_marked(SCHEDULES.replace("{name}", name).replace("{test}", test).replace("{marked}", marked))


@pytest.mark.parametrize(
    ("moved", "marked"),
    [
        ("image = image.type(torch.FloatTensor).cuda()", ""),
        ("mask = torch.zeros(3).cuda()", ""),
        ("image = image.cuda() if torch.cuda.is_available() else image", "  # expect: LL803"),
        ("image = image.float()", "  # expect: LL803"),
    ],
)
def test_a_program_that_cannot_run_without_a_gpu_loads_nothing_elsewhere(moved: str, marked: str) -> None:
    assert_marked(LOADED.replace("{moved}", moved).replace("{marked}", marked), advice=True)


SKIPPED = """
        def main(data, net: nn.Module, limit, skip):
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            scaler = torch.amp.GradScaler("cuda")
            for x, y in data:
                opt.zero_grad()
                scaler.scale(nn.functional.mse_loss(net(x), y)).backward()
                scaler.unscale_(opt)
                norm = nn.utils.clip_grad_norm_(net.parameters(), limit)
                if norm > limit:
                    {test}
                        opt.zero_grad(){marked}
                        scaler.step(opt)
                        scaler.update()
                        {then}
                scaler.step(opt)
                scaler.update()
        """
DETACHED = """
        class Trainer:
            def __init__(self, build, loader, conf):
                self.net = build(conf)
                self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
                self.loader = loader
            def fit(self):
                for epoch in range(9):
                    self.net.eval()
                    images = []
                    for x, y in self.loader:
                        images.append(self.net(x).{read})
                    self.net.train()
                    for x, y in self.loader:
                        self.opt.zero_grad()
                        nn.functional.mse_loss(self.net(x), y).backward()
                        self.opt.step()
        """
CHECKPOINTED = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.gradient_checkpointing = False
                self.body = nn.Linear(2, 2)
            def forward(self, x):
                if self.training and self.gradient_checkpointing:
                    x = torch.utils.checkpoint.checkpoint(self.body, x)
                else:
                    x = self.body(x)
                return {result}
        def main(data, valid):
            net = Net()
            opt = torch.optim.SGD(net.parameters(), lr=0.1)
            net.train()
            for epoch in range(9):
                for x, y in data:
                    opt.zero_grad()
                    nn.functional.mse_loss(net(x), y).backward()
                    opt.step()
                net.eval()
                with torch.no_grad():
                    print(sum(nn.functional.mse_loss(net(x), y).item() for x, y in valid))
        """


def test_an_update_that_is_dropped_on_purpose() -> None:
    assert_marked(SKIPPED.replace("{test}", "if skip:").replace("{then}", "continue").replace("{marked}", ""))


@pytest.mark.parametrize(("read", "severities"), [("detach()", {"advice"}), ("cpu().numpy()", {"warning"})])
def test_who_detaches_what_an_unseen_model_gives_knows_of_its_graph(read: str, severities: set[str]) -> None:
    text = "import torch\nfrom torch import nn\n" + dedent(DETACHED.replace("{read}", read))
    found = [f for f in looplint.lint(text, isolated=True) if f.code == "LL303"]
    assert {f.severity for f in found} == severities
    assert {f.fix.applicability for f in found if f.fix} == ({"unsafe"} if read == "detach()" else {"safe"})


@pytest.mark.parametrize(("result", "severity"), [("x", "advice"), ("nn.functional.dropout(x, 0.5, self.training)", "error")])
def test_a_mode_that_only_saves_memory_has_no_effect(result: str, severity: str) -> None:
    text = "import torch\nfrom torch import nn\n" + dedent(CHECKPOINTED.replace("{result}", result))
    (found,) = looplint.lint(text, isolated=True)
    assert (found.code, found.severity) == ("LL301", severity)
    assert ("no effect now" in found.message) == (severity == "advice")


HALF = """
        class Critic(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(2, 1)
            def forward(self, x):
                {region}
                    return self.body(x.float())
        def main(data):
            critic = Critic().cuda()
            opt = torch.optim.SGD(critic.parameters(), lr=0.1)
            for x, y in data:
                opt.zero_grad()
                with torch.autocast("cuda", dtype=torch.float16):
                    loss = nn.functional.mse_loss(critic(x), y)
                loss.backward(){marked}
                opt.step()
        """


@pytest.mark.parametrize(("region", "marked"), [("with torch.autocast('cuda', enabled=False):", ""), ("if True:", "  # expect: LL603")])
def test_a_model_that_switches_autocast_itself(region: str, marked: str) -> None:
    assert_marked(HALF.replace("{region}", region).replace("{marked}", marked))
