"""Running a function in another thread as if its caller ran it."""

import contextlib
from collections.abc import Iterator

from tpuref.base.callsite import started_at, user_site
from tpuref.engine.graph import default
from tpuref.engine.graph.context import (
    context,
    get_default_session,
    pop_session,
    push_session,
)
from tpuref.engine.graph.recorder import recording_to


class CallerContext:
    """The default graph, its scopes, the session and the mode of the calling thread.

    A user's function that has to run in another thread runs in this context.
    """

    def __init__(self) -> None:
        self._site = user_site()
        self._graph = default.get_default_graph()
        self._scopes = self._graph.scopes_in_force()
        self._eager = default.executing_eagerly()
        self._session = get_default_session()
        self._creators = tuple(context.creators)
        self._recorders = tuple(context.recorders)
        self._compiled = list(context.compiled)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Activate the context in a block of the calling thread."""
        with contextlib.ExitStack() as stack:
            stack.enter_context(started_at(self._site))
            stack.enter_context(self._graph.as_default())
            if self._eager:
                stack.enter_context(default.eager_execution())
            if self._session is not None:
                push_session(self._session)
                stack.callback(pop_session, self._session)
            stack.enter_context(self._graph.in_scopes(self._scopes))
            before, context.creators = context.creators, list(self._creators)
            stack.callback(setattr, context, "creators", before)
            stack.enter_context(recording_to(self._recorders))
            compiled, context.compiled = context.compiled, self._compiled
            stack.callback(setattr, context, "compiled", compiled)
            yield
