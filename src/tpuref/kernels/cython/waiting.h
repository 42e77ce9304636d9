/* Flags that processes share: to store and load them, and to wait until they change.

   All of it is sequentially consistent, so that the program may be reasoned about as
   one interleaving of its steps. On x86-64 that costs nothing for a load, and for a
   store one locked instruction. */

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

/* Store a value where there was 0, unless somebody has done so already. */
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

/* Nanoseconds of the clock that runs evenly. */
static inline int64_t tpuref_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A futex is 32 bits: of a flag the half that changes with every step. */
static inline uint32_t *tpuref_low_half(uint64_t *word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return (uint32_t *)(void *)word + 1;
#else
    return (uint32_t *)(void *)word;
#endif
}

/* Sleep until somebody wakes the sleepers on a word, if it still has the value seen;
   at most so long, and perhaps shorter. */
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
