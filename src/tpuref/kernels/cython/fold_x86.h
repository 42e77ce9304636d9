/* The passes of fold.h for x86-64: with AVX2 and F16C, and with AVX-512. Each function is
   compiled for its own instruction set and called only if the processor has it. A turn of
   a loop has four vector sums, whose additions do not wait for each other; the elements
   before and after the full turns go to the plain pass, which gives the same bits. */

#include <cpuid.h>
#include <immintrin.h>

#define TPUREF_TARGET_avx2 __attribute__((target("avx2,f16c")))
#define TPUREF_TARGET_avx512f __attribute__((target("avx512f")))

#define TPUREF_STREAM_16(to, sum) _mm_stream_si128((__m128i *)(to), (__m128i)(sum))
#define TPUREF_STREAM_32(to, sum) _mm256_stream_si256((__m256i *)(to), (__m256i)(sum))
#define TPUREF_STREAM_64(to, sum) _mm512_stream_si512((__m512i *)(to), (__m512i)(sum))

#define TPUREF_ANY_NAN_avx2(a, b) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q))
#define TPUREF_ANY_NAN_avx512f(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)

/* Half types: eight widen to one vector of AVX2, sixteen to one of AVX-512. The code that
   GCC 12 makes of __builtin_convertvector takes three times as long. */
#define TPUREF_WIDEN_FLOAT16_avx2(halves, part) _mm256_cvtph_ps((__m128i)(halves))
#define TPUREF_WIDEN_FLOAT16_avx512f(halves, part) _mm512_cvtph_ps((__m256i)(halves))
#define TPUREF_ROUND_FLOAT16_avx2(sums) _mm256_cvtps_ph(*(sums), TPUREF_NEAREST)
#define TPUREF_ROUND_FLOAT16_avx512f(sums) _mm512_cvtps_ph(*(sums), TPUREF_NEAREST)
#define TPUREF_NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define TPUREF_WIDEN_BFLOAT16_avx2(halves, part) \
    _mm256_slli_epi32(_mm256_cvtepu16_epi32((__m128i)(halves)), 16)
#define TPUREF_WIDEN_BFLOAT16_avx512f(halves, part) \
    _mm512_slli_epi32(_mm512_cvtepu16_epi32((__m256i)(halves)), 16)
/* The pack works within each 128-bit half: quadwords 0 and 2 hold the result. */
#define TPUREF_LOW_HALVES_avx2(words) \
    _mm256_castsi256_si128(_mm256_permute4x64_epi64( \
        _mm256_packus_epi32((__m256i)(words), (__m256i)(words)), 0x08))
#define TPUREF_LOW_HALVES_avx512f(words) _mm512_cvtepi32_epi16((__m512i)(words))

/* Define the access to the four vector sums of a turn. A stored vector of `bytes` bytes
   has the elements of `parts` sums: `widen` takes one part from it, `round` makes it of
   all. Streaming stores follow each other directly: work in between slows them down. */
#define TPUREF_ACCESS(set, name, sum, stored, bytes, parts, widen, round) \
    TPUREF_TARGET_##set static inline \
    tpuref_##sum##_##set tpuref_load_##name##_##set(const tpuref_##name *from, int j) \
    { \
        tpuref_##stored##_##set value; \
        memcpy(&value, from + j / parts * (bytes / sizeof *from), bytes); \
        return (tpuref_##sum##_##set)widen(value, j % parts); \
    } \
    TPUREF_TARGET_##set static inline void tpuref_store_##name##_##set( \
        tpuref_##name *to, const tpuref_##sum##_##set *sums, int stream) \
    { \
        tpuref_##stored##_##set values[4 / parts]; \
        int j; \
        _Pragma("GCC unroll 4") \
        for (j = 0; j < 4 / parts; j++) \
            values[j] = (tpuref_##stored##_##set)round(sums + parts * j); \
        _Pragma("GCC unroll 4") \
        for (j = 0; j < 4 / parts; j++, to += bytes / sizeof *to) \
            if (stream) \
                TPUREF_STREAM_##bytes(to, values[j]); \
            else \
                memcpy(to, &values[j], bytes); \
    }

#define TPUREF_SAME(value, part) (value)
#define TPUREF_ONE(sums) (*(sums))

/* bfloat16 to bfloat16 moves no element between lanes. A bfloat16 is the high half of a
   float32, so a 32-bit word holds two neighbours: the even one widens by a shift, the
   odd one by a mask, and after rounding both return to their place in the word. */
#define TPUREF_WIDEN_PAIRS(pairs, odd) ((odd) ? (pairs) & 0xffff0000u : (pairs) << 16)
typedef tpuref_bfloat16 tpuref_pairs;

/* The vectors of a set of instructions, and the access to each type of elements. */
#define TPUREF_VECTORS(set, bytes, half) \
    typedef uint32_t tpuref_uint32_t_##set __attribute__((vector_size(bytes))); \
    typedef float tpuref_float_##set __attribute__((vector_size(bytes))); \
    typedef double tpuref_double_##set __attribute__((vector_size(bytes))); \
    typedef uint16_t tpuref_uint16_t_##set __attribute__((vector_size(half))); \
    /* Round as tpuref_round_bfloat16, to the high half of each word. */ \
    TPUREF_TARGET_##set static inline \
    tpuref_uint32_t_##set tpuref_high_##set(tpuref_float_##set sum, int any_nan) \
    { \
        tpuref_uint32_t_##set bits = (tpuref_uint32_t_##set)sum; \
        tpuref_uint32_t_##set rounded = bits + 0x7fffu + (bits >> 16 & 1u); \
        tpuref_uint32_t_##set nan = (bits & 0x80000000u) | 0x7fc00000u; \
        tpuref_uint32_t_##set is_nan = (tpuref_uint32_t_##set)(sum != sum); \
        return any_nan ? (nan & is_nan) | (rounded & ~is_nan) : rounded; \
    } \
    TPUREF_TARGET_##set static inline \
    tpuref_uint16_t_##set tpuref_round_bfloat16_##set(const tpuref_float_##set *sum) \
    { \
        int any_nan = TPUREF_ANY_NAN_##set(*sum, *sum); \
        tpuref_uint32_t_##set words = tpuref_high_##set(*sum, any_nan) >> 16; \
        return (tpuref_uint16_t_##set)TPUREF_LOW_HALVES_##set(words); \
    } \
    TPUREF_TARGET_##set static inline \
    tpuref_uint32_t_##set tpuref_round_pairs_##set(const tpuref_float_##set *sums) \
    { \
        int any_nan = TPUREF_ANY_NAN_##set(sums[0], sums[1]); \
        return tpuref_high_##set(sums[0], any_nan) >> 16 \
            | (tpuref_high_##set(sums[1], any_nan) & 0xffff0000u); \
    } \
    TPUREF_ACCESS(set, bits32, uint32_t, uint32_t, bytes, 1, TPUREF_SAME, TPUREF_ONE) \
    TPUREF_ACCESS(set, float32, float, float, bytes, 1, TPUREF_SAME, TPUREF_ONE) \
    TPUREF_ACCESS(set, float64, double, double, bytes, 1, TPUREF_SAME, TPUREF_ONE) \
    TPUREF_ACCESS(set, float16, float, uint16_t, half, 1, \
                  TPUREF_WIDEN_FLOAT16_##set, TPUREF_ROUND_FLOAT16_##set) \
    TPUREF_ACCESS(set, bfloat16, float, uint16_t, half, 1, \
                  TPUREF_WIDEN_BFLOAT16_##set, tpuref_round_bfloat16_##set) \
    TPUREF_ACCESS(set, pairs, float, uint32_t, bytes, 2, \
                  TPUREF_WIDEN_PAIRS, tpuref_round_pairs_##set)

TPUREF_VECTORS(avx2, 32, 16)
TPUREF_VECTORS(avx512f, 64, 32)

/* Return the number of elements before the first aligned one, or `count` if no element
   is aligned: streaming stores require aligned addresses. */
static inline size_t tpuref_before_aligned(
    const void *address, size_t alignment, size_t item, size_t count)
{
    size_t bytes = (size_t)-(uintptr_t)address & (alignment - 1);
    return bytes % item != 0 || bytes / item > count ? count : bytes / item;
}

#define TPUREF_PASS(set, name, accumulator, a_type, b_type, type) \
    TPUREF_TARGET_##set static void tpuref_##name##_##set( \
        const void *first, const void *const *others, int num_others, \
        void *destination, size_t start, size_t stop, int stream) \
    { \
        const tpuref_##a_type *a = (const tpuref_##a_type *)first; \
        tpuref_##type *total = (tpuref_##type *)destination; \
        tpuref_##accumulator##_##set sums[4]; \
        const size_t turn = 4 * (sizeof sums[0] / sizeof sums[0][0]); \
        size_t i = start; \
        int j, k; \
        if (stream) { \
            i += tpuref_before_aligned( \
                total + i, sizeof sums[0], sizeof *total, stop - i); \
            tpuref_##name##_plain( \
                first, others, num_others, destination, start, i, 0); \
        } \
        for (; i + turn <= stop; i += turn) { \
            _Pragma("GCC unroll 4") \
            for (j = 0; j < 4; j++) \
                sums[j] = tpuref_load_##a_type##_##set(a + i, j); \
            for (k = 0; k < num_others; k++) { \
                const tpuref_##b_type *b = (const tpuref_##b_type *)others[k] + i; \
                _Pragma("GCC unroll 4") \
                for (j = 0; j < 4; j++) \
                    sums[j] += tpuref_load_##b_type##_##set(b, j); \
            } \
            tpuref_store_##type##_##set(total + i, sums, stream); \
        } \
        tpuref_##name##_plain(first, others, num_others, destination, i, stop, 0); \
    }

TPUREF_EACH_PASS(TPUREF_PASS, avx2)
TPUREF_PASS(avx2, bfloat16_0, float, pairs, pairs, pairs)
TPUREF_EACH_PASS(TPUREF_PASS, avx512f)
TPUREF_PASS(avx512f, bfloat16_0, float, pairs, pairs, pairs)

static int tpuref_has_f16c(void)
{
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}

static const tpuref_passes *tpuref_best_passes(void)
{
    static const tpuref_passes plain = TPUREF_PASSES(plain);
    static const tpuref_passes avx2 = TPUREF_PASSES(avx2);
    static const tpuref_passes avx512f = TPUREF_PASSES(avx512f);
    static const tpuref_passes *best = NULL;
    if (best == NULL) { /* a race is harmless: all threads store the same pointer */
        if (__builtin_cpu_supports("avx512f"))
            best = &avx512f;
        else if (__builtin_cpu_supports("avx2") && tpuref_has_f16c())
            best = &avx2;
        else
            best = &plain;
    }
    return best;
}

/* Streaming stores are weakly ordered. The fence puts them before the store of the flag
   that tells other cores that the sum is there. */
static void tpuref_end_stream(void)
{
    _mm_sfence();
}

/* Copy bytes; with `stream` past the caches, by the pass that has nothing to add. */
static inline void tpuref_copy(
    void *destination, const void *source, size_t bytes, int stream)
{
    const char *from = (const char *)source;
    char *to = (char *)destination;
    size_t copied = 0;
    if (stream) {
        size_t head = tpuref_before_aligned(to, sizeof(tpuref_bits32), 1, bytes);
        size_t count = (bytes - head) / sizeof(tpuref_bits32);
        memmove(to, from, head);
        tpuref_best_passes()->bits32(from + head, NULL, 0, to + head, 0, count, 1);
        tpuref_end_stream();
        copied = head + count * sizeof(tpuref_bits32);
    }
    memmove(to + copied, from + copied, bytes - copied);
}
