/* Compares the passes of every set of instructions that this processor has with the
   plain ones: lengths about a vector's, all alignments, streamed and not, on bits that
   cover every exponent, ties, infinities, and NaNs in the first operand. */

#include <stdio.h>

#include "fold.h"

enum { OTHERS = 3, LENGTH = 300, SHIFTS = 64, BYTES = 8 * LENGTH + 2 * SHIFTS };

static uint32_t random_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* Words of which some lie on the middle between two halves, or next to it. */
static void fill(unsigned char *bytes)
{
    size_t i;
    for (i = 0; i < BYTES; i += 4) {
        uint32_t bits = random_bits();
        switch (random_bits() % 4) {
        case 0: bits = (bits & 0xffff0000u) | (0x7fffu + random_bits() % 3); break;
        case 1: bits = (bits & 0xffffe000u) | (0x0fffu + random_bits() % 3); break;
        default: break;
        }
        memcpy(bytes + i, &bits, 4);
    }
}

/* Make elements of this size small, because it is open which of two NaNs survives. */
static void tame(unsigned char *bytes, size_t item)
{
    size_t i;
    for (i = item - 1; i < BYTES; i += item)
        bytes[i] &= 0xbf;
}

static int compare(const char *set, const char *name, size_t item, tpuref_pass pass,
                   tpuref_pass plain)
{
    static unsigned char first[BYTES], others[OTHERS][BYTES];
    static unsigned char found[BYTES] __attribute__((aligned(64)));
    static unsigned char expected[BYTES] __attribute__((aligned(64)));
    const void *operands[OTHERS];
    size_t length, shift, start;
    int count, stream;
    for (length = 0; length <= LENGTH; length += 1 + length / 10)
        for (shift = 0; shift < SHIFTS; shift += 1 + shift % 3)
            for (stream = 0; stream < 2; stream++) {
                start = length % 3;
                fill(first);
                for (count = 0; count < OTHERS; count++) {
                    fill(others[count]);
                    tame(others[count], item);
                    operands[count] = others[count] + count * item;
                }
                memset(found, 0xa5, BYTES);
                memset(expected, 0xa5, BYTES);
                count = 1 + (int)(shift % OTHERS);
                pass(first + shift % 5, operands, count, found + shift, start,
                     start + length, stream);
                plain(first + shift % 5, operands, count, expected + shift, start,
                      start + length, 0);
                tpuref_end_stream();
                if (memcmp(found, expected, BYTES) != 0) {
                    printf("%s %s: length %zu, shift %zu, stream %d\n", set, name,
                           length, shift, stream);
                    return 1;
                }
            }
    return 0;
}

static int compare_set(const tpuref_passes *set, const tpuref_passes *plain)
{
    int failures = 0;
    int i;
    failures += compare(set->name, "bits32", 4, set->bits32, plain->bits32);
    failures += compare(set->name, "float32", 4, set->float32, plain->float32);
    failures += compare(set->name, "float64", 8, set->float64, plain->float64);
    for (i = 0; i < 4; i++) {
        failures += compare(
            set->name, "float16", 2, set->float16[i], plain->float16[i]);
        failures += compare(
            set->name, "bfloat16", 2, set->bfloat16[i], plain->bfloat16[i]);
    }
    return failures;
}

int main(void)
{
    static const tpuref_passes plain = TPUREF_PASSES(plain);
    int failures = compare_set(tpuref_best_passes(), &plain);
#if defined(TPUREF_TARGET_avx2)
    static const tpuref_passes avx2 = TPUREF_PASSES(avx2);
    if (__builtin_cpu_supports("avx2") && tpuref_has_f16c())
        failures += compare_set(&avx2, &plain);
#endif
    if (failures == 0)
        puts("equal");
    return failures != 0;
}
