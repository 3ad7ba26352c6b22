"""Long computations: shared out over processes, kept in chunks on disk, told apart by fingerprints."""
