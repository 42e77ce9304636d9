"""The core pool."""
