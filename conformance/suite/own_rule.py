"""Rules of tpuref's own, which no document states and no release has."""

import functools

from ..clause import Unavailable


def own_rule(check):
    """Run the decorated check on tpuref only."""

    @functools.wraps(check)
    def check_tpuref(tf):
        if not hasattr(getattr(tf, "config", None), "override"):
            raise Unavailable("a rule of tpuref's own")
        check(tf)

    return check_tpuref
