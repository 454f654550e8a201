"""What two versions of looplint say of the same programs."""
