"""A program that refuses to restore the optimizer says that it leaves its state out: nobody has to be told."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
        def main(args, loader):
            model = nn.Linear(3, 1)
            start = 0
            if args.checkpoint:
                {refusal}
                checkpoint = torch.load(args.checkpoint, map_location="cpu")
                start = checkpoint["epoch"]
                model.load_state_dict(checkpoint["model"]){mark}
            optimizer = torch.optim.AdamW(model.parameters())
            for epoch in range(start, args.epochs):
                for x, y in loader:
                    optimizer.zero_grad()
                    loss = nn.functional.mse_loss(model(x), y)
                    loss.backward()
                    optimizer.step()
                torch.save({{"model": model.state_dict(), "epoch": epoch}}, args.checkpoint)
        """
MARK = "  # expect: LL802"
CASES = {
    "is False": ("assert args.resume_optimizer is False, 'not yet'", ""),
    "not": ("assert not args.load_optim", ""),
    "raised": ("if args.resume_optimizer: raise NotImplementedError(args)", ""),
    "asked for": ("assert args.resume_optimizer", MARK),
    "another option": ("assert not args.load_scheduler", MARK),
    "which one": ("assert args.optimizer == 'adamw'", MARK),
}


@pytest.mark.parametrize(("refusal", "mark"), CASES.values(), ids=CASES)
def test_what_is_left_out_on_purpose(refusal: str, mark: str) -> None:
    assert_marked(PROGRAM.format(refusal=refusal, mark=mark))
