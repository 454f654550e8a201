"""Surveys: what the linter says of many repositories, on Ray, as Parquet datasets and a page.

In: folders, bare git repositories and manifests. Out: four datasets (repositories, files, loops, findings), and figures of them.
Needs the extra `looplint[survey]`; only `looplint survey` imports it. Modules without Ray and Arrow: `repositories`, `trees`, `linter_options`, `judging`,
`limits`, `reasons`.
Imports: `linting` and those before it, `report` for how findings and pages are written.
"""
