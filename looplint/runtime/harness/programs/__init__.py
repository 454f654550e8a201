"""Scripts that the recorder is tried on, written as users write theirs."""
