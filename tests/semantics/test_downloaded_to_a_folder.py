"""Files of a folder that a function downloads to were saved by somebody else, and a program for GPUs alone runs on no other machine (LL803)."""

from __future__ import annotations

import pytest

from programs import assert_marked

PROGRAM = """
    from pathlib import Path
    import os
    {imports}

    def load_model(kind, folder, other):
        {download}
        {path}
        net = nn.Linear(8, 2)
        net.load_state_dict(torch.load({given})){mark}
        return net

    def main(kind, folder, other):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = load_model(kind, folder, other).to(device)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
            optimizer.step()
        torch.save(net.state_dict(), "mine.pth")
"""
DOWNLOADED = "download_weights(kind, out_dir=folder)"
PATHS = {
    "of one name": ('path = Path(folder) / "base.pth"', "path"),
    "of either name": ('if kind: path = Path(folder) / "base.pth"\n        else: path = Path(folder) / "large.pth"', "path"),
    "joined": ('path = os.path.join(folder, kind, "base.pth")', "path"),
    "written where it is loaded": ("pass", 'Path(folder) / "base.pth"'),
    "in a folder within": ('path = Path(folder) / kind / "base.pth"', "path"),
}
LOADED = "  # expect: LL803"


def _program(path: str, given: str, download: str = DOWNLOADED, mark: str = "", imports: str = "") -> str:
    return PROGRAM.format(path=path, given=given, download=download, mark=mark, imports=imports)


@pytest.mark.parametrize(("path", "given"), PATHS.values(), ids=PATHS)
def test_what_is_in_the_folder_is_downloaded(path: str, given: str) -> None:
    assert_marked(_program(path, given))


@pytest.mark.parametrize(("path", "given"), [PATHS["of one name"], PATHS["joined"]])
@pytest.mark.parametrize("download", ["pass", "download_weights(kind, out_dir=other)", "list_weights(kind, folder)"])
def test_what_is_in_another_folder_is_not(path: str, given: str, download: str) -> None:
    assert_marked(_program(path, given, download, LOADED))


def test_one_of_two_folders_may_be_the_programs_own() -> None:
    assert_marked(_program('path = Path(folder) / "a.pth"\n        if kind: path = Path(other) / "b.pth"', "path", mark=LOADED))


@pytest.mark.parametrize(
    "imports",
    [
        "import tinycudann as tcnn",
        "from diff_gaussian_rasterization import GaussianRasterizer",
        'from torch.utils.cpp_extension import load\n    kernels = load(name="kernels", sources=[os.path.join("cuda", p) for p in ["a.cpp", "a.cu"]])',
    ],
)
def test_a_program_for_gpus_alone(imports: str) -> None:
    assert_marked(_program(*PATHS["of one name"], "pass", imports=imports))


@pytest.mark.parametrize(
    "imports",
    [
        "try:\n        import tinycudann as tcnn\n    except ImportError:\n        tcnn = None",
        'from torch.utils.cpp_extension import load\n    kernels = load(name="kernels", sources=["a.cpp"])',
    ],
)
def test_a_program_that_can_do_without(imports: str) -> None:
    assert_marked(_program(*PATHS["of one name"], "pass", LOADED, imports=imports))
