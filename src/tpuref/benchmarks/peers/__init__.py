"""Other libraries, each in long-living processes that measure when they are asked to.

Between two requests they sleep on a socket, so that they take nothing from the others.
"""
