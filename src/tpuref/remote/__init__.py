"""Sessions on another process: a gRPC server, its client, and their messages."""

from __future__ import annotations

import os

# gRPC writes to standard error whenever a connection ends, unless it is told not to.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
