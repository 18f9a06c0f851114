"""Best mixtures: linear programs whose rows are found as they are needed."""
