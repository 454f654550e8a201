"""A model that goes to a GPU where one is asked for, and else stays on the CPU, belongs to a program for both."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAMS = {
    "under a flag": """
        def load(path, use_cuda):
            net = nn.Linear(4, 1)
            net.load_state_dict(torch.load(path))  # expect: LL803
            if use_cuda:
                net.cuda()
            net.eval()
            return net
        """,
    "under an option": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu", action="store_true")
        parser.add_argument("--resume")
        args = parser.parse_args()
        net = nn.Linear(4, 1)
        checkpoint = torch.load(args.resume)  # expect: LL803
        net.load_state_dict(checkpoint["model"])
        if args.gpu:
            net = net.to("cuda")
        """,
    "where there is one": """
        net = nn.Linear(4, 1)
        if torch.cuda.is_available():
            net.cuda()
        net.load_state_dict(torch.load("run.pt"))  # expect: LL803
        """,
    "one GPU or all of them": """
        def load(path, args):
            net = nn.Linear(4, 1)
            if args.gpu is not None:
                net.cuda(args.gpu)
            else:
                net.cuda()
            net.load_state_dict(torch.load(path))
        """,
    "on every machine": """
        def load(path, verbose):
            net = nn.Linear(4, 1)
            net.load_state_dict(torch.load(path))
            if verbose:
                print(net)
            net.cuda()
        """,
    "told where to go": """
        def load(path, use_cuda):
            net = nn.Linear(4, 1)
            net.load_state_dict(torch.load(path, map_location="cpu"))
            if use_cuda:
                net.cuda()
        """,
    "by the default of a parameter": """
        def load(path, device="cuda" if torch.cuda.is_available() else "cpu"):
            net = nn.Linear(4, 1).to(device)
            net.load_state_dict(torch.load(path))  # expect: LL803
            return net
        """,
    "by what a function gives as the default": """
        def default():
            if torch.cuda.is_available():
                return "cuda"
            return "cpu"
        class Speaker:
            def __init__(self, path, device=default()):
                self.net = nn.Linear(4, 1).to(device)
                self.net.load_state_dict(torch.load(path))  # expect: LL803
        """,
    "a default that is one of them": """
        def load(path, device="cuda"):
            net = nn.Linear(4, 1).to(device)
            net.load_state_dict(torch.load(path))
            return net
        """,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_moves(program: str) -> None:
    assert_marked(program, advice=True)
