# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""The features of a serialized `tf.train.Example`, without protobuf.

The twin of `tpuref.kernels.python.examples`, which documents the arguments.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcmp

TEXTS, FLOATS, INTEGERS = 1, 2, 3

cdef enum:
    DAMAGED = -1
    END = 0
    VARINT = 0
    EIGHT_BYTES = 1
    SIZED = 2
    FOUR_BYTES = 5

# The rest of a message, and one field of it.
cdef struct Part:
    const uint8_t* place
    const uint8_t* end

cdef struct Field:
    uint64_t number
    int how
    uint64_t value      # of a varint
    Part part           # of the others


def features(bytes record, names):
    """Return the named features of an example, or None if it is damaged."""
    cdef list wanted = list(names)
    cdef list found = [None] * len(wanted)
    cdef Part whole, held
    cdef Field field, entry
    cdef int status
    whole.place = <const uint8_t*><const char*>record
    whole.end = whole.place + len(record)
    while True:
        status = next_field(&whole, &field)
        if status != 1:
            return None if status == DAMAGED else found
        if field.number != 1 or field.how != SIZED:
            continue
        held = field.part
        while True:
            status = next_field(&held, &entry)
            if status == DAMAGED:
                return None
            if status == END:
                break
            if entry.number != 1 or entry.how != SIZED:
                continue
            if add_entry(entry.part, wanted, found) == DAMAGED:
                return None


cdef int add_entry(Part entry, list wanted, list found) except -2:
    """Store the feature of a map entry if its key is wanted; the last entry wins."""
    cdef Part key, content
    cdef Field field
    cdef int status
    cdef Py_ssize_t k
    cdef bytes name
    key.place = key.end = content.place = content.end = entry.end
    while True:
        status = next_field(&entry, &field)
        if status == DAMAGED:
            return DAMAGED
        if status == END:
            break
        if field.how == SIZED and field.number == 1:
            key = field.part
        elif field.how == SIZED and field.number == 2:
            content = field.part
    feature = feature_of(content)
    if feature is False:
        return DAMAGED
    for k in range(len(wanted)):
        name = wanted[k]
        if len(name) == key.end - key.place and memcmp(
            <const char*>name, key.place, len(name)
        ) == 0:
            found[k] = feature
    return 0


cdef object feature_of(Part content):
    """Return (kind, values) of a feature, None if empty, False if damaged."""
    cdef Field field
    cdef int status
    cdef uint64_t kind = 0
    cdef list values = []
    while True:
        status = next_field(&content, &field)
        if status == DAMAGED:
            return False
        if status == END:
            if kind == 0:
                return None
            return kind, values if kind == 1 else b"".join(values)
        # The three lists are a oneof: another kind replaces the one before, the same
        # kind is merged, as protobuf does.
        if field.how == SIZED and 1 <= field.number <= 3:
            if field.number != kind:
                kind, values = field.number, []
            if add_values(kind, field.part, values) == DAMAGED:
                return False


cdef int add_values(uint64_t kind, Part content, list values) except -2:
    """Append the values of a list."""
    cdef Field field
    cdef int status
    while True:
        status = next_field(&content, &field)
        if status != 1:
            return status
        if field.number != 1:
            continue
        if kind == 1 and field.how == SIZED:
            values.append(text_of(field.part))
        elif kind == 2 and (field.how == SIZED or field.how == FOUR_BYTES):
            if (field.part.end - field.part.place) % 4:
                return DAMAGED
            values.append(text_of(field.part))
        elif kind == 3 and field.how == VARINT:
            values.append(PyBytes_FromStringAndSize(<const char*>&field.value, 8))
        elif kind == 3 and field.how == SIZED:
            numbers = unpack_varints(field.part)
            if numbers is None:
                return DAMAGED
            values.append(numbers)


cdef bytes text_of(Part part):
    return PyBytes_FromStringAndSize(<const char*>part.place, part.end - part.place)


cdef bytes unpack_varints(Part part):
    """Return packed varints as int64 bytes, or None if they are damaged."""
    cdef Py_ssize_t count = 0
    cdef const uint8_t* place = part.place
    cdef bytes numbers
    cdef uint64_t* number
    while place < part.end:
        count += place[0] < 0x80
        place += 1
    numbers = PyBytes_FromStringAndSize(NULL, 8 * count)
    number = <uint64_t*><char*>numbers
    while part.place < part.end:
        if count == 0 or not varint(&part, number):
            return None
        number += 1
        count -= 1
    return numbers


cdef int next_field(Part* part, Field* field) noexcept nogil:
    """Read the next field: 1, END, or DAMAGED."""
    cdef uint64_t tag, size
    if part.place >= part.end:
        return END
    if not varint(part, &tag):
        return DAMAGED
    field.number, field.how = tag >> 3, tag & 7
    if field.how == VARINT:
        return 1 if varint(part, &field.value) else DAMAGED
    if field.how == EIGHT_BYTES:
        size = 8
    elif field.how == FOUR_BYTES:
        size = 4
    elif field.how != SIZED or not varint(part, &size):
        return DAMAGED
    if field.number == 0 or size > <uint64_t>(part.end - part.place):
        return DAMAGED
    field.part.place = part.place
    part.place += size
    field.part.end = part.place
    return 1


cdef bint varint(Part* part, uint64_t* value) noexcept nogil:
    """Read a varint: seven bits per byte, the high bit means more; false if cut off."""
    cdef int k
    cdef uint8_t byte
    value[0] = 0
    for k in range(10):
        if part.place >= part.end:
            return False
        byte = part.place[0]
        part.place += 1
        value[0] |= <uint64_t>(byte & 0x7F) << (7 * k)
        if byte < 0x80:
            return True
    return False
