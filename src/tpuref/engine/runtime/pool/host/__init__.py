"""The host's side of the pool: it starts processes, sends programs, gathers results."""
