/* Vectors of outputs, for loops that are compiled for several sets of instructions.

   The vectors are GCC's own: one of 64 bytes is a register with AVX-512, two with AVX2
   and four with SSE or NEON. */

#ifndef TPUREF_VECTORS_H
#define TPUREF_VECTORS_H

#include <stddef.h>
#include <string.h>

enum { TPUREF_OUTPUTS = 16, TPUREF_TILE = 12 };

typedef float tpuref_outputs
    __attribute__((vector_size(4 * TPUREF_OUTPUTS), aligned(4), may_alias));

#define TPUREF_INLINE static inline __attribute__((always_inline))

/* Expand `define` with each set of instructions: its name and attribute, and the rows and
   vectors of a tile whose sums stay in registers. TPUREF_BEST(name) is the variant of
   `name` for the best set that this processor supports. */
#if defined(__x86_64__)
#define TPUREF_EACH_SET(define) \
    define(plain, , 6, 1) \
    define(avx2, __attribute__((target("avx2,fma"))), 6, 1) \
    define(avx512f, __attribute__((target("avx512f"))), 12, 2)
#define TPUREF_BEST(name) \
    (__builtin_cpu_supports("avx512f") ? name##_avx512f \
     : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? name##_avx2 \
     : name##_plain)
#else
#define TPUREF_EACH_SET(define) define(plain, , 6, 1)
#define TPUREF_BEST(name) (name##_plain)
#endif

/* What `yes` has where the bits of a mask are 1, and what `no` has where they are 0. */
#define TPUREF_CHOSEN(mask, yes, no) \
    ((__typeof__(yes))(((mask) & (__typeof__(mask))(yes)) \
                       | (~(mask) & (__typeof__(mask))(no))))

/* Call `function` with its last two arguments as constants; `widest` is the most. */
#define TPUREF_CASE(n, widest, vectors, function, ...) \
    case n: if (n <= widest) function(__VA_ARGS__, n, vectors); break;
#define TPUREF_CASES(count, widest, vectors, function, ...) \
    switch (count) { \
    TPUREF_CASE(1, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(2, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(3, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(4, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(5, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(6, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(7, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(8, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(9, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(10, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(11, widest, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(12, widest, vectors, function, __VA_ARGS__) \
    }

/* The halves of two vectors, one element of each in turns. */
#if defined(__clang__)
#define TPUREF_MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int tpuref_places __attribute__((vector_size(4 * TPUREF_OUTPUTS)));
#define TPUREF_MIX(a, b, ...) __builtin_shuffle(a, b, (tpuref_places){__VA_ARGS__})
#endif
#define TPUREF_LOW_HALVES(a, b) \
    TPUREF_MIX(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define TPUREF_HIGH_HALVES(a, b) \
    TPUREF_MIX(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

#endif
