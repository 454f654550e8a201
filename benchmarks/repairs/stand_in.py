"""A program that asks for CUDA, as a machine without it can run it: the CPU stands in its place."""

from __future__ import annotations

import ast
import re

_CUDA = re.compile(r"cuda(:\d+)?")


def asks_for_cuda(source: str) -> bool:
    return "cuda" in source


def on_cpu(source: str) -> str:
    """The program with every `"cuda"` as `"cpu"` and every `x.cuda(...)` as `x.to("cpu", ...)`; what it asks of `torch.cuda` stays."""
    return ast.unparse(_OnCpu().visit(ast.parse(source)))


class _OnCpu(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        return ast.Constant("cpu") if isinstance(node.value, str) and _CUDA.fullmatch(node.value) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            waiting = [k for k in node.keywords if k.arg == "non_blocking"]
            return ast.Call(ast.Attribute(node.func.value, "to", ast.Load()), [ast.Constant("cpu")], waiting)
        return node
