"""The status codes that kernels return, and the exceptions for them.

A kernel runs without the interpreter's lock, so it cannot raise and returns a code.
``cython/status.pxd`` has the same numbers.
"""

OK = 0
BAD_COUNT = 1
NO_SUCH_SHARD = 2
SOURCE_SIZE = 3
DESTINATION_SIZE = 4
BAD_RANK = 5
DOES_NOT_FIT = 6
POISONED = 7
LEFT = 8
MISMATCH = 9
BAD_MEMBERS = 10
BAD_OFFSET = 11
BAD_DTYPE = 12

MAX_RANK = 32
"""The largest rank that a kernel supports: the limit of every NumPy release."""

FLAT_LIMIT = 8192
"""The size limit in bytes of the vectors that `flat` sums."""

# Results of Mailbox.put.
FULL = 0
PUT = 1
PUT_FOR_SLEEPER = 2

_MEANINGS = {
    BAD_COUNT: "a count is negative, or there are no shards",
    NO_SUCH_SHARD: "the shard's number is not below the number of shards",
    SOURCE_SIZE: "the source does not hold as many bytes as its shape needs",
    DESTINATION_SIZE: "the destination does not hold as many bytes as its shape needs",
    BAD_RANK: f"the two shapes differ in rank, or have more than {MAX_RANK} dimensions",
    DOES_NOT_FIT: "the unpadded shape is larger than the padded one in some dimension",
    POISONED: "another core failed",
    LEFT: "a member left the run without reaching the collective",
    MISMATCH: "the members reached different collectives",
    BAD_MEMBERS: "the members are not cores, or do not include this core exactly once",
    BAD_OFFSET: "a vector does not lie within the arena",
    BAD_DTYPE: "values of this type cannot be added",
}


def check(status: int, function: str, **arguments: object) -> None:
    """Raise ValueError with the call of `function` unless a status is OK.

    >>> check(OK, "pad_to")
    >>> check(BAD_COUNT, "split", num_shards=0)
    Traceback (most recent call last):
    ValueError: split(num_shards=0): a count is negative, or there are no shards
    """
    if status == OK:
        return
    shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    meaning = _MEANINGS.get(status, f"unknown status {status}")
    raise ValueError(f"{function}({shown}): {meaning}")
