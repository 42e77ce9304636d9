"""Sessions on another process: a gRPC server, its client, and their messages."""
