"""Weights that somebody has published are told by their names; a file that is given on the command line is the user's."""

from __future__ import annotations

import pytest

from programs import assert_marked

SCRIPT = """
        import argparse
        from pathlib import Path
        {before}
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--pretrained-model-path")
            parser.add_argument("--pretrain")
            parser.add_argument("--pretrained")
            args = parser.parse_args()
            opt = args
            device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            net = nn.Linear(8, 2)
            {load}
            net.to(device)
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            for epoch in range(3):
                optimizer.zero_grad()
                net(torch.randn(4, 8, device=device)).pow(2).mean().backward()
                optimizer.step()
        main()
"""
PROGRAMS = {
    "an option": SCRIPT.format(before="", load="net.load_state_dict(torch.load(args.pretrained_model_path))  # expect: LL803"),
    "under another name": SCRIPT.format(before="", load="net.load_state_dict(torch.load(opt.pretrain)['net'])  # expect: LL803"),
    "in a function": SCRIPT.format(
        before="""
        def initialize(args, net):
            if args.pretrained is not None:
                state = torch.load(args.pretrained)  # expect: LL803
                net.load_state_dict(state, strict=False)
""",
        load="initialize(args, net)",
    ),
    "where it should go is told": SCRIPT.format(
        before="", load="net.load_state_dict(torch.load(args.pretrained_model_path, map_location='cpu'))"
    ),
    "weights of a known model": SCRIPT.format(before="", load="net.load_state_dict(torch.load(args.pretrained_resnet))"),
    "what a model begins with": SCRIPT.format(before="", load="net.load_state_dict(torch.load(CONFIG.MODEL.INIT_MODEL), strict=False)"),
    "a name of the program": SCRIPT.format(
        before="""
        PRETRAINED = Path("models") / "net.pt"
""",
        load="net.load_state_dict(torch.load(PRETRAINED))",
    ),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_whose_weights_they_are(program: str) -> None:
    assert_marked(program, advice=True)
