"""The conformance suite as tests: ``pytest --pyargs tpuref.tools.conformance``.

Each clause is a test of the subject that ``--subject`` names: a module, its subject
file, or tpuref itself. A recorded deviation is an expected failure.
"""
