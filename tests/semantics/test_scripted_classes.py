"""Classes that derive from `torch.jit.ScriptModule`: modules that torch compiles as they are built."""

from __future__ import annotations

import pytest

from programs import assert_marked

NET = """
        class Net(torch.jit.ScriptModule):
            __constants__ = ["width"]
            def __init__(self, width):
                super().__init__()
                self.width = width
                self.body = nn.Sequential(nn.Linear(width, width), nn.Dropout(0.1))
                self.head = nn.Linear(width, 2)
            @torch.jit.script_method
            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.head(self.body(x))
        class Agent(torch.jit.ScriptModule):
            def __init__(self, width):
                super().__init__()
                self.net = Net(width)
                self.target = Net(width)
            def sync(self):
                self.target.load_state_dict(self.net.state_dict())
            def loss(self, batch):
                with torch.no_grad():
                    goal = self.target(batch)
                return nn.functional.mse_loss(self.net(batch), goal)
"""

PROGRAMS = {
    "the gradients are never cleared": """
        def main(loader):
            agent = Agent(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for epoch in range(10):
                agent.sync()
                for batch in loader:
                    loss = agent.loss(batch)
                    loss.backward()  # expect: LL102
                    optimizer.step()
        """,
    "nothing goes backward": """
        def main(loader):
            agent = Agent(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for batch in loader:
                loss = agent.loss(batch)
                optimizer.step()  # expect: LL107
                optimizer.zero_grad()
        """,
    "nothing steps": """
        def main(loader):
            agent = Agent(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for batch in loader:
                loss = agent.loss(batch)
                loss.backward()  # expect: LL106
                optimizer.zero_grad()
        """,
    "a graph is kept that nothing goes through again": """
        def main(loader):
            agent = Agent(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for batch in loader:
                loss = agent.loss(batch)
                loss.backward(retain_graph=True)  # expect: LL110
                optimizer.step()
                optimizer.zero_grad()
        """,
    "it stays in eval mode after a validation": """
        def main(loader, valid):
            net = Net(8)
            optimizer = torch.optim.Adam(net.parameters())
            for epoch in range(10):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = nn.functional.cross_entropy(net(x), y)  # expect: LL301
                    loss.backward()
                    optimizer.step()
                net.eval()
                with torch.no_grad():
                    for x, y in valid:
                        print((net(x).argmax(1) == y).float().mean().item())
        """,
    "all is right": """
        def main(loader, valid):
            agent = Agent(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for epoch in range(10):
                agent.sync()
                agent.train()
                for batch in loader:
                    optimizer.zero_grad()
                    loss = agent.loss(batch)
                    loss.backward()
                    optimizer.step()
                agent.eval()
                with torch.no_grad():
                    for batch in valid:
                        print(agent.loss(batch).item())
        """,
    "its own method clears": """
        class Own(Agent):
            def forget(self):
                for p in self.net.parameters():
                    p.grad = None
        def main(loader):
            agent = Own(8)
            optimizer = torch.optim.Adam(agent.net.parameters())
            for batch in loader:
                agent.forget()
                loss = agent.loss(batch)
                loss.backward()
                optimizer.step()
        """,
}


@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_each_marked_line_is_reported_and_no_other(program: str) -> None:
    assert_marked(NET + program)
