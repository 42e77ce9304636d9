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

/* The most tiles whose left rows are copied at once: each lies on other pages, and the TLB
   for stores is small. Parts of rows are fetched so many rows ahead. */
enum { TPUREF_STARTS = 16, TPUREF_ROWS_AHEAD = 4 };

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

/* The first row of a tile, and its place in a copy: there tiles are apart by a vector. */
#define TPUREF_FIRST(first, last, tile, tiles) \
    ((first) + (tile) * ((last) - (first)) / (tiles))
#define TPUREF_PLACE(row, tile) ((row) * p->inner + (tile) * TPUREF_OUTPUTS)

/* Copy the tiles of rows [first, last) of a left matrix, which is turned, one after the
   other: in the matrix the columns may lie on different pages. Rows in memory are read one
   after the other. A processor expects this of whole rows only, so parts of rows are
   fetched early. */
TPUREF_INLINE void tpuref_gather_left(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, ptrdiff_t tiles, float *to)
{
    ptrdiff_t end = p->left_apart * (p->inner - 1) + p->rows, block, tile, i;
    for (block = 0; block < tiles; block += TPUREF_STARTS) {
        ptrdiff_t some = tiles - block < TPUREF_STARTS ? tiles - block : TPUREF_STARTS;
        ptrdiff_t starts[TPUREF_STARTS + 1] = {0}, heights[TPUREF_STARTS];
        float *places[TPUREF_STARTS];
        int parts;
        for (tile = 0; tile <= some; tile++)
            starts[tile] = TPUREF_FIRST(first, last, block + tile, tiles);
        for (tile = 0; tile < some; tile++) {
            heights[tile] = starts[tile + 1] - starts[tile];
            places[tile] = to + TPUREF_PLACE(starts[tile] - first, block + tile);
        }
        parts = starts[some] - *starts < p->left_apart;
        for (i = 0; i < p->inner; i++) {
            const float *from = p->lefts[0] + i * p->left_apart;
            const float *ahead = from + TPUREF_ROWS_AHEAD * p->left_apart;
            for (tile = *starts; parts && tile < starts[some]; tile += TPUREF_OUTPUTS)
                __builtin_prefetch(ahead + tile);
            /* A whole vector is faster than a part, and later steps write over it. */
            if (i * p->left_apart + starts[some - 1] + TPUREF_OUTPUTS <= end)
                for (tile = 0; tile < some; places[tile] += heights[tile], tile++)
                    *(tpuref_outputs *)places[tile]
                        = *(const tpuref_outputs *)(from + starts[tile]);
            else
                for (tile = 0; tile < some; places[tile] += heights[tile], tile++)
                    memcpy(places[tile], from + starts[tile], heights[tile] * sizeof *to);
        }
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

/* Copy columns of a right matrix, `width` from `first` on, next to each other; zeros take
   the place of those that are missing. */
TPUREF_INLINE void tpuref_gather_right(
    const tpuref_products *p, ptrdiff_t first, float *to, const ptrdiff_t width,
    const int turned)
{
    ptrdiff_t kept = p->columns - first, apart = p->right_apart, i = 0, c;
    ptrdiff_t down = turned ? 1 : apart, along = turned ? apart : 1;
    const float *from = p->rights[0] + first * along;
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
}

/* Copy the factors of a product for a sum of products: the right matrix in groups of
   `width` columns, each group with its rows one after the other, then the tiles of the
   left matrix. Whole rows are read: group by group takes up to 1.7 times as long. */
TPUREF_INLINE void tpuref_copy_factors(
    const tpuref_products *p, ptrdiff_t tiles, float *to, const ptrdiff_t width)
{
    ptrdiff_t whole = p->columns / width * width, i, column;
    for (i = 0; i < p->inner; i++) {
        const float *from = p->rights[0] + i * p->right_apart;
        for (column = 0; column < whole; column += width)
            memcpy(to + column * p->inner + i * width, from + column, width * sizeof *to);
        if (column < p->columns)
            memcpy(to + column * p->inner + i * TPUREF_OUTPUTS, from + column,
                   TPUREF_OUTPUTS * sizeof *to);
    }
    tpuref_gather_left(p, 0, p->rows, tiles, to + p->columns * p->inner);
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
   products stays out of the result until it is whole if they are `summed`, from copied
   factors, to columns that are all kept. The last four arguments are constants wherever
   this is inlined. */
TPUREF_INLINE void tpuref_tile(
    const tpuref_products *p, ptrdiff_t row, const float *left, ptrdiff_t next,
    const float *right, float *result, ptrdiff_t kept, const int turned, const int summed,
    const int rows, const int vectors)
{
    tpuref_outputs total[TPUREF_TILE][2] = {0};
    ptrdiff_t apart = p->left_apart, k, start, i;
    ptrdiff_t place_in_left = left - p->lefts[0], place_in_right = right - p->rights[0];
    int r, v;
    for (r = 0; r < rows; r++)
        for (v = 0; v < vectors; v++)
            __builtin_prefetch(result + r * p->result_apart + v * TPUREF_OUTPUTS, 1);
    for (k = 0; k < p->count; k++) {
        if (summed) {
            left = p->lefts[k] + place_in_left;
            right = p->rights[k] + place_in_right;
        }
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
    }
    for (r = 0; summed && r < rows; r++, result += p->result_apart)
        memcpy(result, total[r], vectors * sizeof *total[r]);
}

/* Compute a tile of `count` rows, and of more than 16 columns if it is `wide`. */
typedef void tpuref_compute(
    const tpuref_products *p, ptrdiff_t row, ptrdiff_t count, int wide, const float *left,
    ptrdiff_t next, const float *right, float *result, ptrdiff_t kept);

/* The columns of a group, a multiple of `width`, if the inner axis has so many steps. */
#define TPUREF_COLUMNS(width, steps) ((TPUREF_GROUP / ((width) * (steps)) + 1) * (width))

/* Write rows [first, last) of a product. `left` has room for these rows, with one vector
   more for each and one at the end; `right` for a group and 32 columns of the right
   matrix, which is `turned` or not. */
TPUREF_INLINE void tpuref_rows(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, float *right,
    const ptrdiff_t widest, const int turned, tpuref_compute *compute)
{
    enum { WIDTH = 2 * TPUREF_OUTPUTS };
    ptrdiff_t tiles = (last - first + widest - 1) / widest, tile, block, column, group;
    ptrdiff_t columns = TPUREF_COLUMNS(WIDTH, p->inner);
    int gathers = p->left_turned && p->left_apart > TPUREF_NEAR;
    if (gathers)
        tpuref_gather_left(p, first, last, tiles, left);
    for (group = 0; group < p->columns; group += columns)
        for (block = 0; block < tiles; block += TPUREF_BLOCK)
            for (column = group; column < p->columns && column < group + columns;
                 column += WIDTH) {
                ptrdiff_t kept = p->columns - column;
                float *copied = right + (column - group) * p->inner;
                int wide = kept > TPUREF_OUTPUTS;
                if (!block && wide)
                    tpuref_gather_right(p, column, copied, WIDTH, turned);
                else if (!block)
                    tpuref_gather_right(p, column, copied, TPUREF_OUTPUTS, turned);
                for (tile = block; tile < tiles && tile < block + TPUREF_BLOCK; tile++) {
                    ptrdiff_t row = TPUREF_FIRST(first, last, tile, tiles);
                    ptrdiff_t count = TPUREF_FIRST(first, last, tile + 1, tiles) - row;
                    compute(p, row, count, wide,
                            gathers ? left + TPUREF_PLACE(row - first, tile)
                                    : p->lefts[0] + row,
                            gathers ? count : p->left_apart, copied,
                            p->result + row * p->result_apart + column, kept);
                }
            }
}

/* Write tiles [first, last) of `tiles` of the rows of a sum of copied products. */
TPUREF_INLINE void tpuref_sum_of_products(
    const tpuref_products *p, ptrdiff_t tiles, ptrdiff_t first, ptrdiff_t last,
    const int vectors, tpuref_compute *compute)
{
    ptrdiff_t width = vectors * TPUREF_OUTPUTS, tile, block, column, group;
    ptrdiff_t columns = TPUREF_COLUMNS(width, p->count * p->inner);
    for (group = 0; group < p->columns; group += columns)
        for (block = first; block < last; block += TPUREF_BLOCK)
            for (column = group; column < p->columns && column < group + columns;
                 column += width)
                for (tile = block; tile < last && tile < block + TPUREF_BLOCK; tile++) {
                    ptrdiff_t row = TPUREF_FIRST(0, p->rows, tile, tiles);
                    ptrdiff_t count = TPUREF_FIRST(0, p->rows, tile + 1, tiles) - row;
                    ptrdiff_t kept = p->columns - column;
                    compute(p, row, count, kept >= width,
                            p->lefts[0] + TPUREF_PLACE(row, tile), count,
                            p->rights[0] + column * p->inner,
                            p->result + row * p->result_apart + column, kept);
                }
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

/* The kernels of one set of instructions; a tile has at most `height` rows. */
typedef struct {
    ptrdiff_t height;
    void (*copy)(const tpuref_products *p, ptrdiff_t tiles, float *to);
    void (*add_up)(
        const tpuref_products *p, ptrdiff_t tiles, ptrdiff_t first, ptrdiff_t last);
} tpuref_sums_of_products;

#define TPUREF_SUMS(set, target, height, vectors) \
    TPUREF_TILES(tpuref_sums_of_tiles_##set, target, height, vectors, 1, 1) \
    target static void tpuref_copy_##set( \
        const tpuref_products *p, ptrdiff_t tiles, float *to) \
    { \
        tpuref_copy_factors(p, tiles, to, vectors * TPUREF_OUTPUTS); \
    } \
    target static void tpuref_add_up_##set( \
        const tpuref_products *p, ptrdiff_t tiles, ptrdiff_t first, ptrdiff_t last) \
    { \
        tpuref_sum_of_products(p, tiles, first, last, vectors, \
                               tpuref_sums_of_tiles_##set); \
    } \
    static const tpuref_sums_of_products tpuref_sums_##set \
        = { height, tpuref_copy_##set, tpuref_add_up_##set };

TPUREF_EACH_SET(TPUREF_SUMS)

/* The left matrices are turned, the right ones are not; columns are a multiple of 16. */
static const tpuref_sums_of_products *tpuref_sums(void)
{
    return TPUREF_BEST(&tpuref_sums);
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
        tpuref_rows(p, first, last, left, right, 12, 1, compute);
    else
        tpuref_rows(p, first, last, left, right, 12, 0, compute);
}

#endif
