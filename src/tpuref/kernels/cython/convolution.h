/* Convolution of images [batch, rows, columns, channels] without copies of the windows.
   All pixels of a window that lie next to each other in memory are a run. An image with
   margins is copied where they are zeros, just before it is read.

   A tile of sums stays in registers while the window passes:
   12 pixels by 32 outputs are 24 of 32 registers of AVX-512, 6 pixels by 16 outputs are
   12 of 16 of AVX2. Each sum adds its products in the order of the window, so it does
   not depend on the tile it is in; the instruction sets differ in the rounding of a
   product, which AVX2 and AVX-512 fuse with the sum. */

#ifndef TPUREF_CONVOLUTION_H
#define TPUREF_CONVOLUTION_H

#include "vectors.h"

enum { TPUREF_STRIP = 1 << 16 };

/* An image and its margins; negative ones crop. */
typedef struct {
    ptrdiff_t rows, columns, channels;
    ptrdiff_t above, left;                /* rows and columns of zeros before it */
    ptrdiff_t height, width;              /* of the image with its margins */
} tpuref_margins;

/* Distances in an array are in floats. Filters, gradients and sums of filters have a
   multiple of 16 outputs, `outputs` apart; a result has `kept` of them. */
typedef struct {
    const float *images, *filters, *gradient;
    float *result;
    const ptrdiff_t *runs;                /* from the first pixel of a window */
    ptrdiff_t num_runs, run;              /* a run's length */
    ptrdiff_t batch, rows, columns;       /* of the steps of the window */
    ptrdiff_t image, row_step, column_step;
    ptrdiff_t outputs, kept;
} tpuref_convolution;

/* Copy an image with its margins. */
static void tpuref_pad(const tpuref_margins *m, const float *image, float *padded)
{
    ptrdiff_t first = m->left < 0 ? 0 : m->left, end = m->left + m->columns, y;
    if (end > m->width)
        end = m->width;
    if (end < first)
        end = first = 0;
    for (y = 0; y < m->height; y++, padded += m->width * m->channels) {
        const float *row = image
            + ((y - m->above) * m->columns + first - m->left) * m->channels;
        if (y < m->above || y >= m->above + m->rows) {
            memset(padded, 0, m->width * m->channels * sizeof *padded);
            continue;
        }
        memset(padded, 0, first * m->channels * sizeof *padded);
        memcpy(padded + first * m->channels, row,
               (end - first) * m->channels * sizeof *padded);
        memset(padded + end * m->channels, 0,
               (m->width - end) * m->channels * sizeof *padded);
    }
}

/* `pixels` and `vectors` are constants wherever this is inlined. */
TPUREF_INLINE void tpuref_pixels(
    const tpuref_convolution *c, const float *image, const float *filters,
    float *result, ptrdiff_t kept, const int pixels, const int vectors)
{
    tpuref_outputs sum[TPUREF_TILE][2] = {0}, weights[2];
    ptrdiff_t step = c->column_step, number, i;
    int p, v;
    for (number = 0; number < c->num_runs; number++) {
        /* Four pointers: an address has room for one more register, times 1, 2 or 4. */
        const float *at[4];
        for (p = 0; p < 4; p++)
            at[p] = image + c->runs[number] + 3 * p * step;
        for (i = 0; i < c->run; i++, filters += c->outputs) {
            for (v = 0; v < vectors; v++)
                weights[v] = ((const tpuref_outputs *)filters)[v];
#pragma GCC unroll 12
            for (p = 0; p < pixels; p++)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    sum[p][v] += at[p / 3][p % 3 * step + i] * weights[v];
        }
    }
#pragma GCC unroll 12
    for (p = 0; p < pixels; p++, result += c->kept)
        if (kept >= vectors * TPUREF_OUTPUTS)
#pragma GCC unroll 2
            for (v = 0; v < vectors; v++)
                ((tpuref_outputs *)result)[v] = sum[p][v];
        else
            memcpy(result, sum[p], kept * sizeof *result);
}

/* The gradient of `taps` neighbours of a run, summed over rows of the steps. */
TPUREF_INLINE void tpuref_taps(
    const tpuref_convolution *c, const float *image, const float *gradient,
    ptrdiff_t rows, float *result, const int taps, const int vectors)
{
    tpuref_outputs sum[TPUREF_TILE][2] = {0}, slope[2];
    ptrdiff_t row, column;
    int t, v;
    for (row = 0; row < rows; row++, image += c->row_step) {
        const float *at = image;
        for (column = 0; column < c->columns; column++) {
            for (v = 0; v < vectors; v++)
                slope[v] = ((const tpuref_outputs *)gradient)[v];
#pragma GCC unroll 12
            for (t = 0; t < taps; t++)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    sum[t][v] += at[t] * slope[v];
            at += c->column_step;
            gradient += c->outputs;
        }
    }
#pragma GCC unroll 12
    for (t = 0; t < taps; t++, result += c->outputs)
#pragma GCC unroll 2
        for (v = 0; v < vectors; v++)
            ((tpuref_outputs *)result)[v] += sum[t][v];
}

/* Call `function` with its last two arguments as constants. */
#define TPUREF_CASE(n, vectors, function, ...) \
    case n: function(__VA_ARGS__, n, vectors); break;
#define TPUREF_CASES(count, vectors, function, ...) \
    switch (count) { \
    TPUREF_CASE(1, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(2, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(3, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(4, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(5, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(6, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(7, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(8, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(9, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(10, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(11, vectors, function, __VA_ARGS__) \
    TPUREF_CASE(12, vectors, function, __VA_ARGS__) \
    }

enum { TPUREF_SQUARE = 16 };

/* Write the transpose of a matrix, in squares that read and write whole cache lines. */
static void tpuref_transpose(
    const float *matrix, float *transpose, ptrdiff_t rows, ptrdiff_t columns)
{
    ptrdiff_t top, left, r, c;
    for (top = 0; top < rows; top += TPUREF_SQUARE)
        for (left = 0; left < columns; left += TPUREF_SQUARE)
            for (c = left; c < columns && c < left + TPUREF_SQUARE; c++)
                for (r = top; r < rows && r < top + TPUREF_SQUARE; r++)
                    transpose[c * rows + r] = matrix[r * columns + c];
}

/* The convolution of rows of steps [first, last), counted over the batch. All rows of an
   image pass one block of filters, which stays in the cache, before the next block.
   `margins` is NULL if there are none; `padded` has room for one image with them. */
TPUREF_INLINE void tpuref_rows(
    const tpuref_convolution *c, const tpuref_margins *margins, float *padded,
    ptrdiff_t first, ptrdiff_t last, const int widest, const int vectors)
{
    ptrdiff_t tiles = (c->columns + widest - 1) / widest, line, next, row, o, t;
    for (line = first; line < last; line = next) {
        const float *image = c->images + line / c->rows * c->image;
        next = (line / c->rows + 1) * c->rows;
        if (next > last)
            next = last;
        if (margins) {
            tpuref_pad(margins, image, padded);
            image = padded;
        }
        for (o = 0; o < c->kept; o += vectors * TPUREF_OUTPUTS)
            for (row = line; row < next; row++)
                for (t = 0; t < tiles; t++) {
                    ptrdiff_t column = t * c->columns / tiles, left = c->kept - o;
                    ptrdiff_t count = (t + 1) * c->columns / tiles - column;
                    const float *at = image + row % c->rows * c->row_step
                                      + column * c->column_step;
                    float *result = c->result + (row * c->columns + column) * c->kept + o;
                    if (vectors == 2 && left > TPUREF_OUTPUTS) {
                        TPUREF_CASES(count, 2, tpuref_pixels, c, at, c->filters + o, result, left)
                    } else {
                        TPUREF_CASES(count, 1, tpuref_pixels, c, at, c->filters + o, result, left)
                    }
                }
    }
}

/* Add the gradient of filters for parts [first, last): tiles of taps, counted over the
   runs. Strips of rows stay in the cache while all parts pass. */
TPUREF_INLINE void tpuref_filters(
    const tpuref_convolution *c, ptrdiff_t first, ptrdiff_t last, const int widest,
    const int vectors)
{
    ptrdiff_t tiles = (c->run + widest - 1) / widest, image, row, o, part;
    ptrdiff_t strip = TPUREF_STRIP / (c->row_step + c->columns * c->outputs) + 1;
    for (image = 0; image < c->batch; image++)
        for (row = 0; row < c->rows; row += strip)
            for (o = 0; o < c->outputs; o += vectors * TPUREF_OUTPUTS)
                for (part = first; part < last; part++) {
                    ptrdiff_t t = part % tiles, tap = t * c->run / tiles;
                    ptrdiff_t count = (t + 1) * c->run / tiles - tap;
                    ptrdiff_t rows = c->rows - row < strip ? c->rows - row : strip;
                    const float *at = c->images + image * c->image + row * c->row_step
                                      + c->runs[part / tiles] + tap;
                    const float *gradient = c->gradient + o
                        + (image * c->rows + row) * c->columns * c->outputs;
                    float *result = c->result + o
                        + (part / tiles * c->run + tap) * c->outputs;
                    if (vectors == 2 && c->outputs - o > TPUREF_OUTPUTS) {
                        TPUREF_CASES(count, 2, tpuref_taps, c, at, gradient, rows, result)
                    } else {
                        TPUREF_CASES(count, 1, tpuref_taps, c, at, gradient, rows, result)
                    }
                }
}

#define TPUREF_SET(set, target, widest, vectors) \
    target static void tpuref_rows_##set( \
        const tpuref_convolution *c, const tpuref_margins *margins, float *padded, \
        ptrdiff_t first, ptrdiff_t last) \
    { tpuref_rows(c, margins, padded, first, last, widest, vectors); } \
    target static void tpuref_filters_##set( \
        const tpuref_convolution *c, ptrdiff_t first, ptrdiff_t last) \
    { tpuref_filters(c, first, last, widest, vectors); } \
    static const tpuref_loops tpuref_loops_##set = { \
        #set, widest, tpuref_rows_##set, tpuref_filters_##set }

/* The loops over rows of steps and over parts of filters for one set of instructions;
   `widest` is the size of a tile. */
typedef struct {
    const char *name;
    ptrdiff_t widest;
    void (*rows)(const tpuref_convolution *, const tpuref_margins *, float *,
                 ptrdiff_t, ptrdiff_t);
    void (*filters)(const tpuref_convolution *, ptrdiff_t, ptrdiff_t);
} tpuref_loops;

TPUREF_SET(plain, , 6, 1);
#if defined(__x86_64__)
TPUREF_SET(avx2, __attribute__((target("avx2,fma"))), 6, 1);
TPUREF_SET(avx512f, __attribute__((target("avx512f"))), 12, 2);
#endif

static const tpuref_loops *tpuref_best_loops(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return &tpuref_loops_avx512f;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &tpuref_loops_avx2;
#endif
    return &tpuref_loops_plain;
}

/* The number of parts that `filters` counts. */
static ptrdiff_t tpuref_parts(const tpuref_convolution *c)
{
    ptrdiff_t widest = tpuref_best_loops()->widest;
    return c->num_runs * ((c->run + widest - 1) / widest);
}

#endif
