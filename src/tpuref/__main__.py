"""``python -m tpuref``: the command line."""

import sys

from tpuref.tools.cli import main

sys.exit(main())
