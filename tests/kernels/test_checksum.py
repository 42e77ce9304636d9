"""The checksum of records, against a loop over bits and published values."""

import numpy as np
import pytest


def by_bits(data):
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "crc"),
    [  # RFC 3720, B.4
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_published_values(kernels, data, crc):
    assert kernels.checksum.crc32c(data) == crc


@pytest.mark.parametrize("size", [0, 1, 3, 256, 257, 1023, 1024, 1025, 2051, 70_000])
def test_every_length(kernels, size):
    data = np.random.default_rng(size).bytes(size)
    assert kernels.checksum.crc32c(data) == by_bits(data)


def test_the_mask(kernels):
    crc = kernels.checksum.crc32c(b"foo")
    masked = kernels.checksum.masked_crc32c(b"foo")
    assert masked == ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32 != crc
