# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The checksum of records, CRC-32C.

The twin of `tpuref.kernels.python.checksum`.  It slices by eight: table k holds the
remainder of a byte that k zero bytes follow, so eight bytes take eight independent
look-ups instead of a chain of eight.
"""

from libc.stdint cimport uint8_t, uint32_t

cdef uint32_t POLYNOMIAL = 0x82F63B78  # Castagnoli's, reflected
cdef uint32_t[8][256] TABLES


cdef void fill_tables() noexcept nogil:
    cdef uint32_t remainder
    cdef int byte, _bit, k
    for byte in range(256):
        remainder = byte
        for _bit in range(8):
            remainder = (remainder >> 1) ^ (POLYNOMIAL if remainder & 1 else 0)
        TABLES[0][byte] = remainder
    for byte in range(256):
        for k in range(1, 8):
            remainder = TABLES[k - 1][byte]
            TABLES[k][byte] = TABLES[0][remainder & 0xFF] ^ (remainder >> 8)


fill_tables()


cdef uint32_t checksum(const uint8_t* data, Py_ssize_t size) noexcept nogil:
    cdef uint32_t remainder = 0xFFFFFFFFU
    cdef Py_ssize_t k = 0
    while k + 8 <= size:
        remainder = (
            TABLES[7][(remainder ^ data[k]) & 0xFF]
            ^ TABLES[6][((remainder >> 8) ^ data[k + 1]) & 0xFF]
            ^ TABLES[5][((remainder >> 16) ^ data[k + 2]) & 0xFF]
            ^ TABLES[4][(remainder >> 24) ^ data[k + 3]]
            ^ TABLES[3][data[k + 4]]
            ^ TABLES[2][data[k + 5]]
            ^ TABLES[1][data[k + 6]]
            ^ TABLES[0][data[k + 7]]
        )
        k += 8
    while k < size:
        remainder = TABLES[0][(remainder ^ data[k]) & 0xFF] ^ (remainder >> 8)
        k += 1
    return remainder ^ 0xFFFFFFFFU


def crc32c(bytes data):
    """Return the CRC-32C of bytes."""
    return checksum(<const uint8_t*><const char*>data, len(data))


def masked_crc32c(bytes data):
    """Return the masked checksum of records: rotated, with a constant added."""
    cdef uint32_t crc = checksum(<const uint8_t*><const char*>data, len(data))
    return <uint32_t>(((crc >> 15) | (crc << 17)) + 0xA282EAD8U)
