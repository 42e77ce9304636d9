/* The sum of products of two matrices, the left one transposed.
   A tile of one product stays in registers while its inner rows pass, each fused with the
   sum as BLAS does; then it is added to the total. */

#ifndef TPUREF_PRODUCTS_H
#define TPUREF_PRODUCTS_H

#include "vectors.h"

/* The shapes of the left and right matrices are [inner, rows] and [inner, columns];
   `columns` is a multiple of 16. */
typedef struct {
    const float *const *lefts, *const *rights;
    ptrdiff_t count, inner, rows, columns;
    float *result;
} tpuref_products;

/* Copy `width` of the `size` columns of all matrices, from `first` on, next to each other,
   `apart` from row to row: in a matrix the rows may lie on different pages. */
static void tpuref_gather(
    const tpuref_products *p, const float *const *matrices, ptrdiff_t size,
    ptrdiff_t first, ptrdiff_t width, ptrdiff_t apart, float *to)
{
    ptrdiff_t k, i;
    for (k = 0; k < p->count; k++)
        for (i = 0; i < p->inner; i++, to += apart)
            memcpy(to, matrices[k] + i * size + first, width * sizeof *to);
}

/* `left` and `right` have the tile's part of the matrices. `total` has room for its sum,
   which does not fit into the registers beside a product. */
TPUREF_INLINE void tpuref_tile(
    const tpuref_products *p, const float *left, const float *right,
    tpuref_outputs *total, ptrdiff_t rows, float *result, const int widest,
    const int vectors)
{
    ptrdiff_t k, i;
    int r, v;
    for (k = 0; k < p->count; k++) {
        tpuref_outputs sum[TPUREF_TILE][2], weights[2];
#pragma GCC unroll 12
        for (r = 0; r < widest; r++)
#pragma GCC unroll 2
            for (v = 0; v < vectors; v++)
                sum[r][v] = (tpuref_outputs){0};
        for (i = 0; i < p->inner; i++, left += widest) {
            for (v = 0; v < vectors; v++, right += TPUREF_OUTPUTS)
                weights[v] = *(const tpuref_outputs *)right;
#pragma GCC unroll 12
            for (r = 0; r < widest; r++)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    sum[r][v] += left[r] * weights[v];
        }
#pragma GCC unroll 12
        for (r = 0; r < widest; r++)
#pragma GCC unroll 2
            for (v = 0; v < vectors; v++)
                if (k)
                    total[r * vectors + v] += sum[r][v];
                else
                    total[r * vectors + v] = sum[r][v];
    }
    for (r = 0; r < rows; r++, result += p->columns)
        memcpy(result, total + r * vectors, vectors * sizeof *total);
}

/* Write rows [first, last) of the result; `left` has room for these rows of all left
   matrices, up to a whole tile, and `right` for 32 columns of all right matrices. */
TPUREF_INLINE void tpuref_sum_of(
    const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, float *right,
    const int widest, const int vectors)
{
    const ptrdiff_t width = vectors * TPUREF_OUTPUTS, inner = p->count * p->inner;
    tpuref_outputs total[TPUREF_TILE * 2];
    ptrdiff_t row, column;
    for (row = first; row < last; row += widest)
        tpuref_gather(p, p->lefts, p->rows, row, last - row < widest ? last - row : widest,
                      widest, left + (row - first) * inner);
    for (column = 0; column < p->columns; column += width) {
        int whole = vectors == 2 && column + width <= p->columns;
        ptrdiff_t own = whole ? width : TPUREF_OUTPUTS;
        tpuref_gather(p, p->rights, p->columns, column, own, own, right);
        for (row = first; row < last; row += widest) {
            ptrdiff_t rows = last - row < widest ? last - row : widest;
            const float *tile = left + (row - first) * inner;
            float *result = p->result + row * p->columns + column;
            if (whole)
                tpuref_tile(p, tile, right, total, rows, result, widest, 2);
            else
                tpuref_tile(p, tile, right, total, rows, result, widest, 1);
        }
    }
}

#define TPUREF_SUM_OF(set, target, widest, vectors) \
    target static void tpuref_sum_of_##set( \
        const tpuref_products *p, ptrdiff_t first, ptrdiff_t last, float *left, \
        float *right) \
    { tpuref_sum_of(p, first, last, left, right, widest, vectors); }

TPUREF_SUM_OF(plain, , 6, 1)
#if defined(__x86_64__)
TPUREF_SUM_OF(avx2, __attribute__((target("avx2,fma"))), 6, 1)
TPUREF_SUM_OF(avx512f, __attribute__((target("avx512f"))), 12, 2)
#endif

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

#endif
