"""A documented name, and the registration of the clauses of its page."""

import functools

from ..clause import clause


class Page:
    """The page of a class or function, with whose name the ids of its clauses begin."""

    def __init__(self, api):
        self._api = api

    def clause(self, rest):
        """Register the decorated check.

        ``rest`` follows the name: ``/args:tpu/string`` is about the class itself,
        ``.master/returns/string`` about its method.
        """
        return clause(self._api + rest)


def about(check, api, *more):
    """Return ``check(tf, found, *more)`` as a check of ``tf`` alone.

    What is found is what ``api``, such as 'tf.tpu.core', names in ``tf``.
    """

    @functools.wraps(check)
    def check_of_module(tf):
        value = tf
        for part in api.split(".")[1:]:
            value = getattr(value, part)
        check(tf, value, *more)

    check_of_module.about = ", ".join([api, *map(repr, more)])
    return check_of_module
