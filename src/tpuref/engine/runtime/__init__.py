"""The executors of programs: lockstep, the pool of core processes, XLA."""
