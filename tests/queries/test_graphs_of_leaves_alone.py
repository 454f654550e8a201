"""LL110: a graph of parameters alone, through no module's forward, is retained for nothing where each turn computes it anew."""

from __future__ import annotations

import pytest

from programs import assert_marked

FOUND = "  # expect: LL110"
FITTED = """
        import nvdiffrast.torch as dr
        from pytorch3d.transforms import quaternion_to_matrix
        from elsewhere import measure, pose_of, show

        def fit(target, points, n: int):
            rot = nn.Parameter(torch.zeros(1, 4))
            offset = torch.zeros(3, requires_grad=True)
            optimizer = optim.Adam([rot, offset], lr=0.01)
            {before}
            for i in range(n):
                optimizer.zero_grad()
                {computed}
                loss = nn.functional.mse_loss(moved, target)
                loss.backward(retain_graph=True){mark}
                optimizer.step()
                {after}
"""
OF_CLASS = """
        import nvdiffrast.torch as dr
        from elsewhere import camera

        class Renderer(nn.Module):
            def __init__(self, mesh):
                super().__init__()
                self.mesh = mesh
                self.context = dr.RasterizeCudaContext()
                self.offsets = nn.Parameter(torch.zeros_like(mesh.v))
                self.albedo = nn.Parameter(mesh.albedo)

            def render(self, pose):
                points = torch.matmul(self.mesh.v + self.offsets, pose).unsqueeze(0)
                pixels, _ = dr.rasterize(self.context, points, self.mesh.f, (64, 64))
                places, _ = dr.interpolate(self.mesh.vt, pixels, self.mesh.ft)
                {more}
                return dr.antialias(dr.texture(self.albedo.unsqueeze(0), places), pixels, points, self.mesh.f)

        def fit(mesh, image, n: int):
            renderer = Renderer(mesh)
            optimizer = optim.Adam([renderer.offsets, renderer.albedo], lr=0.01)
            for i in range(n):
                loss = 0
                loss = loss + nn.functional.mse_loss(renderer.render(camera(i)), image)
                loss.backward(retain_graph=True){mark}
                optimizer.step()
                optimizer.zero_grad()
"""
MOVED = "moved = points @ quaternion_to_matrix(rot)[0] + offset"
BY_TORCH = "moved = points * torch.exp(rot[:, :3]) + offset"


@pytest.mark.parametrize(
    ("before", "computed", "after", "mark"),
    [
        pytest.param("pass", BY_TORCH, "pass", FOUND, id="of torch"),
        pytest.param("pass", MOVED, "pass", FOUND, id="of pytorch3d"),
        pytest.param("best = None", MOVED, "best = loss.item()", FOUND, id="a value of the turn before"),
        pytest.param("pass", MOVED, "show(loss.item())", FOUND, id="a value for code out of sight"),
        pytest.param("pose = quaternion_to_matrix(rot)", "moved = points @ pose[0] + offset", "pass", "", id="computed before the loop"),
        pytest.param(
            "scale = torch.exp(rot[:, :3])", "moved = points * scale + offset", "pass", "", id="computed by torch before the loop"
        ),
        pytest.param("pose = pose_of(rot)", "moved = points @ pose + offset", "pass", "", id="computed out of sight before the loop"),
        pytest.param("pass", "moved = points @ pose_of(rot) + offset", "pass", "", id="computed out of sight"),
        pytest.param("state = points", "state = torch.tanh(state * rot[:, :3]); moved = state + offset", "pass", "", id="taken over"),
        pytest.param("pass", MOVED, "moved.pow(2).mean().backward()", "", id="another backward"),
        pytest.param("pass", MOVED, "(g,) = torch.autograd.grad(loss, [offset])", "", id="derivatives"),
        pytest.param("pass", MOVED, "measure(moved)", "", id="given to code out of sight"),
        pytest.param("kept = []", MOVED, "kept.append(moved); sum(kept).sum().backward()", "", id="kept and sent backward"),
    ],
)
def test_fitted(before: str, computed: str, after: str, mark: str) -> None:
    assert_marked(FITTED.format(before=before, computed=computed, after=after, mark=mark))


@pytest.mark.parametrize(
    ("more", "mark"),
    [
        pytest.param("pass", FOUND, id="rendered anew"),
        pytest.param("self.points = self.offsets.exp() if i == 0 else self.points; points = points * self.points", "", id="kept"),
        pytest.param("self.seen = points if not self.training else self.seen", "", id="kept on some path"),
    ],
)
def test_of_class(more: str, mark: str) -> None:
    assert_marked(OF_CLASS.format(more=more, mark=mark))


IN_TURN = """
        def fit(points, targets, n: int):
            rate = nn.Parameter(torch.zeros(3))
            optimizer = optim.Adam([rate], lr=0.01)
            for i in range(n):
                optimizer.zero_grad()
                state, losses = points, []
                for target in targets:
                    state = {state}
                    losses.append((state - target).pow(2).mean())
                {loop}
                    loss.backward(retain_graph=True)
                optimizer.step()
"""


@pytest.mark.parametrize(
    ("state", "loop"),
    [
        pytest.param("torch.tanh(state * rate)", "for loss in losses:", id="items"),
        pytest.param("torch.tanh(state * rate)", "for k, loss in enumerate(losses):", id="counted items"),
        pytest.param("torch.tanh(state * rate)", "for k in range(3): loss = losses[k];", id="by their place"),
    ],
)
def test_graphs_of_one_turn_that_share_a_part(state: str, loop: str) -> None:
    if loop.endswith(";"):
        head, _, first = loop.rstrip(";").partition(": ")
        loop = f"{head}:\n                    {first}"
    assert_marked(IN_TURN.format(state=state, loop=loop))


KEPT = """
        from functools import lru_cache

        kept = {}

        DECORATOR
        def anew(rate):
            return torch.exp(rate)

        def scale_of(rate):
            if "scale" not in kept:
                kept["scale"] = torch.exp(rate)
            return kept["scale"]

        def fit(points, target, n: int):
            rate = nn.Parameter(torch.zeros(3))
            optimizer = optim.Adam([rate], lr=0.01)
            made = None

            def once():
                nonlocal made
                if made is None:
                    made = torch.exp(rate)
                return made

            for i in range(n):
                optimizer.zero_grad()
                loss = nn.functional.mse_loss(points * SCALE, target)
                loss.backward(retain_graph=True)MARK
                optimizer.step()
"""


@pytest.mark.parametrize(
    ("decorator", "scale", "mark"),
    [
        pytest.param("", "anew(rate)", FOUND, id="computed in each call"),
        pytest.param("@lru_cache", "anew(rate)", "", id="kept by a decorator"),
        pytest.param("@lru_cache(maxsize=None)", "anew(rate)", "", id="kept by a decorator that is called"),
        pytest.param("", "scale_of(rate)", "", id="kept at the top of the module"),
        pytest.param("", "once()", "", id="kept in the function around"),
    ],
)
def test_kept_by_a_function(decorator: str, scale: str, mark: str) -> None:
    assert_marked(KEPT.replace("DECORATOR", decorator).replace("SCALE", scale).replace("MARK", mark))


CALLED = """
        class Fit:
            def __init__(self, image):
                self.image = image
                self.turns = {turns}
                self.pixels = nn.Parameter(torch.zeros_like(image))
                self.optimizer = optim.Adam([self.pixels], lr=0.01)

            def step(self):
                for _ in range(self.turns):
                    loss = nn.functional.mse_loss(self.pixels.sigmoid(), self.image)
                    loss.backward(retain_graph=True){mark}
                    self.optimizer.step()
                    self.optimizer.zero_grad()

            def run(self, n: int):
                for _ in range(n):
                    self.step()
"""


@pytest.mark.parametrize(
    ("turns", "mark"),
    [pytest.param("4", FOUND, id="several turns"), pytest.param("1", "", id="one turn, with whose call the graph ends: advice")],
)
def test_called(turns: str, mark: str) -> None:
    assert_marked(CALLED.format(turns=turns, mark=mark))
