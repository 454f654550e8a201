"""Silent errors that others collected: what of them the text, a run, both or none finds."""
