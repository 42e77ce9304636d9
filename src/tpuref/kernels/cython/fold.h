/* Adding up vectors from left to right, on raw addresses of any alignment.

   Elements are named by TensorFlow's public DataType numbers. float16 and bfloat16 are
   added as float32 and rounded once, to nearest even; integers wrap. No sum is
   reordered and no product is formed, so the widest instructions present give the bits
   of the plain loop. Only where two NaNs meet is it open whose payload survives. */

#ifndef TPUREF_FOLD_H
#define TPUREF_FOLD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    TPUREF_FLOAT32 = 1, TPUREF_FLOAT64 = 2, TPUREF_INT32 = 3, TPUREF_UINT8 = 4,
    TPUREF_INT16 = 5, TPUREF_INT8 = 6, TPUREF_COMPLEX64 = 8, TPUREF_INT64 = 9,
    TPUREF_BFLOAT16 = 14, TPUREF_UINT16 = 17, TPUREF_COMPLEX128 = 18,
    TPUREF_FLOAT16 = 19, TPUREF_UINT32 = 22, TPUREF_UINT64 = 23
};

/* So much of a sum is held at a time: it stays in the first-level cache while the
   contributions stream past it. */
enum { TPUREF_BLOCK_BYTES = 8192 };

/* Bytes at an address of any alignment, whatever type was stored there. */
#if defined(__GNUC__)
#define TPUREF_UNALIGNED __attribute__((aligned(1), may_alias))
#define TPUREF_ALIGNED __attribute__((aligned(64)))
#else
#define TPUREF_UNALIGNED
#define TPUREF_ALIGNED
#endif

typedef float TPUREF_UNALIGNED tpuref_float32;
typedef double TPUREF_UNALIGNED tpuref_float64;
typedef uint8_t TPUREF_UNALIGNED tpuref_bits8;
typedef uint16_t TPUREF_UNALIGNED tpuref_bits16;
typedef uint32_t TPUREF_UNALIGNED tpuref_bits32;
typedef uint64_t TPUREF_UNALIGNED tpuref_bits64;

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

static inline uint16_t tpuref_round_bfloat16(float value)
{
    uint32_t bits = tpuref_bits_of(value);
    uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    uint32_t nan = (bits >> 16 & 0x8000u) | 0x7fc0u;
    return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? nan : rounded);
}

static inline float tpuref_widen_float16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t magnitude = (uint32_t)(half & 0x7fffu) << 13;
    uint32_t normal = magnitude + (112u << 23);
    uint32_t special = magnitude + (224u << 23); /* infinities and NaNs */
    /* A subnormal is its significand in units of 2**-24: exact in float32. */
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
    uint32_t normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    /* Adding one half leaves a subnormal's significand, rounded, in the low bits. */
    uint32_t subnormal = tpuref_bits_of(
        tpuref_float_of(magnitude) + 0.5f) - tpuref_bits_of(0.5f);
    uint32_t nan = 0x7e00u | (magnitude >> 13 & 0x3ffu);
    uint32_t finite = magnitude < (113u << 23) ? subnormal : normal;
    uint32_t infinite = magnitude > 0x7f800000u ? nan : 0x7c00u;
    /* 65520 and more round to infinity. */
    return (uint16_t)(sign | (magnitude >= 0x477ff000u ? infinite : finite));
}

/* One pass: destination = first + second, of a number of elements. The destination may
   be one of the two, but not overlap them otherwise. With `stream` it goes past the
   caches where the instructions allow it. */
typedef void (*tpuref_pass)(
    const void *first, const void *second, void *destination, size_t count, int stream);

/* The passes of one set of instructions. A half type has four, by where its first
   operand and its sum are float32: neither, the sum, the first operand, both. */
typedef struct {
    const char *name;
    tpuref_pass bits8, bits16, bits32, bits64, float32, float64;
    tpuref_pass float16[4], bfloat16[4];
} tpuref_passes;

#if defined(__clang__)
#define TPUREF_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TPUREF_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TPUREF_INDEPENDENT
#endif

#define TPUREF_PLAIN(name, first_type, widen_first, second_type, widen, type, finish) \
    static void tpuref_##name##_plain( \
        const void *first, const void *second, void *destination, size_t count, \
        int stream) \
    { \
        const first_type *a = (const first_type *)first; \
        const second_type *b = (const second_type *)second; \
        type *sum = (type *)destination; \
        size_t i; \
        (void)stream; \
        TPUREF_INDEPENDENT \
        for (i = 0; i < count; i++) \
            sum[i] = finish(widen_first(a[i]) + widen(b[i])); \
    }

#define TPUREF_PLAIN_SAME(name) \
    TPUREF_PLAIN(name, tpuref_##name, , tpuref_##name, , tpuref_##name, (tpuref_##name))

#define TPUREF_PLAIN_HALF(name) \
    TPUREF_PLAIN(name##_0, tpuref_bits16, tpuref_widen_##name, tpuref_bits16, \
                 tpuref_widen_##name, tpuref_bits16, tpuref_round_##name) \
    TPUREF_PLAIN(name##_1, tpuref_bits16, tpuref_widen_##name, tpuref_bits16, \
                 tpuref_widen_##name, tpuref_float32, ) \
    TPUREF_PLAIN(name##_2, tpuref_float32, , tpuref_bits16, tpuref_widen_##name, \
                 tpuref_bits16, tpuref_round_##name) \
    TPUREF_PLAIN(name##_3, tpuref_float32, , tpuref_bits16, tpuref_widen_##name, \
                 tpuref_float32, )

TPUREF_PLAIN_SAME(bits8)
TPUREF_PLAIN_SAME(bits16)
TPUREF_PLAIN_SAME(bits32)
TPUREF_PLAIN_SAME(bits64)
TPUREF_PLAIN_SAME(float32)
TPUREF_PLAIN_SAME(float64)
TPUREF_PLAIN_HALF(float16)
TPUREF_PLAIN_HALF(bfloat16)

#define TPUREF_PASSES(set) { \
    #set, tpuref_bits8_##set, tpuref_bits16_##set, tpuref_bits32_##set, \
    tpuref_bits64_##set, tpuref_float32_##set, tpuref_float64_##set, \
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
static inline void tpuref_copy(void *destination, const void *source, size_t bytes, int stream)
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
    case TPUREF_INT8: case TPUREF_UINT8:
        return 1;
    case TPUREF_INT16: case TPUREF_UINT16: case TPUREF_FLOAT16: case TPUREF_BFLOAT16:
        return 2;
    case TPUREF_INT32: case TPUREF_UINT32: case TPUREF_FLOAT32:
        return 4;
    case TPUREF_INT64: case TPUREF_UINT64: case TPUREF_FLOAT64: case TPUREF_COMPLEX64:
        return 8;
    case TPUREF_COMPLEX128:
        return 16;
    default:
        return 0;
    }
}

/* Choose a pass and make it; see tpuref_add. */
static inline void tpuref_add_block(
    const void *first, int first_wide, const void *second, void *destination, int wide,
    size_t count, int dtype, int stream)
{
    const tpuref_passes *passes = tpuref_best_passes();
    int variant = 2 * (first_wide != 0) + (wide != 0);
    tpuref_pass pass;
    switch (dtype) {
    case TPUREF_INT8: case TPUREF_UINT8: pass = passes->bits8; break;
    case TPUREF_INT16: case TPUREF_UINT16: pass = passes->bits16; break;
    case TPUREF_INT32: case TPUREF_UINT32: pass = passes->bits32; break;
    case TPUREF_INT64: case TPUREF_UINT64: pass = passes->bits64; break;
    case TPUREF_FLOAT32: pass = passes->float32; break;
    case TPUREF_FLOAT64: pass = passes->float64; break;
    case TPUREF_COMPLEX64: pass = passes->float32; count *= 2; break;
    case TPUREF_COMPLEX128: pass = passes->float64; count *= 2; break;
    case TPUREF_FLOAT16: pass = passes->float16[variant]; break;
    case TPUREF_BFLOAT16: pass = passes->bfloat16[variant]; break;
    default: return;
    }
    pass(first, second, destination, count, stream);
}

/* destination = first + second. For a half type `first_wide` and `wide` say whether
   the first operand and the sum are float32; for others they mean nothing. */
static inline void tpuref_add(
    const void *first, int first_wide, const void *second, void *destination, int wide,
    size_t count, int dtype, int stream)
{
    tpuref_add_block(
        first, first_wide, second, destination, wide, count, dtype, stream);
    if (stream)
        tpuref_end_stream();
}

/* The sum of a single contribution: only a bfloat16 NaN changes, as by any rounding. */
static inline void tpuref_settle(
    const void *source, void *destination, size_t count, int dtype)
{
    const tpuref_bits16 *from = (const tpuref_bits16 *)source;
    tpuref_bits16 *to = (tpuref_bits16 *)destination;
    size_t i;
    if (dtype != TPUREF_BFLOAT16) {
        memmove(destination, source, count * tpuref_item_bytes(dtype));
        return;
    }
    TPUREF_INDEPENDENT
    for (i = 0; i < count; i++)
        to[i] = tpuref_round_bfloat16(tpuref_widen_bfloat16(from[i]));
}

/* destination[start:stop] = the left fold of the sources, in their order.

   The destination may be one of the sources. Gives 0, or -1 if there are no sources or
   their type cannot be added. `stream`: see tpuref_pass. */
static inline int tpuref_fold(
    const void *const *sources, int count, void *destination, size_t start, size_t stop,
    int dtype, int stream)
{
    unsigned char sum[TPUREF_BLOCK_BYTES] TPUREF_ALIGNED;
    size_t item = tpuref_item_bytes(dtype);
    size_t block, length, at;
    int source;
    if (item == 0 || count < 1)
        return -1;
    block = TPUREF_BLOCK_BYTES / (tpuref_is_half(dtype) ? sizeof(float) : item);
    for (; start < stop; start += length) {
        length = stop - start < block ? stop - start : block;
        at = start * item;
#define TPUREF_SOURCE(k) ((const unsigned char *)sources[k] + at)
#define TPUREF_DESTINATION ((unsigned char *)destination + at)
        if (count == 1) {
            tpuref_settle(TPUREF_SOURCE(0), TPUREF_DESTINATION, length, dtype);
        } else if (count == 2) {
            tpuref_add_block(TPUREF_SOURCE(0), 0, TPUREF_SOURCE(1),
                             TPUREF_DESTINATION, 0, length, dtype, stream);
        } else {
            tpuref_add_block(TPUREF_SOURCE(0), 0, TPUREF_SOURCE(1), sum, 1, length,
                             dtype, 0);
            for (source = 2; source < count - 1; source++)
                tpuref_add_block(sum, 1, TPUREF_SOURCE(source), sum, 1, length, dtype,
                                 0);
            tpuref_add_block(sum, 1, TPUREF_SOURCE(source), TPUREF_DESTINATION, 0,
                             length, dtype, stream);
        }
#undef TPUREF_SOURCE
#undef TPUREF_DESTINATION
    }
    if (stream)
        tpuref_end_stream();
    return 0;
}

#endif
