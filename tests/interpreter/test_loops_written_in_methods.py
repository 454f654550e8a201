"""A loop in a function that a method of a base defines is that of the method: a thread runs it, and a subclass says what a turn does."""

from pathlib import Path

import pytest

import looplint
from programs import assert_marked

BASE = """
class Learner:
    def build(self):
        self.optimizers["net"] = torch.optim.Adam(self.net.parameters())

    def update(self, x, y):
        raise NotImplementedError

    def learn(self, count, source):
        self.build()
        done = 0
        {head}:
            nonlocal done
            while done < count:
                x, y = source.sample()
                self.update(x, y)
                done += 1
        {run}
"""
OWN = """
class Agent({base}):
    def __init__(self):
        self.net = nn.Linear(4, 1)
        self.optimizers = {{}}

    def update(self, x, y):
        loss = nn.functional.mse_loss(self.net(x), y)
        {clear}
        loss.backward(){mark}
        self.optimizers["net"].step()
"""
PARTS = {
    "a thread": ("def work(lock=threading.Lock())", "threading.Thread(target=work, name='learner').start()"),
    "several threads": ("def work()", "threads = [threading.Thread(target=work) for _ in range(3)]"),
    "a pool": ("def work()", "concurrent.futures.ThreadPoolExecutor().submit(work)"),
    "the method itself": ("def work()", "work()"),
}
MARKS = [("pass", "  # expect: LL102"), ("self.optimizers['net'].zero_grad()", "")]
IMPORTS = "import concurrent.futures\nimport threading\nimport torch\nfrom torch import nn\n"


@pytest.mark.parametrize(("clear", "mark"), MARKS, ids=["never cleared", "cleared"])
@pytest.mark.parametrize(("head", "run"), PARTS.values(), ids=PARTS)
def test_of_a_base_in_another_file(tmp_path: Path, head: str, run: str, clear: str, mark: str) -> None:
    (tmp_path / "learner.py").write_text(IMPORTS + BASE.format(head=head, run=run))
    agent = tmp_path / "agent.py"
    agent.write_text(IMPORTS + "from learner import Learner\n" + OWN.format(base="Learner", clear=clear, mark=mark))
    found = [(f.code, f.location.row) for f in looplint.lint(agent, isolated=True) if f.severity != "advice"]
    rows = [row for row, line in enumerate(agent.read_text().splitlines(), 1) if "# expect" in line]
    assert found == [("LL102", row) for row in rows]


@pytest.mark.parametrize(("clear", "mark"), MARKS, ids=["never cleared", "cleared"])
@pytest.mark.parametrize(("head", "run"), PARTS.values(), ids=PARTS)
def test_of_a_base_in_the_file(head: str, run: str, clear: str, mark: str) -> None:
    program = BASE.format(head=head, run=run) + OWN.format(base="Learner", clear=clear, mark=mark)
    assert_marked(f"import concurrent.futures\nimport threading\n{program}")
