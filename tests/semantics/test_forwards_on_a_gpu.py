"""A program whose model makes tensors on a GPU, whatever the machine has, needs one: what it loads fits there."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(8, 3)
            def start(self, count):
                return torch.zeros(count)
            def forward(self, x):
                MADE
                return self.head(x + zero)
        def main(args, data):
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            model = Net()
            if args.resume:
                model.load_state_dict(torch.load(args.resume))MARK
            model.to(device)
            optimizer = torch.optim.Adam(model.parameters())
            for x, y in data:
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
                optimizer.step()
            torch.save(model.state_dict(), args.out)
        """
ON_A_GPU = [
    "zero = torch.cuda.LongTensor(1).fill_(0)",
    "zero = torch.cuda.FloatTensor(x.shape).normal_() if self.training else 0",
    "zero = sum(torch.cuda.FloatTensor([n]) for n in range(3))",
    "zero = torch.zeros(1, device='cuda')",
    "device = torch.device('cuda')\n                zero = torch.arange(3, device=device).view(1, 3)",
    "zero = torch.zeros(1).to('cuda:0')",
    "print(f'on {torch.cuda.get_device_name(x.device)}')\n                zero = 0",
]
ANYWHERE = [
    "zero = torch.cuda.LongTensor(1) if x.is_cuda else torch.LongTensor(1)",
    "zero = torch.zeros(1)",
    "zero = torch.zeros(1, device='cuda' if torch.cuda.is_available() else 'cpu')",
    "zero = torch.zeros(1, device=x.device)",
    "zero = torch.zeros(1).to('cpu')",
    "zero = 0\n                if torch.cuda.is_available():\n                    print(torch.cuda.get_device_name(0))",
    "zero = torch.LongTensor(1)\n                if torch.cuda.is_available():\n                    zero = torch.cuda.LongTensor(1)",
]


@pytest.mark.parametrize("made", ON_A_GPU)
def test_a_forward_that_needs_one(made: str) -> None:
    assert_marked(PROGRAM.replace("MADE", made).replace("MARK", ""))


@pytest.mark.parametrize("made", ANYWHERE)
def test_a_forward_for_any_machine(made: str) -> None:
    assert_marked(PROGRAM.replace("MADE", made).replace("MARK", "  # expect: LL803"))


CHOSEN = [
    "Net() if args.small else Plain()",
    "Plain() if args.small else Net()",
    "build(args.small)",
]


@pytest.mark.parametrize("built", CHOSEN)
def test_one_of_several_models(built: str) -> None:
    """On a machine without a GPU, the other one is chosen."""
    assert_marked(_with_a_choice("return self.head(x)", built, "  # expect: LL803"))


@pytest.mark.parametrize("built", CHOSEN)
def test_each_of_several_models(built: str) -> None:
    assert_marked(_with_a_choice("return self.head(x + torch.cuda.LongTensor(1))", built, ""))


def _with_a_choice(forward: str, built: str, mark: str) -> str:
    """The program with a class besides, a model that is one of both, and a mark at its load."""
    plain = f"""
        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.head = nn.Linear(8, 3)
            def forward(self, x):
                {forward}
        def build(small):
            if small:
                return Plain()
            return Net()"""
    text = PROGRAM.replace("MADE", ON_A_GPU[0]).replace("MARK", mark).replace("model = Net()", f"model = {built}")
    return plain + text
