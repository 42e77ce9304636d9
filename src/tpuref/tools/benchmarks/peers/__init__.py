"""Other libraries, each in long-lived processes that measure on request.

Between requests they sleep on a socket, so they do not slow down other contestants.
"""
