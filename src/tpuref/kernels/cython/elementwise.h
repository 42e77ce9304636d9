/* Chains of elementwise operations on float32.

   All operations of a chain pass over one tile of elements before the next tile. What one
   computes stays in registers for the next; what only later ones read stays in the cache
   of the first level. Every operation rounds as NumPy does, once where not said
   otherwise, so a result does not depend on the chain or the tile that computes it. */

#ifndef TPUREF_ELEMENTWISE_H
#define TPUREF_ELEMENTWISE_H

#include <math.h>
#include <stdint.h>

#include "vectors.h"

enum { TPUREF_AXES = 8, TPUREF_LONGEST = 32, TPUREF_OPERANDS = 3 * TPUREF_LONGEST };

/* The vectors of a large tile, which AVX-512 keeps in registers. */
enum { TPUREF_VECTORS = 16 };

/* The most elements of short rows that are passed at once, and the scratch memory of an
   operand, which has room for them and for a tile. */
enum {
    TPUREF_BLOCK = 1024, TPUREF_ROOM = TPUREF_BLOCK + TPUREF_VECTORS * TPUREF_OUTPUTS
};

/* Chains of so many operations use large tiles, and fetch the next one early. Shorter
   chains wait for memory anyway, and in small tiles they read all operands in turns. */
enum { TPUREF_LONG = 4 };

/* In the order of OPERATIONS in elementwise.pyx. */
enum {
    TPUREF_ADD, TPUREF_SUBTRACT, TPUREF_MULTIPLY, TPUREF_DIVIDE,
    TPUREF_SQUARED_DIFFERENCE, TPUREF_RELU_GRADIENT, TPUREF_NEGATIVE, TPUREF_SQUARE,
    TPUREF_CUBE, TPUREF_SQRT, TPUREF_RECIPROCAL, TPUREF_RSQRT, TPUREF_RELU
};

/* Strides are in elements, and 0 along an axis that is repeated. */
typedef struct {
    float *data;
    ptrdiff_t strides[TPUREF_AXES];
} tpuref_operand;

/* Operands by number; an operation of one input has it twice. A left input of -1 is what
   the operation before computed, and an output of -1 is not stored. */
typedef struct {
    int code, left, right, output;
} tpuref_operation;

/* There are two axes or more. Operands without data are in `scratch`, which has
   TPUREF_ROOM elements for each. */
typedef struct {
    const tpuref_operation *operations;
    tpuref_operand operands[TPUREF_OPERANDS];
    ptrdiff_t sizes[TPUREF_AXES];
    ptrdiff_t num_operations, num_operands, num_axes;
    float *scratch;
} tpuref_chain;

/* The elements of the operands; a step is 1, or 0 if all tiles read or write the same. */
typedef struct {
    float *at[TPUREF_OPERANDS];
    ptrdiff_t steps[TPUREF_OPERANDS];
} tpuref_elements;

/* `tiles` runs the chain on all whole tiles, large or small ones, from `place` on, and
   returns where they end. `tile` is the size of a large one; a small one is half of it. */
typedef struct {
    ptrdiff_t (*tiles)(
        const tpuref_chain *c, const tpuref_elements *e, ptrdiff_t place, ptrdiff_t size,
        int large);
    ptrdiff_t tile;
} tpuref_set;

#define TPUREF_SET plain
#define TPUREF_TARGET
#define TPUREF_WIDTH 4
#include "elementwise_tiles.h"

#if defined(__x86_64__)
#define TPUREF_SET avx2
#define TPUREF_TARGET __attribute__((target("avx2")))
#define TPUREF_WIDTH 8
#include "elementwise_tiles.h"

#define TPUREF_SET avx512f
#define TPUREF_TARGET __attribute__((target("avx512f")))
#define TPUREF_WIDTH 16
#include "elementwise_tiles.h"
#endif

/* Run the chain on `size` elements of each operand; what is too little for a tile is
   copied. */
TPUREF_INLINE void tpuref_run_elements(
    const tpuref_chain *c, const tpuref_elements *all, ptrdiff_t size,
    const tpuref_set *set)
{
    ptrdiff_t place = 0, n;
    tpuref_elements part;
    if (c->num_operations >= TPUREF_LONG)
        place = set->tiles(c, all, place, size, 1);
    place = set->tiles(c, all, place, size, 0);
    if (place == size)
        return;
    for (n = 0; n < c->num_operands; n++) {
        part.at[n] = all->at[n], part.steps[n] = 0;
        if (all->steps[n]) {
            part.at[n] = c->scratch + n * TPUREF_ROOM + TPUREF_BLOCK;
            memcpy(part.at[n], all->at[n] + place, (size - place) * sizeof(float));
        }
    }
    set->tiles(c, &part, 0, set->tile / 2, 0);
    for (n = 0; n < c->num_operations; n++) {
        const int to = c->operations[n].output;
        if (to >= 0 && all->steps[to])
            memcpy(all->at[to] + place, part.at[to], (size - place) * sizeof(float));
    }
}

/* Find rows of an operand, of which the first is at `from`, as one run of elements. Rows
   that are not one run are copied to the scratch memory, if others were `written` last. */
TPUREF_INLINE void tpuref_find(
    const tpuref_chain *c, ptrdiff_t n, float *from, ptrdiff_t rows, ptrdiff_t columns,
    const float **written, tpuref_elements *found, ptrdiff_t tile)
{
    const ptrdiff_t *strides = c->operands[n].strides + c->num_axes - 2;
    ptrdiff_t down = rows == 1 ? 0 : strides[0], along = strides[1], r, k;
    float *to = c->scratch + n * TPUREF_ROOM;
    found->steps[n] = down || along;
    found->at[n] = along && (rows == 1 || down == columns) ? from : to;
    if (found->at[n] == from || written[n] == from)
        return;
    written[n] = from;
    if (!found->steps[n])
        rows = 1, columns = tile;
    for (r = 0; r < rows; r++, from += down, to += columns)
        if (along)
            memcpy(to, from, columns * sizeof *to);
        else
            for (k = 0; k < columns; k++)
                to[k] = *from;
}

/* Run the chain on all elements. */
TPUREF_INLINE void tpuref_run_rows(const tpuref_chain *c, const tpuref_set *set)
{
    float *first[TPUREF_OPERANDS];
    const float *written[TPUREF_OPERANDS];
    tpuref_elements found;
    ptrdiff_t last = c->num_axes - 1, columns = c->sizes[last];
    ptrdiff_t all_rows = c->sizes[last - 1], outer = 1, rows = 1, index, rest, n, axis;
    ptrdiff_t row;
    if (columns && columns < TPUREF_BLOCK)
        rows = TPUREF_BLOCK / columns;
    for (n = 0; n < c->num_operations; n++) {
        const int output = c->operations[n].output;
        if (output >= 0 && c->operands[output].data
            && c->operands[output].strides[last - 1] != columns)
            rows = 1;  /* outputs are not copied */
    }
    for (axis = 0; axis < last - 1; axis++)
        outer *= c->sizes[axis];
    for (n = 0; n < c->num_operands; n++)
        found.at[n] = c->scratch + n * TPUREF_ROOM, found.steps[n] = 0, written[n] = NULL;
    for (index = 0; index < outer; index++) {
        for (n = 0; n < c->num_operands; n++)
            first[n] = c->operands[n].data;
        for (axis = last - 2, rest = index; axis >= 0; rest /= c->sizes[axis--])
            for (n = 0; n < c->num_operands; n++)
                if (first[n])
                    first[n] += rest % c->sizes[axis] * c->operands[n].strides[axis];
        for (row = 0; row < all_rows; row += rows) {
            ptrdiff_t count = all_rows - row < rows ? all_rows - row : rows;
            for (n = 0; n < c->num_operands; n++)
                if (first[n])
                    tpuref_find(c, n, first[n] + row * c->operands[n].strides[last - 1],
                                count, columns, written, &found, set->tile);
            tpuref_run_elements(c, &found, count * columns, set);
        }
    }
}

#define TPUREF_RUN(set, target) \
    target static void tpuref_chain_##set(const tpuref_chain *chain) \
    { \
        tpuref_run_rows(chain, &tpuref_set_##set); \
    }

TPUREF_RUN(plain, )
#if defined(__x86_64__)
TPUREF_RUN(avx2, __attribute__((target("avx2"))))
TPUREF_RUN(avx512f, __attribute__((target("avx512f"))))
#endif

static void tpuref_run_chain(const tpuref_chain *chain)
{
    TPUREF_BEST(tpuref_chain)(chain);
}

#endif
