"""Find the names of ``tf`` that programs use, without running the programs."""
