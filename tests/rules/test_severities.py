"""How much a finding matters in the program at hand: what one and the same line does depends on the lines around it."""

from __future__ import annotations

import pytest

import looplint

LOOP = """
for x, y in loader:
    opt.zero_grad()
    loss = nn.functional.mse_loss(CALL, y)
    loss.backward()
    opt.step()
"""


def program(*before: str, call: str = "net(x)", imports: str = "") -> str:
    head = ["import torch", "from torch import nn, optim", *imports.splitlines(), "net = nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 1))"]
    return "\n".join([*head, *before]) + LOOP.replace("CALL", call)


ADAM = "opt = optim.Adam(net.parameters())"
FORWARD = {
    "nothing around it": (["net = net", ADAM], "net.forward(x)", "advice"),
    "a forward hook": ([ADAM, "net.register_forward_hook(print)"], "net.forward(x)", "error"),
    "a pre-hook": ([ADAM, "handle = net.register_forward_pre_hook(print)"], "net.forward(x)", "error"),
    "a backward hook": ([ADAM, "net.register_full_backward_hook(print)"], "net.forward(x)", "error"),
    "a hook of a part, which runs": ([ADAM, "net[0].register_forward_hook(print)"], "net.forward(x)", "advice"),
    "a hook of another module": ([ADAM, "other = nn.Linear(2, 2)", "other.register_forward_hook(print)"], "net.forward(x)", "advice"),
    "spectral norm as a hook": (
        ["from torch.nn.utils import spectral_norm", "net = spectral_norm(nn.Linear(2, 1))", ADAM],
        "net.forward(x)",
        "error",
    ),
    "weight norm as a hook": (["net = torch.nn.utils.weight_norm(nn.Linear(2, 1), name='weight')", ADAM], "net.forward(x)", "error"),
    "a parametrization, which needs no hook": (
        ["from torch.nn.utils.parametrizations import weight_norm", "net = weight_norm(nn.Linear(2, 1))", ADAM],
        "net.forward(x)",
        "advice",
    ),
    "sharded": (["from torch.distributed.fsdp import fully_shard", "fully_shard(net)", ADAM], "net.forward(x)", "error"),
    "compiled in place": ([ADAM, "net.compile()"], "net.forward(x)", "warning"),
    "DistributedDataParallel, whose own forward does the work": (
        ["net = nn.parallel.DistributedDataParallel(net)", ADAM],
        "net.forward(x)",
        "advice",
    ),
}
MOVES = {
    "a plain move": ([ADAM, "net.to('cuda')"], "advice"),
    "a conversion": ([ADAM, "net.double()"], "advice"),
    "a move that cannot be moved": (
        [
            "class Learner:",
            "    def __init__(self):",
            "        self.opt = optim.Adam(net.parameters())",
            "    def prepare(self):",
            "        net.cuda()",
            "learner = Learner()",
            "learner.prepare()",
            "opt = learner.opt",
        ],
        "advice",
    ),
    "state that is allocated at once": (["opt = optim.Adagrad(net.parameters(), lr=0.1)", "net.to('cuda')"], "error"),
    "a state that was loaded": ([ADAM, "opt.load_state_dict(torch.load('a.pt', map_location='cpu'))", "net.to('cuda')"], "error"),
    "a state that was loaded and is moved too": (
        [
            ADAM,
            "opt.load_state_dict(torch.load('a.pt', map_location='cpu'))",
            "net.to('cuda')",
            "for state in opt.state.values():",
            "    for k, v in state.items():",
            "        state[k] = v.cuda() if torch.is_tensor(v) else v",
        ],
        "advice",
    ),
    "the model's state": ([ADAM, "net.load_state_dict(torch.load('a.pt', map_location='cpu'))", "net.to('cuda')"], "advice"),
    "XLA": (["import torch_xla.core.xla_model as xm", ADAM, "device = xm.xla_device()", "net.to(device)"], "error"),
    "XLA by its name": ([ADAM, "net.to(torch.device('xla'))"], "error"),
    "out of the meta device": ([ADAM, "net.to_empty(device='cuda')"], "error"),
}
CUDNN = {
    "one helper sets both": (
        "def seed():\n    torch.manual_seed(0)\n    torch.backends.cudnn.deterministic = True\n    torch.backends.cudnn.benchmark = True\nseed()"
    ),
    "one function sets both, one of them where the user asks for it": (
        "if args.seed is not None:\n    torch.backends.cudnn.deterministic = True\ntorch.backends.cudnn.benchmark = True"
    ),
    "asked for in one function, undone in another": (
        "def seed():\n    torch.backends.cudnn.deterministic = True\ndef fast():\n    torch.backends.cudnn.benchmark = True\nseed()\nfast()"
    ),
}
ACCUMULATED = """
for i, (x, y) in enumerate(loader):
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    if (i + 1) % 4 == 0:
        CLIPopt.step()
        opt.zero_grad()
"""
ACCUMULATIONS = {
    "SGD": ("SGD", "", "error"),
    "Adam": ("AdamW", "", "warning"),
    "Adam with a clip": ("AdamW", "nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n        ", "error"),
}


RESUMED = """\
import torch
from torch import nn, optim

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(2, 1).to(device)
WRAPPED
net.LOADED(torch.load("checkpoint.pt"))
opt = optim.SGD(net.parameters(), lr=0.1)
for x, y in loader:
    opt.zero_grad()
    nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
    opt.step()
torch.save(net.SAVED(), "checkpoint.pt")
"""
WRAPPERS = {
    "no wrapper": ("", "", "", "warning"),
    "a wrapper where there is a GPU, with which the names in the file change": (
        "if device == 'cuda':\n    net = nn.DataParallel(net)", "", "", "advice",
    ),
    "a wrapper whose inside is saved": ("if device == 'cuda':\n    net = nn.DataParallel(net)", "module.", "module.", "warning"),
    "a wrapper in any case": ("net = nn.DataParallel(net)", "", "", "warning"),
}  # fmt: skip
UNPICKLED = """\
import torch
from torch import nn

class Estimator:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = nn.Linear(2, 1).to(self.device)
    def METHOD(self, state):
        self.model.load_state_dict(torch.load(str(state["path"])))
        self.model.to(self.device)
    def keep(self):
        torch.save(self.model.state_dict(), "last.pth")
"""
WRITTEN = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(8, 2).to(device)
other = nn.Conv2d(3, 8, 3).to(device)
net.load_state_dict(torch.load("weights.pt")STATE)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(4, 8, device=device):
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
WRITE
"""
# Who writes the file that is loaded, and what the missing `map_location` is then.
WRITERS = {
    "nobody": ("pass", "", "advice"),
    "the program": ("torch.save(net.state_dict(), 'weights.pt')", "", "warning"),
    "in an entry": ("torch.save({'net': net.state_dict(), 'lr': 0.1}, 'weights.pt')", "['net']", "warning"),
    "in each epoch": ("for epoch in range(3):\n    torch.save(net.state_dict(), f'{epoch}.pt')", "", "warning"),
    "from the CPU": ("net.to('cpu')\ntorch.save(net.state_dict(), 'weights.pt')", "", "advice"),
    "from the CPU, in an entry": ("torch.save({'net': net.cpu().state_dict()}, 'weights.pt')", "['net']", "advice"),
    "of another model": ("torch.save(other.state_dict(), 'weights.pt')", "", "advice"),
}


def severities(text: str, code: str) -> list[str]:
    return [f.severity for f in looplint.lint(text, isolated=True) if f.code == code]


@pytest.mark.parametrize("case", FORWARD)
def test_forward_by_name_matters_where_something_stands_around_the_call(case: str) -> None:
    before, call, severity = FORWARD[case]
    assert severities(program(*before, call=call), "LL504") == [severity]


@pytest.mark.parametrize("case", MOVES)
def test_a_late_move_matters_where_parameters_or_states_are_left_behind(case: str) -> None:
    before, severity = MOVES[case]
    assert severities(program(*before), "LL501") == [severity]


@pytest.mark.parametrize("text", CUDNN.values(), ids=CUDNN)
def test_both_modes_of_cudnn_change_how_operations_round(text: str) -> None:
    assert severities(program(text, ADAM), "LL902") == ["advice"]


@pytest.mark.parametrize("case", WRAPPERS)
def test_a_load_without_map_location_matters_where_the_names_fit_without_a_gpu(case: str) -> None:
    wrapped, loaded, saved, severity = WRAPPERS[case]
    text = RESUMED.replace("WRAPPED", wrapped).replace("LOADED", f"{loaded}load_state_dict").replace("SAVED", f"{saved}state_dict")
    assert severities(text, "LL803") == [severity]


@pytest.mark.parametrize(("method", "severity"), [("restore", "warning"), ("__setstate__", "advice")])
def test_a_load_matters_less_in_a_pickle_that_holds_tensors_itself(method: str, severity: str) -> None:
    assert severities(UNPICKLED.replace("METHOD", method), "LL803") == [severity]


@pytest.mark.parametrize(("write", "entry", "severity"), WRITERS.values(), ids=WRITERS)
def test_a_load_matters_where_the_program_writes_such_files_from_a_gpu(write: str, entry: str, severity: str) -> None:
    assert severities(WRITTEN.replace("WRITE", write).replace("STATE", entry), "LL803") == [severity]


@pytest.mark.parametrize("case", ACCUMULATIONS)
def test_the_scale_of_accumulated_gradients_matters_to_some_optimizers(case: str) -> None:
    optimizer, clip, severity = ACCUMULATIONS[case]
    text = program(f"opt = optim.{optimizer}(net.parameters(), lr=0.1)").partition("for x, y")[0] + ACCUMULATED.replace("CLIP", clip)
    assert severities(text, "LL108") == [severity]


def test_a_graph_matters_in_a_loop() -> None:
    after = "net.eval()\n{}print(nn.functional.mse_loss(net(a), b).item())\n"
    assert severities(program(ADAM) + after.format("for a, b in valid:\n    "), "LL303") == ["warning"]
    assert severities(program(ADAM) + after.format(""), "LL303") == ["advice"]


@pytest.mark.parametrize(("layer", "severity"), [("nn.Dropout(0.5)", "error"), ("Layer(4)", "warning"), ("nn.ReLU()", "advice")])
def test_eval_mode_matters_where_a_layer_differs(layer: str, severity: str) -> None:
    text = program(f"net = nn.Sequential(nn.Linear(2, 4), {layer}, nn.Linear(4, 1))", ADAM)
    head, loop = text.split("\nfor x", 1)
    epochs = "for epoch in range(9):\n" + "\n".join(f"    {line}" for line in f"for x{loop}".splitlines())
    after = "    net.eval()\n    with torch.no_grad():\n        for a, b in valid:\n            print(nn.functional.mse_loss(net(a), b).item())\n"
    assert severities(f"{head}\n{epochs}\n{after}", "LL301") == [severity]


RIGHT = """\
import torch
from torch import nn, optim

net = nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Linear(4, 1))
net.to("cuda")
opt = optim.SGD(net.parameters(), lr=0.1)
schedule = optim.lr_scheduler.CosineAnnealingLR(opt, T_max=9)
losses = []
for epoch in range(9):
    net.train()
    for x, y in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
    schedule.step()
    net.eval()
    with torch.no_grad():
        for a, b in valid:
            print(nn.functional.mse_loss(net(a), b).item())
"""
CLEAR, BACKWARD, STEP = "        opt.zero_grad()\n", "        loss.backward()\n", "        opt.step()\n"
CLIP = "        nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n"
MOVE, BUILD = 'net.to("cuda")\n', "opt = optim.SGD(net.parameters(), lr=0.1)\n"
BROKEN = {
    "LL101": [(CLEAR, ""), (BACKWARD, BACKWARD + CLEAR)],
    "LL102": [(CLEAR, "")],
    "LL103": [(CLIP, ""), (BACKWARD, CLIP + BACKWARD)],
    "LL104": [(CLIP, ""), (STEP, STEP + CLIP)],
    "LL105": [(STEP, ""), (BACKWARD, STEP + BACKWARD)],
    "LL110": [("loss.backward()", "loss.backward(retain_graph=True)")],
    "LL201": [("    schedule.step()\n", ""), (STEP, f"{STEP}        schedule.step()\n")],
    "LL203": [("    schedule.step()\n", ""), ("    net.train()\n", "    net.train()\n    schedule.step()\n")],
    "LL301": [("    net.train()\n", "")],
    "LL302": [("    net.eval()\n", "")],
    "LL303": [("    with torch.no_grad():\n        for", "    if True:\n        for")],
    "LL401": [("loss.item())\n    sch", "loss)\n    sch")],
    "LL501": [(MOVE, ""), (BUILD, "opt = optim.Adagrad(net.parameters(), lr=0.1)\n" + MOVE)],
}


@pytest.mark.parametrize("code", BROKEN)
def test_a_loop_that_breaks_a_plain_rule_makes_a_run_fail(code: str) -> None:
    text = RIGHT
    assert looplint.lint(text, isolated=True) == []
    for old, new in BROKEN[code]:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    assert code in {f.code for f in looplint.lint(text, isolated=True, min_severity="warning")}


OBSERVATIONS = [
    "torch.FloatTensor(state).unsqueeze(0).to('cpu')",
    "torch.from_numpy(state[None]).float()",
    "torch.as_tensor(np.expand_dims(state, 0)).float()",
    "torch.tensor([state], dtype=torch.float)",
    "torch.from_numpy(state[None, :])",
    "torch.Tensor(state).view(1, -1)",
    "torch.from_numpy(state).reshape((1, 3))",
    "torch.tensor(state.reshape(1, -1), dtype=torch.float)",
]


def acting(observation: str, loop: str) -> str:
    return f"""
import numpy as np
class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 2)
    def forward(self, x):
        return self.second(torch.relu(self.first(x)))
    def act(self, state):
        return self(({observation})).argmax(-1).item()
def fit(policy, replay):
    opt = torch.optim.Adam(policy.parameters())
    for x, y in replay:
        opt.zero_grad()
        nn.functional.mse_loss(policy(x), y).backward()
        opt.step()
def run(env, replay, states: torch.utils.data.DataLoader):
    policy = Policy()
    fit(policy, replay)
    policy.eval()
    {loop}
        action = policy.act(state)
        state, reward, done, _ = env.step(action)
"""


@pytest.mark.parametrize("observation", OBSERVATIONS)
def test_the_graph_of_one_observation_is_advice(observation: str) -> None:
    prefix = "import torch\nfrom torch import nn\n"
    steps = "state = env.reset()\n    for _ in range(1000):"
    assert severities(prefix + acting(observation, steps), "LL303") == ["advice"]
    assert severities(prefix + acting("torch.as_tensor(state)", steps), "LL303") == ["warning"]
    assert severities(prefix + acting(observation, "for state in states:"), "LL303") == ["warning"]


@pytest.mark.parametrize("choice", ["(values == values.max()).float()", "torch.nonzero(values.amax(-1) == values)"])
def test_an_output_beside_its_own_maximum_is_not_compared_with_a_target(choice: str) -> None:
    text = acting(OBSERVATIONS[0], "state = env.reset()\n    for _ in range(1000):")
    text = text.replace(f"return self(({OBSERVATIONS[0]})).argmax(-1).item()", f"values = self({OBSERVATIONS[0]})\n        return {choice}")
    assert severities("import torch\nfrom torch import nn\n" + text, "LL303") == ["advice"]


REPEATED = """
import torch
from torch import nn, optim
net = nn.Linear(2, 1)
opt = optim.SGD(net.parameters(), lr=0.1)
total = 0.0
for x, y in loader:
    {batch}
    for _ in range(3):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x), y)
        loss.backward()
        opt.step()
        total += loss
    print(total)
"""


@pytest.mark.parametrize(("batch", "severity"), [("total = 0.0", "advice"), ("pass", "warning")])
def test_a_sum_that_begins_again_with_each_batch_is_advice(batch: str, severity: str) -> None:
    text = REPEATED.format(batch=batch).replace("torch\n", "torch\nloader = torch.utils.data.DataLoader(items)\n", 1)
    assert severities(text, "LL402") == [severity]


def test_no_layer_of_a_long_sequence_differs_between_the_modes() -> None:
    layers = ", ".join(["nn.Conv1d(4, 4, 1), nn.ReLU()"] * 12)
    loop = "for epoch in range(3):\n" + "".join(f"    {line}\n" for line in LOOP.replace("CALL", "net(x)").splitlines())
    text = program(f"net = nn.Sequential({layers})", ADAM).partition("\nfor x")[0] + "\n" + loop
    text += "    net.eval()\n    with torch.no_grad():\n        for x, y in valid:\n            print(nn.functional.mse_loss(net(x), y).item())\n"
    assert severities(text, "LL301") == ["advice"]
    assert severities(text.replace("nn.ReLU()", "nn.Dropout()", 1), "LL301") == ["error"]


HORIZON = """\
import torch
from torch import nn
class Agent:
    def __init__(self, net: nn.Module, horizon):
        self.net, self.horizon = net, horizon
        self.opt = torch.optim.Adam(net.parameters())
    def update(self, z, action, target):
        loss, priority = 0, 0
        for t in range(self.horizon):
            q = self.net(z, action[t])
            loss += nn.functional.mse_loss(q, target[t])
            priority += (q - target[t]).abs()
        self.opt.zero_grad()
        loss.mean().backward()
        self.opt.step()
        return priority.detach()
"""
LOOPS = """
agent = Agent(nn.Linear(2, 1), 5)
{}
"""


@pytest.mark.parametrize(
    "loop",
    [
        "",
        "for z, action, target in loader:\n    agent.update(z, action, target)",
        "while step < 9:\n    step += 1\n    for _ in range(updates):\n        agent.update(*buffer.sample())",
    ],
)
def test_a_sum_within_one_update_is_gone_with_it(loop: str) -> None:
    assert severities(HORIZON + (LOOPS.format(loop) if loop else ""), "LL402") == ["advice"]


def test_a_sum_over_the_batches_beside_an_update_is_not() -> None:
    measured = "    total = 0\n    for x, y in valid:\n        total += nn.functional.mse_loss(net(x), y)\n    print(total)\n"
    epochs = "for epoch in range(9):\n    opt.zero_grad()\n    nn.functional.mse_loss(net(a), b).backward()\n    opt.step()\n"
    head = program("net = nn.Linear(2, 1)", ADAM).partition("\nfor x")[0]
    assert severities(f"{head}\n{epochs}{measured}", "LL402") == ["warning"]


OF_AN_UPDATE = """\
import torch
from torch import nn
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(pairs, shuffle=True)
net.train()
total = 0
for epoch in range(9):
    for i, (x, y) in enumerate(loader):
        loss = nn.functional.mse_loss(net(x), y) / 4
        total += loss
        loss.backward()
        if (i + 1) % 4 == 0:
            opt.step()
            opt.zero_grad()
            print(total)
            total = 0
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("if (i + 1) % 4 == 0:", "if (i + 1) % 4:\n            continue\n        else:"),
        ("            opt.step()\n", "            if epoch > 0:\n                opt.step()\n"),
        ("total", "self.total"),
        ("            print(total)\n", "            while pending:\n                pending.pop().wait()\n"),
    ],
)
def test_a_sum_that_the_update_sets_back_is_advice(old: str, new: str) -> None:
    text = OF_AN_UPDATE.replace(old, new) if old else OF_AN_UPDATE
    assert severities(text, "LL402") == ["advice"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("            total = 0\n", ""),
        ("            total = 0\n", "            if i > 100:\n                total = 0\n"),
        ("            total = 0\n", "        if i % 500 == 0:\n            total = 0\n"),
        ("            total = 0\n", "            count = 0\n"),
    ],
)
def test_a_sum_that_lasts_longer_than_an_update_is_not(old: str, new: str) -> None:
    assert severities(OF_AN_UPDATE.replace(old, new), "LL402") == ["warning"]


OF_AN_EPOCH = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(4, 2), nn.ReLU(), nn.Linear(2, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(pairs, shuffle=True)
net.train()
kept = []
for epoch in range(9):
    for x, y in loader:
        out = net(x)
        loss = nn.functional.mse_loss(out, x)
        opt.zero_grad()
        loss.backward()
        opt.step()
    kept.append(out)
"""


@pytest.mark.parametrize(
    ("old", "new", "severity"),
    [
        ("append(out)", "append((epoch, x, out))", "advice"),
        ("append(out)", "append(loss)", "advice"),
        ("    kept.append(out)", "    if epoch % 2:\n        kept.append({'epoch': epoch, 'images': out})", "advice"),
        ("    kept.append(out)", "        kept.append(out)", "warning"),
        ("loss.backward()", "loss.backward(retain_graph=True)", "warning"),
        ("    kept.append(out)", "    kept.append(net(x))", "warning"),
    ],
)
def test_what_is_kept_once_an_epoch_behind_its_backward_is_advice(old: str, new: str, severity: str) -> None:
    assert severities(OF_AN_EPOCH.replace(old, new), "LL401") == [severity]


HEAD = """import torch
from torch import nn, optim


def evaluate(backbone, head, loader):
    right = 0
    backbone.eval()
    head.eval()
    for x, y in loader:
        {features}
        right += (head(features).argmax(1) == y).sum().item()
    return right


def train(loader, valid):
    backbone, head = nn.Sequential(nn.Linear(8, 8), nn.ReLU()), nn.Sequential(nn.Linear(8, 2))
    opt = optim.Adam([*backbone.parameters(), *head.parameters()])
    for epoch in range(3):
        backbone.train()
        head.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(head(backbone(x)), y).backward()
            opt.step()
        print(evaluate(backbone, head, valid))
"""


@pytest.mark.parametrize(
    ("features", "severity"),
    [
        ("with torch.no_grad():\n            features = backbone(x)", "advice"),
        ("with torch.inference_mode():\n            features = torch.relu(backbone(x))", "advice"),
        ("features = backbone(x)", "warning"),
        ("features = torch.flatten(x, 1)", "warning"),
        ("with torch.no_grad():\n            skipped = backbone(x)\n        features = backbone(x) + skipped", "warning"),
    ],
)
def test_a_head_on_features_without_a_graph_costs_little(features: str, severity: str) -> None:
    assert severities(HEAD.format(features=features), "LL303")[-1:] == [severity]
