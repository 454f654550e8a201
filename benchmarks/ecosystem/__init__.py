"""Findings on real repositories, each read and judged."""
