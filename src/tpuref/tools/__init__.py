"""The tools around the library: command, pytest plugin, benchmarks, porting, errors."""
