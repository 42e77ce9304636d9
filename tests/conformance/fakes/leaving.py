"""Ends its process while it is imported."""

import os

os.write(2, b"goodbye\n")
os._exit(3)
