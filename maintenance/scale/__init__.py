"""How the time of a step grows with hosts: measured on a few, computed for many."""
