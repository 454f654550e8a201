"""Findings in maintained repositories, each proved by running the repository's own code."""
