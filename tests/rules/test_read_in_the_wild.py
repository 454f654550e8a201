"""What was reported wrongly in repositories that nobody had read, as small programs, beside what is to be reported still."""

from __future__ import annotations

import pytest

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
    assert_marked(LOADED.replace("{moved}", moved).replace("{marked}", marked))
