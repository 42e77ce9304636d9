"""What runs programs: lockstep, and the pool of core processes."""
