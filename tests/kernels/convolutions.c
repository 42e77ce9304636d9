/* Compares the loops of convolution.h for every set of instructions of this processor.
   All numbers are small integers, so no order and no fused product rounds. */

#include <stdio.h>
#include <stdlib.h>

#include "convolution.h"

enum { BATCH = 13, ROWS = 9, COLUMNS = 30, CHANNELS = 7, WINDOW = 3, OUTPUTS = 48 };
enum { HIGH = ROWS - WINDOW + 1, WIDE = COLUMNS - WINDOW + 1 };

static float images[BATCH * ROWS * COLUMNS * CHANNELS];
static float filters[WINDOW * WINDOW * CHANNELS * OUTPUTS];
static float gradient[BATCH * HIGH * WIDE * OUTPUTS];
static float result[3][BATCH * HIGH * WIDE * OUTPUTS];
static float slopes[3][WINDOW * WINDOW * CHANNELS * OUTPUTS];

static void draw(float *values, size_t count)
{
    while (count-- > 0)
        values[count] = (float)(rand() % 9 - 4);
}

static void run(const tpuref_loops *loops, int together, float *convolved, float *added)
{
    ptrdiff_t row = COLUMNS * CHANNELS, runs[WINDOW] = {0, row, 2 * row};
    tpuref_convolution c = {
        images, filters, gradient, convolved, runs, WINDOW * CHANNELS, 1, BATCH,
        ROWS * row, CHANNELS, 0, 0, {ROWS, 0, WINDOW, 1, 1, HIGH},
        {COLUMNS, 0, WINDOW, 1, 1, WIDE}, OUTPUTS, OUTPUTS - 5, HIGH * WIDE * OUTPUTS,
        WIDE * OUTPUTS, OUTPUTS, together };
    ptrdiff_t tiles = (c.run + loops->widest - 1) / loops->widest;
    loops->rows(&c, NULL, 0, tpuref_groups(&c, loops->widest) * HIGH);
    c.result = added;
    loops->filters(&c, 0, WINDOW * tiles);
}

int main(void)
{
    int set, sets = 1, together;
    const tpuref_loops *loops[3] = {&tpuref_loops_plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        loops[sets++] = &tpuref_loops_avx2;
    if (__builtin_cpu_supports("avx512f"))
        loops[sets++] = &tpuref_loops_avx512f;
#endif
    draw(images, sizeof images / sizeof *images);
    draw(filters, sizeof filters / sizeof *filters);
    draw(gradient, sizeof gradient / sizeof *gradient);
    for (set = 0; set < sets; set++)
        for (together = 0; together < 2; together++) {
            memset(slopes[set], 0, sizeof *slopes);
            run(loops[set], together, result[set], slopes[set]);
            if (memcmp(result[set], result[0], sizeof *result)
                || memcmp(slopes[set], slopes[0], sizeof *slopes)) {
                printf("%s differs\n", loops[set]->name);
                return 1;
            }
        }
    puts("equal");
    return 0;
}
