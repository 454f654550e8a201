"""Reporters: each turns findings into text, and knows nothing of how they came about."""
