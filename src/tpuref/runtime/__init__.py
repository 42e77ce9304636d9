"""What carries out programs: lockstep, and the pool of core processes."""
