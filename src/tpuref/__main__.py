"""``python -m tpuref``: the command line."""

from __future__ import annotations

import sys

from tpuref.tools.cli import main

sys.exit(main())
