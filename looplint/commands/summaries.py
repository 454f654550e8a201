"""What a run says besides its report: to `--watch`, and on the page of its job in GitHub Actions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from looplint.linting.files import LintResult

# The file into which a run that `--watch` has started writes how many findings there are, and in words how many of each severity.
WATCHED = "LOOPLINT_WATCHED"
_JOB = "GITHUB_STEP_SUMMARY"


def summarise(result: LintResult, output_format: str) -> None:
    """Tell what was found to whom the environment names."""
    if watched := os.environ.get(WATCHED):
        from looplint.report.formats.text import numbers

        found = result.findings
        with open(watched, "w", encoding="utf-8") as file:
            file.write(f"{len(found)} {numbers(found) if found else 'no findings'}")
    if output_format == "github" and (job := os.environ.get(_JOB)):
        from looplint.report.formats.markdown import job_summary

        try:
            with open(job, "a", encoding="utf-8") as file:
                file.write(job_summary(result))
        except OSError as error:
            click.echo(f"warning: the summary of the job cannot be written: {error.strerror or error}", err=True)
