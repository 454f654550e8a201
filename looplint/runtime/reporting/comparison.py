"""One self-contained HTML page of a comparison: what was found, what was changed, and the curves of both runs."""

from __future__ import annotations

import html

from looplint.finding import written_place
from looplint.runtime.evidence.joining import Joined
from looplint.runtime.harness import comparing
from looplint.runtime.harness.running import Inspection
from looplint.runtime.harness.versions import Version, names
from looplint.runtime.reporting.page import document, plot, side_by_side


def comparison_page(first: Inspection, version: Version) -> str:
    """The whole page."""
    both = names(version)
    recordings = dict(zip(both, (first.recording, version.inspection.recording), strict=True))
    difference = comparing.first_difference(first.recording.stream, version.inspection.recording.stream)
    differs = f"They first differ at {difference}." if difference is not None else "No measurement differs between them."
    ends = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(recording.message)}</td></tr>" for name, recording in recordings.items()
    )
    table = "\n".join(comparing.table(first.recording.stream, version.inspection.recording.stream, both))
    sources = "".join(
        side_by_side(name, f"{name} ({version.name})", old.splitlines(), new.splitlines()) for name, old, new in version.texts
    )
    made = "".join(f"<li>{html.escape(line)}</li>" for line in version.repairs)
    start = first.recording.stream.start
    return document(
        f"looplint run {first.script}",
        f"""<h1>{html.escape(first.script)}, {html.escape(both[0])} and {html.escape(both[1])}</h1>
<p>torch {html.escape(str(start.get("torch")))}, Python {html.escape(str(start.get("python")))}, seed {html.escape(str(start.get("seed")))}. {html.escape(differs)}</p>
<div class="wide"><table class="signals">{ends}</table></div>
{plot(recordings)}
<h2>What was found</h2>
{_findings(first.joined)}
<h2>What is left in {html.escape(version.name)}</h2>
{_findings(tuple(j for j in version.inspection.joined if j.stands))}
<h2>What differs</h2>
{f"<ul>{made}</ul>" if made else ""}
{sources}
<details><summary>The measurements</summary><pre>{html.escape(table)}</pre></details>""",
    )


def _findings(joined: tuple[Joined, ...]) -> str:
    if not joined:
        return "<p>Nothing.</p>"
    rows = "".join(
        f'<tr><td><span class="badge {j.verdict.replace(" ", "-")}">{j.verdict}</span></td><td>{j.code}</td>'
        f"<td>{html.escape(written_place(j.finding.filename, j.finding.location, j.finding.cell))}</td>"
        f"<td>{html.escape(j.finding.message)}<br><small>{html.escape(j.text)}</small></td></tr>"
        for j in joined
    )
    return f'<div class="wide"><table class="overview">{rows}</table></div>'
