"""The output formats: one file each, named as `--output-format` has it, with `render(result, *, colour) -> str`. Nothing else names it."""
