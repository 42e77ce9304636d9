/* Products of matrices, and sums of them.
   A tile of one product stays in registers while the inner axis passes, each step fused
   with the sum as BLAS does; then it is added to the total. A sum does not depend on the
   tile it is in. */

#ifndef TPUREF_PRODUCTS_H
#define TPUREF_PRODUCTS_H

#include "vectors.h"

/* The steps after which a sum is added to the total, so that long sums stay accurate. */
enum { TPUREF_INNER = 512 };

/* The numbers of right columns that pass a block of so many tiles: both stay in the cache,
   and the rows of a result are written in one go. */
enum { TPUREF_GROUP = 1 << 16, TPUREF_BLOCK = 8 };

/* The most tiles whose left rows are copied at once; parts of rows are fetched so many
   rows ahead. */
enum { TPUREF_STARTS = 64, TPUREF_ROWS_AHEAD = 4 };

/* Turned left matrices are not copied if their rows in memory are at most so far apart. */
enum { TPUREF_NEAR = 256 };

/* The shapes of the left and right matrices are [rows, inner] and [inner, columns]. Rows
   in memory are `apart`; they are the columns of matrices that are `turned`. */
typedef struct {
    const float *const *lefts, *const *rights;
    ptrdiff_t count, inner, rows, columns;
    ptrdiff_t left_apart, right_apart, result_apart;
    int left_turned, right_turned;
    float *result;
} tpuref_products;

/* Copy `tiles` tiles of all left matrices, which are turned, next to each other: in a
   matrix the columns may lie on different pages. Rows in memory are read one after the
   other. A processor expects this of whole rows only, so parts of rows are fetched early.
   `starts` has the first rows of the tiles and the end. */
TPUREF_INLINE void tpuref_gather_left(
    const tpuref_products *p, const ptrdiff_t *starts, ptrdiff_t tiles, float *to)
{
    ptrdiff_t steps = p->count * p->inner, end = p->left_apart * (p->inner - 1) + p->rows;
    ptrdiff_t k, i, tile, step = 0, heights[TPUREF_STARTS], least = p->rows;
    float *places[TPUREF_STARTS];
    int parts = starts[tiles] - *starts < p->left_apart;
    for (tile = 0; tile < tiles; tile++) {
        heights[tile] = starts[tile + 1] - starts[tile];
        least = heights[tile] < least ? heights[tile] : least;
        places[tile] = to + (starts[tile] - *starts) * steps + tile * TPUREF_OUTPUTS;
    }
    for (k = 0; k < p->count; k++)
        for (i = 0; i < p->inner; i++, step++) {
            const float *from = p->lefts[k] + i * p->left_apart;
            const float *ahead = from + TPUREF_ROWS_AHEAD * p->left_apart;
            for (tile = *starts; parts && tile < starts[tiles]; tile += TPUREF_OUTPUTS)
                __builtin_prefetch(ahead + tile);
            /* A whole vector is faster than a part, and later steps write over it. */
            if ((steps - step) * least >= TPUREF_OUTPUTS
                && i * p->left_apart + starts[tiles - 1] + TPUREF_OUTPUTS <= end)
                for (tile = 0; tile < tiles; places[tile] += heights[tile], tile++)
                    *(tpuref_outputs *)places[tile]
                        = *(const tpuref_outputs *)(from + starts[tile]);
            else
                for (tile = 0; tile < tiles; places[tile] += heights[tile], tile++)
                    memcpy(places[tile], from + starts[tile], heights[tile] * sizeof *to);
        }
}

/* Write the transpose of 16 rows of 16 elements: each pass mixes rows like two halves of a
   pack of cards. */
TPUREF_INLINE void tpuref_turn(
    const float *from, ptrdiff_t apart, float *to, ptrdiff_t width)
{
    enum { SIZE = TPUREF_OUTPUTS };
    tpuref_outputs rows[SIZE], mixed[SIZE];
    int r, pass;
#pragma GCC unroll 16
    for (r = 0; r < SIZE; r++)
        rows[r] = *(const tpuref_outputs *)(from + r * apart);
#pragma GCC unroll 4
    for (pass = 0; pass < 4; pass++) {
#pragma GCC unroll 8
        for (r = 0; r < SIZE / 2; r++) {
            mixed[2 * r] = TPUREF_LOW_HALVES(rows[r], rows[r + SIZE / 2]);
            mixed[2 * r + 1] = TPUREF_HIGH_HALVES(rows[r], rows[r + SIZE / 2]);
        }
#pragma GCC unroll 16
        for (r = 0; r < SIZE; r++)
            rows[r] = mixed[r];
    }
#pragma GCC unroll 16
    for (r = 0; r < SIZE; r++)
        *(tpuref_outputs *)(to + r * width) = rows[r];
}

/* Copy columns of all right matrices, `width` from `first` on, next to each other; zeros
   take the place of those that are missing. */
TPUREF_INLINE void tpuref_gather_right(
    const tpuref_products *p, ptrdiff_t first, float *to, const ptrdiff_t width,
    const int turned)
{
    ptrdiff_t kept = p->columns - first, apart = p->right_apart, k, i, c;
    ptrdiff_t down = turned ? 1 : apart, along = turned ? apart : 1;
    for (k = 0; k < p->count; k++) {
        const float *from = p->rights[k] + first * along;
        i = 0;
        if (kept >= width && turned)
            for (; i + TPUREF_OUTPUTS <= p->inner; i += TPUREF_OUTPUTS)
                for (c = 0; c < width; c += TPUREF_OUTPUTS)
                    tpuref_turn(from + c * apart + i, apart, to + i * width + c, width);
        else if (kept >= width)
            for (; i < p->inner; i++)
                memcpy(to + i * width, from + i * apart, width * sizeof *to);
        for (; i < p->inner; i++)
            for (c = 0; c < width; c++)
                to[i * width + c] = c < kept ? from[i * down + c * along] : 0;
        to += p->inner * width;
    }
}

/* Add some elements of a vector to a total, or write them if it is the first. */
static __attribute__((noinline)) void tpuref_add_part(
    float *total, const float *part, ptrdiff_t kept, int more)
{
    ptrdiff_t c;
    for (c = 0; c < kept; c++)
        total[c] = more ? total[c] + part[c] : part[c];
}

/* The same for a vector, of which `kept` elements may be fewer. */
TPUREF_INLINE void tpuref_add(
    float *total, tpuref_outputs sum, ptrdiff_t kept, int more)
{
    if (kept < TPUREF_OUTPUTS)
        tpuref_add_part(total, (const float *)&sum, kept, more);
    else if (more)
        *(tpuref_outputs *)total += sum;
    else
        *(tpuref_outputs *)total = sum;
}

/* If the rows are `turned`, `left` has them, each step `next` floats after the last, else
   they are read from `row` on; of the columns in `right`, `kept` are written. The total of
   products stays out of the result until it is whole if they are `summed`, from gathered
   rows, to columns that are all kept. The last four arguments are constants wherever this
   is inlined. */
TPUREF_INLINE void tpuref_tile(
    const tpuref_products *p, ptrdiff_t row, const float *left, ptrdiff_t next,
    const float *right, float *result, ptrdiff_t kept, const int turned, const int summed,
    const int rows, const int vectors)
{
    tpuref_outputs total[TPUREF_TILE][2] = {0};
    ptrdiff_t apart = p->left_apart, k, start, i;
    int r, v;
    for (r = 0; r < rows; r++)
        for (v = 0; v < vectors; v++)
            __builtin_prefetch(result + r * p->result_apart + v * TPUREF_OUTPUTS, 1);
    for (k = 0; k < p->count; k++)
        for (start = 0; start < p->inner; start += TPUREF_INNER) {
            tpuref_outputs sum[TPUREF_TILE][2] = {0}, weights[2];
            ptrdiff_t steps = p->inner - start;
            float *place = result;
            /* Four pointers: an address has room for one more register, times 1, 2 or 4. */
            const float *at[4];
            for (r = 0; r < 4; r++)
                at[r] = p->lefts[k] + (row + 3 * r) * apart + start;
            if (steps > TPUREF_INNER)
                steps = TPUREF_INNER;
            for (i = 0; i < steps; i++, left += next) {
                for (v = 0; v < vectors; v++, right += TPUREF_OUTPUTS)
                    weights[v] = *(const tpuref_outputs *)right;
#pragma GCC unroll 12
                for (r = 0; r < rows; r++)
#pragma GCC unroll 2
                    for (v = 0; v < vectors; v++)
                        sum[r][v] += (turned ? left[r] : at[r / 3][r % 3 * apart + i])
                                     * weights[v];
            }
            if (summed) {
#pragma GCC unroll 12
                for (r = 0; r < rows; r++)
#pragma GCC unroll 2
                    for (v = 0; v < vectors; v++)
                        if (k || start)
                            total[r][v] += sum[r][v];
                        else
                            total[r][v] = sum[r][v];
                continue;
            }
#pragma GCC unroll 12
            for (r = 0; r < rows; r++, place += p->result_apart)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    tpuref_add(place + v * TPUREF_OUTPUTS, sum[r][v],
                               kept - v * TPUREF_OUTPUTS, start);
        }
    for (r = 0; summed && r < rows; r++, result += p->result_apart)
        memcpy(result, total[r], vectors * sizeof *total[r]);
}

/* Compute a tile of `count` rows, and of more than 16 columns if it is `wide`. */
typedef void tpuref_compute(
    const tpuref_products *p, ptrdiff_t row, ptrdiff_t count, int wide, const float *left,
    ptrdiff_t next, const float *right, float *result, ptrdiff_t kept);

/* Write rows [first, last) of the result. `left` has room for these rows of all left
   matrices, with one vector more for each and one at the end; `right` for a group and 32
   columns of all right matrices, which are all `turned` or not. */
TPUREF_INLINE void tpuref_rows(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, float *right,
    const ptrdiff_t widest, const int vectors, const int turned, tpuref_compute *compute)
{
    ptrdiff_t height = last - first, tiles = (height + widest - 1) / widest, tile, block;
    ptrdiff_t inner = p->count * p->inner, width = vectors * TPUREF_OUTPUTS, column, group;
    ptrdiff_t columns = (TPUREF_GROUP / (width * inner) + 1) * width;
#define TPUREF_FIRST(tile) (first + (tile) * height / tiles)
    int gathers = p->left_turned && (p->count > 1 || p->left_apart > TPUREF_NEAR);
    for (block = 0; gathers && block < tiles; block += TPUREF_STARTS) {
        ptrdiff_t starts[TPUREF_STARTS + 1] = {0}, some = tiles - block;
        some = some < TPUREF_STARTS ? some : TPUREF_STARTS;
        for (tile = 0; tile <= some; tile++)
            starts[tile] = TPUREF_FIRST(block + tile);
        tpuref_gather_left(p, starts, some,
                           left + (*starts - first) * inner + block * TPUREF_OUTPUTS);
    }
    for (group = 0; group < p->columns; group += columns)
        for (block = 0; block < tiles; block += TPUREF_BLOCK)
            for (column = group; column < p->columns && column < group + columns;
                 column += width) {
                ptrdiff_t kept = p->columns - column;
                float *copied = right + (column - group) * inner;
                int wide = vectors == 2 && kept > TPUREF_OUTPUTS;
                if (!block && wide)
                    tpuref_gather_right(p, column, copied, 2 * TPUREF_OUTPUTS, turned);
                else if (!block)
                    tpuref_gather_right(p, column, copied, TPUREF_OUTPUTS, turned);
                for (tile = block; tile < tiles && tile < block + TPUREF_BLOCK; tile++) {
                    ptrdiff_t row = TPUREF_FIRST(tile), count = TPUREF_FIRST(tile + 1) - row;
                    const float *gathered
                        = left + (row - first) * inner + tile * TPUREF_OUTPUTS;
                    compute(p, row, count, wide, gathers ? gathered : p->lefts[0] + row,
                            gathers ? count : p->left_apart, copied,
                            p->result + row * p->result_apart + column, kept);
                }
            }
#undef TPUREF_FIRST
}

/* A function for each kind of tiles: GCC does not keep the sums of tiles in registers if
   too many of them are in one function. */
#define TPUREF_TILES(name, target, widest, most_vectors, turned, summed) \
    target static void name( \
        const tpuref_products *p, ptrdiff_t row, ptrdiff_t count, int wide, \
        const float *left, ptrdiff_t next, const float *right, float *result, \
        ptrdiff_t kept) \
    { \
        if (wide && most_vectors == 2) { \
            TPUREF_CASES(count, widest, 2, tpuref_tile, p, row, left, next, right, result, \
                         kept, turned, summed) \
        } else { \
            TPUREF_CASES(count, widest, 1, tpuref_tile, p, row, left, next, right, result, \
                         kept, turned, summed) \
        } \
    }

#define TPUREF_SUM_OF(set, target, widest, vectors) \
    TPUREF_TILES(tpuref_sums_of_tiles_##set, target, widest, vectors, 1, 1) \
    target static void tpuref_sum_of_##set( \
        const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, \
        float *right) \
    { \
        tpuref_rows(p, first, last, left, right, widest, vectors, 0, \
                    tpuref_sums_of_tiles_##set); \
    }

TPUREF_SUM_OF(plain, , 6, 1)
#if defined(__x86_64__)
TPUREF_SUM_OF(avx2, __attribute__((target("avx2,fma"))), 6, 1)
TPUREF_SUM_OF(avx512f, __attribute__((target("avx512f"))), 12, 2)
#endif

/* The left matrices are turned, the right ones are not; columns are a multiple of 16. */
static void tpuref_sum_of_products(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left,
    float *right)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        tpuref_sum_of_avx512f(p, first, last, left, right);
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        tpuref_sum_of_avx2(p, first, last, left, right);
    else
#endif
        tpuref_sum_of_plain(p, first, last, left, right);
}

/* Tiles of other registers are no faster than those of BLAS. */
#if defined(__x86_64__)
#define TPUREF_WIDE __attribute__((target("avx512f")))
#define TPUREF_MULTIPLIES __builtin_cpu_supports("avx512f")
#else
#define TPUREF_WIDE
#define TPUREF_MULTIPLIES 0
#endif

static int tpuref_multiplies(void)
{
    return TPUREF_MULTIPLIES != 0;
}

TPUREF_TILES(tpuref_tiles, TPUREF_WIDE, 12, 2, 0, 0)
TPUREF_TILES(tpuref_turned_tiles, TPUREF_WIDE, 12, 2, 1, 0)

/* Write rows of one product; needs `tpuref_multiplies`. */
TPUREF_WIDE static void tpuref_multiply(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, float *right)
{
    tpuref_compute *compute = p->left_turned ? tpuref_turned_tiles : tpuref_tiles;
    if (p->right_turned)
        tpuref_rows(p, first, last, left, right, 12, 2, 1, compute);
    else
        tpuref_rows(p, first, last, left, right, 12, 2, 0, compute);
}

#endif
