"""The tools around the library: the command, tests, benchmarks, porting, explanations."""
