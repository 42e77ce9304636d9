/* Flags in shared memory: load, store, and sleep until one changes.

   All accesses are sequentially consistent: the sleep protocol (flags.pyx) and the
   mailboxes store one word and then load another, which a weaker order could swap. On
   x86-64 a load costs nothing more, a store is one locked instruction. */

#ifndef TPUREF_WAITING_H
#define TPUREF_WAITING_H

#if !defined(__GNUC__)
#error "the links need the atomic built-ins of GCC or Clang; set TPUREF_PURE=1 instead"
#endif

#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__) && defined(__LP64__)
#define TPUREF_FUTEX 1
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#endif

static inline uint64_t tpuref_load(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void tpuref_store(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Store a value if the word is still 0. */
static inline void tpuref_store_first(uint64_t *word, uint64_t value)
{
    uint64_t zero = 0;
    __atomic_compare_exchange_n(
        word, &zero, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static inline uint32_t tpuref_load_count(const uint32_t *count)
{
    return __atomic_load_n(count, __ATOMIC_SEQ_CST);
}

static inline void tpuref_add_count(uint32_t *count, uint32_t change)
{
    __atomic_fetch_add(count, change, __ATOMIC_SEQ_CST);
}

static inline void tpuref_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static inline void tpuref_yield(void)
{
    sched_yield();
}

/* Nanoseconds of the monotonic clock. */
static inline int64_t tpuref_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A futex has 32 bits: the half of a flag that every step changes, the phase. */
static inline uint32_t *tpuref_low_half(uint64_t *word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint32_t *)(void *)word + 1;
#else
    return (uint32_t *)(void *)word;
#endif
}

/* Sleep until tpuref_wake, for at most `nanoseconds`; may return earlier. The kernel
   compares the word with `seen` before it sleeps, so a change since then is not missed.
   Without futexes this is a nap of at most 50 microseconds. */
static inline void tpuref_sleep(uint64_t *word, uint64_t seen, int64_t nanoseconds)
{
#if defined(TPUREF_FUTEX)
    struct timespec slice = {0, nanoseconds};
    syscall(SYS_futex, tpuref_low_half(word), FUTEX_WAIT, (uint32_t)seen, &slice, 0, 0);
#else
    struct timespec slice = {0, nanoseconds < 50000 ? nanoseconds : 50000};
    (void)word;
    (void)seen;
    nanosleep(&slice, 0);
#endif
}

static inline void tpuref_wake(uint64_t *word)
{
#if defined(TPUREF_FUTEX)
    syscall(SYS_futex, tpuref_low_half(word), FUTEX_WAKE, INT_MAX, 0, 0, 0);
#else
    (void)word;
#endif
}

#endif
