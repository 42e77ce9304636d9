"""Public programs for TensorFlow, run to their end on tpuref.

The texts stay with their authors: a folder that the user fills has them, as
``OWNER/NAME/...`` of each repository.  Here are only the manifest and recipes of data.
"""

from .manifest import PROGRAMS

__all__ = ["PROGRAMS"]
