# cython: language_level=3
# cython: boundscheck=False
# cython: wraparound=False
# cython: initializedcheck=False
# cython: cdivision=True
# cython: embedsignature=True
"""Mailboxes: one message at a time, from one process to another, in shared memory.

The twin of `tpuref.kernels.python.mailboxes`, which documents the protocol and the
arguments. Waits run without the interpreter's lock.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tpuref.kernels.cython.status cimport FULL, PUT, PUT_FOR_SLEEPER

cdef extern from "waiting.h" nogil:
    uint64_t tpuref_load(const uint64_t* word)
    void tpuref_store(uint64_t* word, uint64_t value)
    int64_t tpuref_now()
    void tpuref_yield()

MAILBOX_BYTES = sizeof(Box)

cdef enum:
    CONTENT = 7936

# On a busy machine a process that yields gets the processor back only after
# milliseconds, but one that sleeps on its socket runs as soon as it is woken. So after
# a yield of more than 1 ms, the next 100 waits go to sleep at once.
cdef enum:
    LONG_YIELD = 1000000    # nanoseconds
    WAITS_AFTER_IT = 100

cdef Py_ssize_t waits_to_sleep = 0

cdef struct Box:
    uint64_t number
    uint64_t size
    uint64_t by_socket
    unsigned char _unused[104]
    uint64_t taken
    uint64_t looking
    unsigned char _unused_too[112]
    unsigned char content[CONTENT]


cdef class Mailbox:
    """One end of a mailbox: the writer's or the reader's."""

    cdef unsigned char[::1] arena
    cdef Box* box
    cdef uint64_t passed

    def __cinit__(self, unsigned char[::1] arena, Py_ssize_t start):
        if start < 0 or start % 64 or start + <Py_ssize_t>sizeof(Box) > arena.shape[0]:
            raise ValueError(
                f"Mailbox: {sizeof(Box)} bytes do not fit at {start} of "
                f"{arena.shape[0]}"
            )
        self.arena = arena
        self.box = <Box*>(&arena[0] + start)
        self.passed = 0

    def put(self, bytes content):
        """Write the next message, or leave it to the socket."""
        cdef Box* box = self.box
        cdef Py_ssize_t size = len(content)
        self.passed += 1
        if tpuref_load(&box.taken) != box.number or size > CONTENT:
            tpuref_store(&box.by_socket, self.passed)
            return FULL
        # The content is complete before `number` announces it. The reader stores
        # `looking` and then loads `number`, the writer does it the other way round: one
        # of them sees the other, so the reader finds the message or is woken.
        memcpy(box.content, <const char*>content, size)
        box.size = size
        tpuref_store(&box.number, self.passed)
        return PUT if tpuref_load(&box.looking) else PUT_FOR_SLEEPER

    def pass_by(self):
        """Count a message that is sent through the socket."""
        self.passed += 1
        tpuref_store(&self.box.by_socket, self.passed)

    def has_next(self):
        """Return whether the next message is in the mailbox."""
        return tpuref_load(&self.box.number) == self.passed + 1

    def take(self):
        """Return the next message and free the mailbox, or None."""
        cdef Box* box = self.box
        if tpuref_load(&box.number) != self.passed + 1:
            return None
        content = PyBytes_FromStringAndSize(<char*>box.content, box.size)
        self.passed += 1
        tpuref_store(&box.taken, self.passed)
        return content

    def count_taken(self):
        """Count a message that came through the socket."""
        self.passed += 1

    def look(self, bint looking):
        """Announce whether the reader checks the mailbox before it sleeps."""
        tpuref_store(&self.box.looking, looking)


def await_any(mailboxes, int64_t nanoseconds):
    """Wait until a next message is in a mailbox or announced for a socket."""
    cdef Py_ssize_t count = len(mailboxes), place
    cdef Mailbox mailbox
    cdef Box** boxes
    cdef uint64_t* passed
    cdef bint found
    boxes = <Box**>malloc((sizeof(Box*) + sizeof(uint64_t)) * max(1, count))
    if boxes == NULL:
        raise MemoryError
    passed = <uint64_t*>(boxes + count)
    try:
        for place in range(count):
            mailbox = mailboxes[place]
            boxes[place], passed[place] = mailbox.box, mailbox.passed
        with nogil:
            found = arrives(boxes, passed, count, nanoseconds)
        return found
    finally:
        free(boxes)


cdef bint arrives(
    Box** boxes, uint64_t* passed, Py_ssize_t count, int64_t nanoseconds
) noexcept nogil:
    # Return whether a next message arrives in a mailbox within a time. False at once
    # if a message goes through the socket: the caller then reads from there.
    global waits_to_sleep
    cdef int64_t begin = tpuref_now(), now = begin, before
    cdef Py_ssize_t place
    if waits_to_sleep > 0:
        waits_to_sleep -= 1
        nanoseconds = 0
    while True:
        for place in range(count):
            if tpuref_load(&boxes[place].number) == passed[place] + 1:
                return True
            if tpuref_load(&boxes[place].by_socket) > passed[place]:
                return False
        if now - begin >= nanoseconds:
            return False
        before = now
        tpuref_yield()
        now = tpuref_now()
        if now - before > LONG_YIELD:
            waits_to_sleep = WAITS_AFTER_IT
