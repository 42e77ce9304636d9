"""A documented class, and the registration of the clauses of its page."""

from ..clause import clause


class Page:
    """The page of a class.

    Parameters
    ----------
    api : str
        Dotted name of the class.
    seed : str
        File name of the document.
    """

    def __init__(self, api, seed):
        self.api = api
        self.seed = seed

    def clause(self, statement, tier, says, doubt=None, versions=None):
        """Register the decorated check.

        ``statement`` follows the name of the class: ``/args:tpu/string`` is about the
        class itself, ``.master/returns/string`` about its method.
        """
        return clause(self.api + statement, self.seed, tier, says, doubt, versions)
