"""In how many real files the training loop is understood, by an expectation that is read off their texts alone."""
