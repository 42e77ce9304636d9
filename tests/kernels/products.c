/* Compares the loops of products.h for every set of instructions of this processor.
   All numbers are small integers, so no order and no fused product rounds. */

#include <stdio.h>
#include <stdlib.h>

#include "products.h"

enum { COUNT = 3, INNER = 5, ROWS = 29, COLUMNS = 80, TILES = 7, FIRST = 1, LAST = 6 };

static float left[INNER * ROWS], right[INNER * COLUMNS], result[3][ROWS * COLUMNS];
static float copies[COUNT][INNER * (ROWS + COLUMNS) + TILES * TPUREF_OUTPUTS];

static void draw(float *values, size_t count)
{
    while (count-- > 0)
        values[count] = (float)(rand() % 9 - 4);
}

int main(void)
{
    int set, sets = 1, k;
    const tpuref_sums_of_products *sums[3] = { &tpuref_sums_plain };
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        sums[sets++] = &tpuref_sums_avx2;
    if (__builtin_cpu_supports("avx512f"))
        sums[sets++] = &tpuref_sums_avx512f;
#endif
    for (set = 0; set < sets; set++) {
        const float *lefts[COUNT] = { left }, *rights[COUNT] = { right };
        tpuref_products p = {
            lefts, rights, COUNT, INNER, ROWS, COLUMNS, ROWS, COLUMNS, COLUMNS, 1, 0,
            result[set] };
        srand(1);
        for (k = 0; k < COUNT; k++) {
            draw(left, INNER * ROWS);
            draw(right, INNER * COLUMNS);
            sums[set]->copy(&p, TILES, copies[k]);
        }
        for (k = 0; k < COUNT; k++) {
            rights[k] = copies[k];
            lefts[k] = copies[k] + INNER * COLUMNS;
        }
        sums[set]->add_up(&p, TILES, FIRST, LAST);
        if (memcmp(result[set], result[0], sizeof *result)) {
            printf("set %d differs\n", set);
            return 1;
        }
    }
    puts("equal");
    return 0;
}
