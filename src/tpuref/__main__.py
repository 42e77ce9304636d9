"""``python -m tpuref``: the command line."""

from __future__ import annotations

import sys

from tpuref.cli import main

sys.exit(main())
