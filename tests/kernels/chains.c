/* Compares the loops of elementwise.h for every set of instructions of this processor. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elementwise.h"

enum { ROWS = 5, COLUMNS = 1031, STEPS = TPUREF_RELU + 1 };

static float inputs[2][ROWS * COLUMNS], results[3][STEPS + 1][ROWS * COLUMNS];
static float scratch[(STEPS + 2) * TPUREF_ROOM];

/* Every operation on a matrix and, in turns, a matrix, a row, a column and a number. */
static void run(void (*blocks)(const tpuref_chain *), float (*result)[ROWS * COLUMNS])
{
    static const ptrdiff_t strides[4][2] = {{COLUMNS, 1}, {0, 1}, {1, 0}, {0, 0}};
    int code, other;
    for (code = 0; code < STEPS; code++)
        for (other = 0; other < 4; other++) {
            tpuref_operation operation = {code, 0, 1, 2};
            tpuref_chain chain = {
                &operation,
                {{inputs[0], {COLUMNS, 1}},
                 {inputs[1], {strides[other][0], strides[other][1]}},
                 {result[code], {COLUMNS, 1}}},
                {ROWS, COLUMNS}, 1, 3, 2, scratch };
            blocks(&chain);
        }
}

/* All operations in one chain, each on the result before and a matrix. */
static void run_together(void (*blocks)(const tpuref_chain *), float *result)
{
    tpuref_operation operations[STEPS];
    tpuref_chain chain = {
        operations, {{inputs[0], {0, 1}}, {inputs[1], {0, 1}}}, {1, ROWS * COLUMNS},
        STEPS, STEPS + 2, 2, scratch };
    int code;
    for (code = 0; code < STEPS; code++) {
        tpuref_operation operation = {code, code ? -1 : 0, 1, code % 2 ? -1 : code + 2};
        operations[code] = operation;
    }
    chain.operands[STEPS + 1] = chain.operands[0];
    chain.operands[STEPS + 1].data = result;
    blocks(&chain);
}

int main(void)
{
    int set, sets = 1, k;
    void (*blocks[3])(const tpuref_chain *) = {tpuref_chain_plain};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        blocks[sets++] = tpuref_chain_avx2;
    if (__builtin_cpu_supports("avx512f"))
        blocks[sets++] = tpuref_chain_avx512f;
#endif
    for (k = 0; k < ROWS * COLUMNS; k++) {
        inputs[0][k] = (float)(rand() % 2000 + 1) / 7;
        inputs[1][k] = (float)(rand() % 2000 - 999) / 3;
    }
    for (set = 0; set < sets; set++) {
        run(blocks[set], results[set]);
        run_together(blocks[set], results[set][STEPS]);
        if (memcmp(results[set], results[0], sizeof *results)) {
            printf("set %d differs\n", set);
            return 1;
        }
    }
    puts("equal");
    return 0;
}
