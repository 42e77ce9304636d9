"""Four clauses about two functions, for subjects of known quality."""

from tpuref_conformance.clause import Clause, Unavailable, same
from tpuref_conformance.statements import Statement


def load_clauses():
    """Return the clauses."""
    return [
        stated("tf.double/returns/twice", "run", "Doubles.", doubles),
        stated("tf.double/probe/calls", "build", "Counts.", counts_calls),
        stated("tf.half/returns/half", "host", "Halves.", halves),
        stated("tf.half/name/exists", "surface", "There is a half.", half_exists),
    ]


def stated(id, tier, says, check):
    return Clause(Statement(id, "document", "000.txt", tier, says), check)


def doubles(tf):
    same(tf.double(2), 4, call="double(2)")


def counts_calls(tf):
    if not hasattr(tf, "calls"):
        raise Unavailable("no tf.calls, which is needed to count")


def halves(tf):
    same(tf.half(4), 2, call="half(4)")


def half_exists(tf):
    assert callable(tf.half)
