"""A process's side of the pool: preparing programs and running them for its cores."""
