/* The passes of fold.h for x86-64: with AVX2 and F16C, and with AVX-512. Each function is
   compiled for its own instruction set and called only if the processor has it. A loop
   keeps four vector sums, whose additions do not wait for each other; the elements
   before and after its last full turn go to the plain pass, which gives the same bits. */

#include <cpuid.h>
#include <immintrin.h>

#define TPUREF_AVX2 __attribute__((target("avx2,f16c")))
#define TPUREF_AVX512F __attribute__((target("avx512f")))

/* Return the number of elements before the first aligned one, or `count` if no element
   is aligned: streaming stores require aligned addresses. */
static inline size_t tpuref_before_aligned(
    const void *address, size_t alignment, size_t item, size_t count)
{
    size_t bytes = (size_t)-(uintptr_t)address & (alignment - 1);
    return bytes % item != 0 || bytes / item > count ? count : bytes / item;
}

#define TPUREF_STORE_16(to, sum) _mm_storeu_si128((__m128i *)(to), (__m128i)(sum))
#define TPUREF_STORE_32(to, sum) _mm256_storeu_si256((__m256i *)(to), (__m256i)(sum))
#define TPUREF_STORE_64(to, sum) _mm512_storeu_si512((void *)(to), (__m512i)(sum))
#define TPUREF_STREAM_16(to, sum) _mm_stream_si128((__m128i *)(to), (__m128i)(sum))
#define TPUREF_STREAM_32(to, sum) _mm256_stream_si256((__m256i *)(to), (__m256i)(sum))
#define TPUREF_STREAM_64(to, sum) _mm512_stream_si512((__m512i *)(to), (__m512i)(sum))

/* `load_first` and `load` read a vector at an address; `finish` converts a vector sum to
   the `bytes` bytes that are stored. */
#define TPUREF_PASS(name, set, target, vector, lanes, first_type, load_first, \
                    other_type, load, type, finish, bytes) \
    target static void tpuref_##name##_##set( \
        const void *first, const void *const *others, int num_others, \
        void *destination, size_t start, size_t stop, int stream) \
    { \
        const first_type *a = (const first_type *)first; \
        type *total = (type *)destination; \
        size_t i = start; \
        int k; \
        if (stream) { \
            i += tpuref_before_aligned(total + i, bytes, sizeof *total, stop - i); \
            tpuref_##name##_plain( \
                first, others, num_others, destination, start, i, 0); \
        } \
        for (; i + 4 * lanes <= stop; i += 4 * lanes) { \
            vector sum0 = load_first(a + i); \
            vector sum1 = load_first(a + i + lanes); \
            vector sum2 = load_first(a + i + 2 * lanes); \
            vector sum3 = load_first(a + i + 3 * lanes); \
            for (k = 0; k < num_others; k++) { \
                const other_type *b = (const other_type *)others[k] + i; \
                sum0 += load(b); \
                sum1 += load(b + lanes); \
                sum2 += load(b + 2 * lanes); \
                sum3 += load(b + 3 * lanes); \
            } \
            if (stream) { \
                TPUREF_STREAM_##bytes(total + i, finish(sum0)); \
                TPUREF_STREAM_##bytes(total + i + lanes, finish(sum1)); \
                TPUREF_STREAM_##bytes(total + i + 2 * lanes, finish(sum2)); \
                TPUREF_STREAM_##bytes(total + i + 3 * lanes, finish(sum3)); \
            } else { \
                TPUREF_STORE_##bytes(total + i, finish(sum0)); \
                TPUREF_STORE_##bytes(total + i + lanes, finish(sum1)); \
                TPUREF_STORE_##bytes(total + i + 2 * lanes, finish(sum2)); \
                TPUREF_STORE_##bytes(total + i + 3 * lanes, finish(sum3)); \
            } \
        } \
        tpuref_##name##_plain(first, others, num_others, destination, i, stop, 0); \
    }

#define TPUREF_KEEP(sum) (sum)

/* Types that are summed in their own type. */

#define TPUREF_SAME(name, element, set, target, bytes) \
    typedef element tpuref_##name##_##set##_vector \
        __attribute__((vector_size(bytes))); \
    typedef element tpuref_##name##_##set##_anywhere \
        __attribute__((vector_size(bytes), aligned(1), may_alias)); \
    target static inline tpuref_##name##_##set##_vector tpuref_load_##name##_##set( \
        const tpuref_##name *from) \
    { \
        return *(const tpuref_##name##_##set##_anywhere *)from; \
    } \
    TPUREF_PASS(name, set, target, tpuref_##name##_##set##_vector, \
                bytes / sizeof(element), tpuref_##name, tpuref_load_##name##_##set, \
                tpuref_##name, tpuref_load_##name##_##set, \
                tpuref_##name, TPUREF_KEEP, bytes)

TPUREF_SAME(bits32, uint32_t, avx2, TPUREF_AVX2, 32)
TPUREF_SAME(float32, float, avx2, TPUREF_AVX2, 32)
TPUREF_SAME(float64, double, avx2, TPUREF_AVX2, 32)

TPUREF_SAME(bits32, uint32_t, avx512f, TPUREF_AVX512F, 64)
TPUREF_SAME(float32, float, avx512f, TPUREF_AVX512F, 64)
TPUREF_SAME(float64, double, avx512f, TPUREF_AVX512F, 64)

/* Half types: eight widen to one vector of AVX2, sixteen to one of AVX-512. */

TPUREF_AVX2 static inline __m256 tpuref_widen_float16_8(const tpuref_bits16 *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
}

TPUREF_AVX2 static inline __m128i tpuref_round_float16_8(__m256 sum)
{
    return _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

TPUREF_AVX2 static inline __m256 tpuref_widen_bfloat16_8(const tpuref_bits16 *from)
{
    __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

TPUREF_AVX2 static inline __m128i tpuref_round_bfloat16_8(__m256 sum)
{
    __m256i bits = _mm256_castps_si256(sum);
    __m256i high = _mm256_srli_epi32(bits, 16);
    __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    __m256i bias = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
    __m256i sign = _mm256_and_si256(high, _mm256_set1_epi32(0x8000));
    __m256i nan = _mm256_or_si256(sign, _mm256_set1_epi32(0x7fc0));
    __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(sum, sum, _CMP_UNORD_Q));
    __m256i chosen = _mm256_blendv_epi8(rounded, nan, is_nan);
    /* The pack works within each 128-bit half: quadwords 0 and 2 hold the result. */
    __m256i packed = _mm256_packus_epi32(chosen, chosen);
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

TPUREF_AVX512F static inline __m512 tpuref_widen_float16_16(const tpuref_bits16 *from)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
}

TPUREF_AVX512F static inline __m256i tpuref_round_float16_16(__m512 sum)
{
    return _mm512_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

TPUREF_AVX512F static inline __m512 tpuref_widen_bfloat16_16(const tpuref_bits16 *from)
{
    __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

TPUREF_AVX512F static inline __m256i tpuref_round_bfloat16_16(__m512 sum)
{
    __m512i bits = _mm512_castps_si512(sum);
    __m512i high = _mm512_srli_epi32(bits, 16);
    __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    __m512i bias = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
    __m512i sign = _mm512_and_si512(high, _mm512_set1_epi32(0x8000));
    __m512i nan = _mm512_or_si512(sign, _mm512_set1_epi32(0x7fc0));
    __mmask16 is_nan = _mm512_cmp_ps_mask(sum, sum, _CMP_UNORD_Q);
    return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(rounded, is_nan, nan));
}

/* The variants of a half type: see tpuref_passes. */
#define TPUREF_NARROW(name, set, target, vector, lanes, bytes) \
    TPUREF_PASS(name##_0, set, target, vector, lanes, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_bits16, tpuref_round_##name##_##lanes, bytes)

#define TPUREF_WIDE(name, set, target, vector, lanes, wide_bytes, narrow_bytes) \
    TPUREF_PASS(name##_1, set, target, vector, lanes, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_float32, TPUREF_KEEP, wide_bytes) \
    TPUREF_PASS(name##_2, set, target, vector, lanes, \
                tpuref_float32, tpuref_load_float32_##set, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_bits16, tpuref_round_##name##_##lanes, narrow_bytes) \
    TPUREF_PASS(name##_3, set, target, vector, lanes, \
                tpuref_float32, tpuref_load_float32_##set, \
                tpuref_bits16, tpuref_widen_##name##_##lanes, \
                tpuref_float32, TPUREF_KEEP, wide_bytes)

TPUREF_NARROW(float16, avx2, TPUREF_AVX2, __m256, 8, 16)
TPUREF_NARROW(float16, avx512f, TPUREF_AVX512F, __m512, 16, 32)

TPUREF_WIDE(float16, avx2, TPUREF_AVX2, __m256, 8, 32, 16)
TPUREF_WIDE(bfloat16, avx2, TPUREF_AVX2, __m256, 8, 32, 16)
TPUREF_WIDE(float16, avx512f, TPUREF_AVX512F, __m512, 16, 64, 32)
TPUREF_WIDE(bfloat16, avx512f, TPUREF_AVX512F, __m512, 16, 64, 32)

/* bfloat16 to bfloat16, without moving an element between lanes. A bfloat16 is the high
   half of a float32, so a 32-bit word holds two neighbours: the even one widens by a
   shift, the odd one by a mask, and after rounding both return to their place in the
   word. The rounding has no case for NaNs: a slice with one is summed again by the plain
   pass, which can still read all operands because nothing of the slice is stored yet. */
#define TPUREF_NARROW_BFLOAT16(set, target, bytes, any_nan) \
    typedef uint32_t tpuref_words_##set __attribute__((vector_size(bytes))); \
    typedef uint32_t tpuref_words_##set##_anywhere \
        __attribute__((vector_size(bytes), aligned(1), may_alias)); \
    typedef float tpuref_floats_##set __attribute__((vector_size(bytes))); \
    target static inline tpuref_words_##set tpuref_words_at_##set( \
        const void *address) \
    { \
        return *(const tpuref_words_##set##_anywhere *)address; \
    } \
    target static inline tpuref_floats_##set tpuref_even_##set( \
        tpuref_words_##set pairs) \
    { \
        return (tpuref_floats_##set)(pairs << 16); \
    } \
    target static inline tpuref_floats_##set tpuref_odd_##set( \
        tpuref_words_##set pairs) \
    { \
        return (tpuref_floats_##set)(pairs & 0xffff0000u); \
    } \
    target static inline tpuref_words_##set tpuref_rounded_##set( \
        tpuref_floats_##set sum) \
    { \
        tpuref_words_##set bits = (tpuref_words_##set)sum; \
        return bits + 0x7fffu + (bits >> 16 & 1u); \
    } \
    target static inline tpuref_words_##set tpuref_pairs_##set( \
        tpuref_floats_##set even, tpuref_floats_##set odd) \
    { \
        return (tpuref_rounded_##set(even) >> 16) \
            | (tpuref_rounded_##set(odd) & 0xffff0000u); \
    } \
    target static void tpuref_bfloat16_0_##set( \
        const void *first, const void *const *others, int num_others, \
        void *destination, size_t start, size_t stop, int stream) \
    { \
        const tpuref_bits16 *a = (const tpuref_bits16 *)first; \
        tpuref_bits16 *total = (tpuref_bits16 *)destination; \
        size_t i = start; \
        int k; \
        if (stream) { \
            i += tpuref_before_aligned(total + i, bytes, sizeof *total, stop - i); \
            tpuref_bfloat16_0_plain( \
                first, others, num_others, destination, start, i, 0); \
        } \
        for (; i + bytes <= stop; i += bytes) { \
            tpuref_words_##set pairs0 = tpuref_words_at_##set(a + i); \
            tpuref_words_##set pairs1 = tpuref_words_at_##set(a + i + bytes / 2); \
            tpuref_floats_##set even0 = tpuref_even_##set(pairs0); \
            tpuref_floats_##set odd0 = tpuref_odd_##set(pairs0); \
            tpuref_floats_##set even1 = tpuref_even_##set(pairs1); \
            tpuref_floats_##set odd1 = tpuref_odd_##set(pairs1); \
            for (k = 0; k < num_others; k++) { \
                const tpuref_bits16 *b = (const tpuref_bits16 *)others[k] + i; \
                pairs0 = tpuref_words_at_##set(b); \
                pairs1 = tpuref_words_at_##set(b + bytes / 2); \
                even0 += tpuref_even_##set(pairs0); \
                odd0 += tpuref_odd_##set(pairs0); \
                even1 += tpuref_even_##set(pairs1); \
                odd1 += tpuref_odd_##set(pairs1); \
            } \
            pairs0 = tpuref_pairs_##set(even0, odd0); \
            pairs1 = tpuref_pairs_##set(even1, odd1); \
            if (any_nan(even0, odd0) || any_nan(even1, odd1)) { \
                tpuref_bfloat16_0_plain( \
                    first, others, num_others, destination, i, i + bytes, 0); \
            } else if (stream) { \
                TPUREF_STREAM_##bytes(total + i, pairs0); \
                TPUREF_STREAM_##bytes(total + i + bytes / 2, pairs1); \
            } else { \
                TPUREF_STORE_##bytes(total + i, pairs0); \
                TPUREF_STORE_##bytes(total + i + bytes / 2, pairs1); \
            } \
        } \
        tpuref_bfloat16_0_plain(first, others, num_others, destination, i, stop, 0); \
    }

#define TPUREF_ANY_NAN_8(a, b) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_UNORD_Q))
#define TPUREF_ANY_NAN_16(a, b) _mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q)

TPUREF_NARROW_BFLOAT16(avx2, TPUREF_AVX2, 32, TPUREF_ANY_NAN_8)
TPUREF_NARROW_BFLOAT16(avx512f, TPUREF_AVX512F, 64, TPUREF_ANY_NAN_16)

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

/* Copy bytes; with `stream` past the caches. */
static inline void tpuref_copy(
    void *destination, const void *source, size_t bytes, int stream)
{
    const char *from = (const char *)source;
    char *to = (char *)destination;
    size_t i = 0;
    if (stream) {
        i = tpuref_before_aligned(to, 64, 1, bytes);
        memmove(to, from, i);
        for (; i + 64 <= bytes; i += 64) {
            __m128i a = _mm_loadu_si128((const __m128i *)(from + i));
            __m128i b = _mm_loadu_si128((const __m128i *)(from + i + 16));
            __m128i c = _mm_loadu_si128((const __m128i *)(from + i + 32));
            __m128i d = _mm_loadu_si128((const __m128i *)(from + i + 48));
            _mm_stream_si128((__m128i *)(to + i), a);
            _mm_stream_si128((__m128i *)(to + i + 16), b);
            _mm_stream_si128((__m128i *)(to + i + 32), c);
            _mm_stream_si128((__m128i *)(to + i + 48), d);
        }
        tpuref_end_stream();
    }
    memmove(to + i, from + i, bytes - i);
}
