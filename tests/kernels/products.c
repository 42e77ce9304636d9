/* Compares the loops of products.h for every set of instructions of this processor.
   All numbers are small integers, so no order and no fused product rounds. */

#include <stdio.h>
#include <stdlib.h>

#include "products.h"

enum { COUNT = 3, INNER = 5, ROWS = 29, COLUMNS = 80, FIRST = 2, LAST = 28 };

static float lefts[COUNT][INNER * ROWS], rights[COUNT][INNER * COLUMNS];
static float result[3][ROWS * COLUMNS];
static float rows[(COUNT * INNER + TPUREF_OUTPUTS) * ROWS + TPUREF_OUTPUTS];
static float columns[TPUREF_GROUP + COUNT * INNER * 2 * TPUREF_OUTPUTS];

static void draw(float *values, size_t count)
{
    while (count-- > 0)
        values[count] = (float)(rand() % 9 - 4);
}

int main(void)
{
    int set, sets = 1, k;
    const float *left[COUNT], *right[COUNT];
    void (*loops[3])(const tpuref_products *, ptrdiff_t, ptrdiff_t, float *, float *) = {
        tpuref_sum_of_plain };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        loops[sets++] = tpuref_sum_of_avx2;
    if (__builtin_cpu_supports("avx512f"))
        loops[sets++] = tpuref_sum_of_avx512f;
#endif
    for (k = 0; k < COUNT; k++) {
        draw(lefts[k], INNER * ROWS);
        draw(rights[k], INNER * COLUMNS);
        left[k] = lefts[k];
        right[k] = rights[k];
    }
    for (set = 0; set < sets; set++) {
        tpuref_products p = {
            left, right, COUNT, INNER, ROWS, COLUMNS, ROWS, COLUMNS, COLUMNS, 1, 0,
            result[set] };
        loops[set](&p, FIRST, LAST, rows, columns);
        if (memcmp(result[set], result[0], sizeof *result)) {
            printf("set %d differs\n", set);
            return 1;
        }
    }
    puts("equal");
    return 0;
}
