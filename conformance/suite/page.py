"""A documented name, and the registration of the clauses of its page."""

from ..clause import clause


class Page:
    """The page of a class or function.

    Parameters
    ----------
    api : str
        Dotted name, with which the ids of the page's clauses begin.
    """

    def __init__(self, api):
        self._api = api

    def clause(self, rest):
        """Register the decorated check.

        ``rest`` follows the name: ``/args:tpu/string`` is about the class itself,
        ``.master/returns/string`` about its method.
        """
        return clause(self._api + rest)
