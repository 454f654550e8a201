"""LL503: what transforms of torchvision give is a tensor where it is moved, and so is what a model is applied to in windows, under whichever name."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL503"
TRANSFORMED = """
        import torchvision
        import torchvision.transforms.functional as TF
        from torchvision import transforms
        from torchvision.transforms import v2
        from elsewhere import sizes, batches, Graph

        flip = transforms.RandomHorizontalFlip(p=0.5)

        def fit(model: nn.Module, optimizer, loader):
            {made}
            for data in batches(loader):
                masks = {given}
                masks.cuda(){mark}
                optimizer.zero_grad()
                model(data["image"].cuda(), masks).backward()
                optimizer.step()
"""
INFERRED = """
        from functools import partial
        from monai.inferers import sliding_window_inference
        from elsewhere import batches, windows

        def test(model: nn.Module, roi):
            model.eval()
            infer = {infer}
            with torch.no_grad():
                for batch in batches():
                    data = batch["data"]
                    data.cuda(){mark}
                    print(infer({given}).argmax(1))
"""


@pytest.mark.parametrize(
    ("made", "given", "mark"),
    [
        pytest.param("pass", 'torchvision.transforms.Resize((8, 8))(data["mask"])', FOUND, id="made and called at once"),
        pytest.param("resize = transforms.Resize(8)", 'resize(data["mask"])', FOUND, id="made before the loop"),
        pytest.param("pass", 'flip(data["mask"]).float()', FOUND, id="made by the module, and converted"),
        pytest.param("pass", 'TF.resize(data["mask"], [8, 8])', FOUND, id="a function"),
        pytest.param("pass", 'transforms.Compose([Graph])(data["mask"])', "", id="of what the program gives it"),
        pytest.param("pass", 'transforms.Lambda(Graph)(data["mask"])', "", id="what the program does"),
        pytest.param("pass", "v2.RandomHorizontalFlip()(data)", "", id="of v2, which take whole samples"),
        pytest.param("flip = Graph()", 'flip(data["mask"])', "", id="another of that name"),
        pytest.param("flip = Graph() if sizes else transforms.Resize(8)", 'flip(data["mask"])', "", id="one of both"),
    ],
)
def test_transformed(made: str, given: str, mark: str) -> None:
    assert_marked(TRANSFORMED.format(made=made, given=given, mark=mark))


@pytest.mark.parametrize(
    ("infer", "given", "mark"),
    [
        pytest.param("partial(sliding_window_inference, roi_size=roi, predictor=model)", "data", FOUND, id="with a part of its arguments"),
        pytest.param("partial(sliding_window_inference, predictor=model)", "inputs=data, roi_size=roi", FOUND, id="by its name"),
        pytest.param("sliding_window_inference", "data, roi, 4, model", FOUND, id="as it is"),
        pytest.param("partial(nn.functional.interpolate, scale_factor=2)", "data", FOUND, id="of torch"),
        pytest.param("partial(sliding_window_inference, predictor=model)", "data['x'], roi", "", id="an entry of it"),
        pytest.param("partial(windows, predictor=model)", "data", "", id="a function out of sight"),
        pytest.param("partial(sliding_window_inference, roi)", "data, 4, model", "", id="in another place"),
    ],
)
def test_applied_in_windows(infer: str, given: str, mark: str) -> None:
    assert_marked(INFERRED.format(infer=infer, given=given, mark=mark))
