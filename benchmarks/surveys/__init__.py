"""What a survey promises, measured: the same result as `looplint check`, nothing lost when processes die, and what it costs."""
