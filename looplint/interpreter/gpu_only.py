"""Modules that cannot be imported on a machine without a GPU: what they import, or compile as they are imported, runs on nothing else."""

from __future__ import annotations

from looplint.syntax import ir

# Packages that are kernels for CUDA alone.
_PACKAGES = frozenset({
    "tinycudann", "diff_gaussian_rasterization", "diff_surfel_rasterization", "simple_knn", "gsplat", "nvdiffrast", "flash_attn", "mamba_ssm",
    "causal_conv1d", "pointnet2_ops",
})  # fmt: skip
# What compiles and loads an extension, as `torch.utils.cpp_extension.load` does.
_COMPILING = frozenset({"load", "load_inline"})


def is_gpu_only(code: ir.ModuleCode) -> bool:
    """Whether the body of a module, under no condition, imports a package for GPUs alone, or compiles sources of CUDA."""
    for stmt in code.top.body:
        match stmt:
            case ir.Import(names=names) if any(each.module.partition(".")[0] in _PACKAGES and not each.level for each in names):
                return True
            case ir.Assign(value=ir.Call() as call) | ir.ExprStmt(value=ir.Call() as call) if _compiles(call):
                return True
    return False


def _compiles(call: ir.Call) -> bool:
    written = (e for arg in call.args for e in ir.walk(arg.value))
    return ir.called_name(call) in _COMPILING and any(isinstance(e, ir.Const) and str(e.value).endswith(".cu") for e in written)
