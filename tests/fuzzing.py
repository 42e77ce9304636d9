"""How many cases hypothesis tries: those of ``TPUREF_FUZZ_CASES``, by default 200."""

import os

import hypothesis

CASES = int(os.environ.get("TPUREF_FUZZ_CASES", "200"))

fuzz = hypothesis.settings(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
