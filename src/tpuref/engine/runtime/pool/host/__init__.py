"""The host's side of the pool: starting processes, sending programs, gathering results."""
