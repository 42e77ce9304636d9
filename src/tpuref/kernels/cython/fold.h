/* Sums of vectors from left to right, on raw addresses of any alignment.

   Elements are named by TensorFlow's public DataType numbers. float16 and bfloat16 are
   added as float32 and rounded once, to nearest even; integers wrap. No sum is
   reordered and there are no products to fuse, so every instruction set gives the bits
   of the plain loop. Exception: which NaN payload survives NaN + NaN is unspecified. */

#ifndef TPUREF_FOLD_H
#define TPUREF_FOLD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The types of SUMMABLE in kernels/fold.py. */
enum {
    TPUREF_FLOAT32 = 1, TPUREF_FLOAT64 = 2, TPUREF_INT32 = 3,
    TPUREF_BFLOAT16 = 14, TPUREF_FLOAT16 = 19, TPUREF_UINT32 = 22
};

/* Bytes at an address of any alignment, whatever type was stored there. */
#if defined(__GNUC__)
#define TPUREF_UNALIGNED __attribute__((aligned(1), may_alias))
#else
#define TPUREF_UNALIGNED
#endif

typedef float TPUREF_UNALIGNED tpuref_float32;
typedef double TPUREF_UNALIGNED tpuref_float64;
typedef uint16_t TPUREF_UNALIGNED tpuref_float16;
typedef uint16_t TPUREF_UNALIGNED tpuref_bfloat16;
typedef uint32_t TPUREF_UNALIGNED tpuref_bits32;

static inline float tpuref_float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t tpuref_bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float tpuref_widen_bfloat16(uint16_t half)
{
    return tpuref_float_of((uint32_t)half << 16);
}

/* Rounds to nearest even: adding 0x7fff, plus 1 if the lowest bit that stays is odd,
   carries into that bit exactly if the value has to be rounded up. A NaN becomes the
   quiet NaN of its sign, because the carry could turn it into an infinity. */
static inline uint16_t tpuref_round_bfloat16(float value)
{
    uint32_t bits = tpuref_bits_of(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000u) | 0x7fc0u;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

/* float32 has 8 exponent bits with bias 127, float16 has 5 with bias 15: a normal number
   adds 112 to the exponent, infinities and NaNs go from 31 to 255. */
static inline float tpuref_widen_float16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13;
    uint32_t normal = magnitude + (112u << 23);
    uint32_t special = magnitude + (224u << 23); /* infinities and NaNs */
    /* A subnormal is its significand times 2**-24. As the low bits of a float32 with
       the exponent of 2**-14 it reads 2**-14 more; the subtraction is exact. */
    uint32_t subnormal = tpuref_bits_of(
        tpuref_float_of(magnitude + (113u << 23)) - tpuref_float_of(113u << 23));
    uint32_t finite = magnitude < (1u << 23) ? subnormal : normal;
    return tpuref_float_of(sign | (magnitude >= (31u << 23) ? special : finite));
}

static inline uint16_t tpuref_round_float16(float value)
{
    uint32_t bits = tpuref_bits_of(value);
    uint32_t sign = bits >> 16 & 0x8000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    uint32_t odd = magnitude >> 13 & 1u;
    uint32_t normal = (magnitude - (112u << 23) + 0xfffu + odd) >> 13;
    /* The last bit of 0.5f counts 2**-24, the unit of float16's subnormals: the
       processor rounds the sum to that unit, and the low bits are the significand. */
    uint32_t subnormal = tpuref_bits_of(
        tpuref_float_of(magnitude) + 0.5f) - tpuref_bits_of(0.5f);
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
    uint32_t infinite = magnitude > 0x7f800000u ? nan : 0x7c00u;
    /* 65520 and more round to infinity: it is halfway from 65504, the largest finite
       value, to 65536, and the tie goes to the even one. */
    return (uint16_t)(sign | (magnitude >= 0x477ff000u ? infinite : finite));
}

/* The other types are summed as they are stored. */
#define tpuref_widen_bits32(value) (value)
#define tpuref_widen_float32(value) (value)
#define tpuref_widen_float64(value) (value)
#define tpuref_round_bits32(sum) (sum)
#define tpuref_round_float32(sum) (sum)
#define tpuref_round_float64(sum) (sum)

/* destination[start:stop] = first + others[0] + others[1] + ..., from left to right.
   The destination may be one of the operands, but not overlap one otherwise. With
   `stream` it is written past the caches where the instructions allow it;
   tpuref_end_stream then has to follow. */
typedef void (*tpuref_pass)(
    const void *first, const void *const *others, int num_others, void *destination,
    size_t start, size_t stop, int stream);

/* The passes of one instruction set. A half type has four: [0] neither the first
   operand nor the sum is float32, [1] the sum is, [2] the first operand is, [3] both. */
typedef struct {
    const char *name;
    tpuref_pass bits32, float32, float64;
    tpuref_pass float16[4], bfloat16[4];
} tpuref_passes;

/* Define the passes of a set of instructions except bfloat16_0, which x86-64 makes in
   another way: pass(set, name, accumulator, types of first, others and destination). */
#define TPUREF_EACH_PASS(pass, set) \
    pass(set, bits32, uint32_t, bits32, bits32, bits32) \
    pass(set, float32, float, float32, float32, float32) \
    pass(set, float64, double, float64, float64, float64) \
    pass(set, float16_0, float, float16, float16, float16) \
    pass(set, float16_1, float, float16, float16, float32) \
    pass(set, float16_2, float, float32, float16, float16) \
    pass(set, float16_3, float, float32, float16, float32) \
    pass(set, bfloat16_1, float, bfloat16, bfloat16, float32) \
    pass(set, bfloat16_2, float, float32, bfloat16, bfloat16) \
    pass(set, bfloat16_3, float, float32, bfloat16, float32)

/* The plain pass forms this many sums at a time. The number is small, so that all
   operands are read at the same pace and the hardware prefetcher follows each of them.
   Elements are independent, so every sum still goes from left to right. All operands of
   a slice are read before it is written: the destination may be one of them. */
enum { TPUREF_SUMS = 64 };

#define TPUREF_PLAIN(set, name, accumulator, a_type, b_type, type) \
    static void tpuref_##name##_##set( \
        const void *first, const void *const *others, int num_others, \
        void *destination, size_t start, size_t stop, int stream) \
    { \
        accumulator sums[TPUREF_SUMS]; \
        size_t length, i; \
        int k; \
        (void)stream; \
        for (; start < stop; start += length) { \
            const tpuref_##a_type *a = (const tpuref_##a_type *)first + start; \
            tpuref_##type *total = (tpuref_##type *)destination + start; \
            length = stop - start < TPUREF_SUMS ? stop - start : TPUREF_SUMS; \
            for (i = 0; i < length; i++) \
                sums[i] = tpuref_widen_##a_type(a[i]); \
            for (k = 0; k < num_others; k++) { \
                const tpuref_##b_type *b = (const tpuref_##b_type *)others[k] + start; \
                for (i = 0; i < length; i++) \
                    sums[i] += tpuref_widen_##b_type(b[i]); \
            } \
            for (i = 0; i < length; i++) \
                total[i] = tpuref_round_##type(sums[i]); \
        } \
    }

TPUREF_EACH_PASS(TPUREF_PLAIN, plain)
TPUREF_PLAIN(plain, bfloat16_0, float, bfloat16, bfloat16, bfloat16)

#define TPUREF_PASSES(set) { \
    #set, tpuref_bits32_##set, tpuref_float32_##set, tpuref_float64_##set, \
    { tpuref_float16_0_##set, tpuref_float16_1_##set, \
      tpuref_float16_2_##set, tpuref_float16_3_##set }, \
    { tpuref_bfloat16_0_##set, tpuref_bfloat16_1_##set, \
      tpuref_bfloat16_2_##set, tpuref_bfloat16_3_##set } }

#if defined(__GNUC__) && defined(__x86_64__)
#include "fold_x86.h"
#else
static const tpuref_passes *tpuref_best_passes(void)
{
    static const tpuref_passes plain = TPUREF_PASSES(plain);
    return &plain;
}
static inline void tpuref_end_stream(void) {}
static inline void tpuref_copy(
    void *destination, const void *source, size_t bytes, int stream)
{
    (void)stream;
    memmove(destination, source, bytes);
}
#endif

static inline const char *tpuref_vector_instructions(void)
{
    return tpuref_best_passes()->name;
}

static inline int tpuref_is_half(int dtype)
{
    return dtype == TPUREF_FLOAT16 || dtype == TPUREF_BFLOAT16;
}

/* The bytes of an element, 0 if elements of this type cannot be added. */
static inline size_t tpuref_item_bytes(int dtype)
{
    switch (dtype) {
    case TPUREF_FLOAT16: case TPUREF_BFLOAT16:
        return 2;
    case TPUREF_INT32: case TPUREF_UINT32: case TPUREF_FLOAT32:
        return 4;
    case TPUREF_FLOAT64:
        return 8;
    default:
        return 0;
    }
}

/* Choose a pass and make it. For a half type `first_wide` and `wide` say whether the
   first operand and the sum are float32; for others they mean nothing. */
static inline void tpuref_add(
    const void *first, int first_wide, const void *const *others, int num_others,
    void *destination, int wide, size_t start, size_t stop, int dtype, int stream)
{
    const tpuref_passes *passes = tpuref_best_passes();
    int variant = 2 * (first_wide != 0) + (wide != 0);
    tpuref_pass pass;
    switch (dtype) {
    case TPUREF_INT32: case TPUREF_UINT32: pass = passes->bits32; break;
    case TPUREF_FLOAT32: pass = passes->float32; break;
    case TPUREF_FLOAT64: pass = passes->float64; break;
    case TPUREF_FLOAT16: pass = passes->float16[variant]; break;
    case TPUREF_BFLOAT16: pass = passes->bfloat16[variant]; break;
    default: return;
    }
    pass(first, others, num_others, destination, start, stop, stream);
    if (stream)
        tpuref_end_stream();
}

/* The sum of a single vector: a copy, except that a bfloat16 NaN becomes the quiet NaN
   that rounding gives, as in a sum of several. */
static inline void tpuref_settle(
    const void *source, void *destination, size_t start, size_t stop, int dtype)
{
    const tpuref_bfloat16 *from = (const tpuref_bfloat16 *)source;
    tpuref_bfloat16 *to = (tpuref_bfloat16 *)destination;
    size_t item = tpuref_item_bytes(dtype);
    if (dtype == TPUREF_BFLOAT16)
        for (; start < stop; start++)
            to[start] = tpuref_round_bfloat16(tpuref_widen_bfloat16(from[start]));
    else if (start < stop)
        memmove((char *)destination + start * item, (const char *)source + start * item,
                (stop - start) * item);
}

/* Many vectors are added eight at a time, in blocks of 16 KiB of the sum: a prefetcher
   follows only a few streams, and vectors that lie whole pages apart compete for the
   same cache sets. */
enum { TPUREF_STREAMS = 8, TPUREF_BLOCK = 16384 };

/* Sum many vectors over one block: `length` elements from `start`. The partial sum of
   each eight stays in a buffer that fits the first-level cache, as float32 for half
   types, so the order and the single rounding are those of one pass. */
static inline void tpuref_fold_block(
    const void *const *sources, int count, void *destination, size_t start,
    size_t length, int dtype, int stream)
{
    double partial[TPUREF_BLOCK / sizeof(double)];
    size_t ahead = start * tpuref_item_bytes(dtype);
    const void *first = (const char *)sources[0] + ahead, *others[TPUREF_STREAMS];
    int added, number, last, k;
    for (added = 1; added < count; added += number) {
        number = count - added < TPUREF_STREAMS ? count - added : TPUREF_STREAMS;
        last = added + number == count;
        for (k = 0; k < number; k++)
            others[k] = (const char *)sources[added + k] + ahead;
        tpuref_add(first, added > 1, others, number,
                   last ? (void *)((char *)destination + ahead) : partial, !last,
                   0, length, dtype, last && stream);
        first = partial;
    }
}

/* destination[start:stop] = the sum of one source or more, from left to right; see
   tpuref_pass. */
static inline void tpuref_fold(
    const void *const *sources, int count, void *destination, size_t start, size_t stop,
    int dtype, int stream)
{
    size_t wide = dtype == TPUREF_FLOAT64 ? sizeof(double) : sizeof(float);
    size_t block = TPUREF_BLOCK / wide;
    if (count == 1)
        tpuref_settle(sources[0], destination, start, stop, dtype);
    else if (count <= 2 * TPUREF_STREAMS)
        tpuref_add(sources[0], 0, sources + 1, count - 1, destination, 0, start, stop,
                   dtype, stream);
    else
        for (; start < stop; start += block)
            tpuref_fold_block(sources, count, destination, start,
                              stop - start < block ? stop - start : block, dtype,
                              stream);
}

#endif
