"""Where arrays lie in memory."""

from typing import Any

import numpy.typing as npt


def address_of(array: npt.NDArray[Any]) -> int:
    """Return the address of the first element of an array.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.zeros(3, np.float32)
    >>> address_of(x[1:]) - address_of(x)
    4
    """
    address: int = array.__array_interface__["data"][0]
    return address
