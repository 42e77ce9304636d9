"""Optional packages, imported when a function needs them."""

import importlib
from types import ModuleType

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded


def install_line(package: str) -> str:
    """Return the command that installs a package, which may be an extra of tpuref.

    >>> install_line("absl-py")
    'pip install absl-py'
    >>> install_line("tpuref[xla]")
    "pip install 'tpuref[xla]' (in a checkout of tpuref: pip install '.[xla]')"
    """
    name, bracket, extra = package.partition("[")
    if not bracket:
        return f"pip install {name}"
    checkout = f"in a checkout of tpuref: pip install '.[{extra}'"
    return f"pip install '{package}' ({checkout})"


def optional_module(name: str, function: str, package: str) -> ModuleType:
    """Return a module of a package that may not be installed.

    >>> optional_module("absl.flags", "tf.flags", "absl-py").__name__
    'absl.flags'
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise coded(
            ImportError,
            f"{function} needs the module {name!r}, which is not installed: "
            f"{install_line(package)}",
            code=codes.NOT_INSTALLED,
            name=name,
        ) from error
