"""Four clauses about two functions, for subjects of known quality."""

from tpuref_conformance.clause import Unavailable, clause, same


def load_clauses():
    """Register the clauses, once."""


@clause("tf.double/returns/twice", seed="000.txt", tier="run", says="Doubles.")
def doubles(tf):
    same(tf.double(2), 4, call="double(2)")


@clause("tf.double/probe/calls", seed="000.txt", tier="build", says="Counts.")
def counts_calls(tf):
    if not hasattr(tf, "calls"):
        raise Unavailable("no tf.calls, which is needed to count")


@clause("tf.half/returns/half", seed="000.txt", tier="host", says="Halves.")
def halves(tf):
    same(tf.half(4), 2, call="half(4)")


@clause("tf.half/name/exists", seed="000.txt", tier="surface", says="There is a half.")
def half_exists(tf):
    assert callable(tf.half)
