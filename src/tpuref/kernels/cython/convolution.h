/* Convolution of images [batch, rows, columns, channels] without copies of the windows.
   All pixels of a window that lie next to each other in memory are a run.

   A tile of sums stays in registers while the window passes:
   12 pixels by 32 outputs are 24 of 32 registers of AVX-512, 6 pixels by 16 outputs are
   12 of 16 of AVX2. Pixels of a tile belong to one step of several images, whose windows
   are cut off where the image ends, or to neighbouring steps of an image, which is copied
   with zeros on its left and right just before it is read.

   Each sum adds its products in the order of the window, so it does not depend on the
   tile it is in; the instruction sets differ in the rounding of a product, which AVX2 and
   AVX-512 fuse with the sum. */

#ifndef TPUREF_CONVOLUTION_H
#define TPUREF_CONVOLUTION_H

#include "vectors.h"

/* The most floats of a strip of rows: 48 KiB, a cache of the first level. */
enum { TPUREF_STRIP = 3 << 12 };

/* The rows or columns of an image, and the steps of a window over them. `before` are
   zeros before the image; a negative number crops. */
typedef struct {
    ptrdiff_t size, before, window, hole, stride, steps;
} tpuref_axis;

/* Distances in an array are in floats. Filters, gradients and sums of filters have a
   multiple of 16 outputs, `outputs` apart; a result has `kept` of them. */
typedef struct {
    const float *images, *filters, *gradient;
    float *result;
    const ptrdiff_t *runs;                /* from the first pixel of a window */
    ptrdiff_t run, runs_per_row;          /* a run's length; how many are in a window's row */
    ptrdiff_t batch, image, channels;
    ptrdiff_t narrow, left;               /* a row of an image that is copied, and its zeros */
    tpuref_axis rows, columns;            /* with the zeros of such copies */
    ptrdiff_t outputs, kept;
    ptrdiff_t next_image, next_row, next_step; /* distances in the result */
    int together;                         /* a tile holds one step of several images */
} tpuref_convolution;

/* Indices [first, last). */
typedef struct {
    ptrdiff_t first, last;
} tpuref_range;

/* Which of `count` positions, `step` apart from `first` on, lie in [0, size). */
static inline tpuref_range tpuref_inside(
    ptrdiff_t first, ptrdiff_t step, ptrdiff_t count, ptrdiff_t size)
{
    tpuref_range range = {
        first < 0 ? (step - 1 - first) / step : 0,
        first < size ? (step - 1 + size - first) / step : 0 };
    if (range.last > count)
        range.last = count;
    return range;
}

/* Which rows or columns of the window lie in the image at a step. */
static inline tpuref_range tpuref_seen(const tpuref_axis *a, ptrdiff_t step)
{
    return tpuref_inside(step * a->stride - a->before, a->hole, a->window, a->size);
}

/* At which steps a row or column of the window lies in the image. */
static inline tpuref_range tpuref_steps(const tpuref_axis *a, ptrdiff_t pixel)
{
    return tpuref_inside(pixel * a->hole - a->before, a->stride, a->steps, a->size);
}

/* Where in an image the window starts at a step. */
static inline ptrdiff_t tpuref_start(
    const tpuref_convolution *c, ptrdiff_t row, ptrdiff_t column)
{
    ptrdiff_t y = row * c->rows.stride - c->rows.before;
    ptrdiff_t x = column * c->columns.stride - c->columns.before;
    return (y * c->columns.size + x) * c->channels;
}

/* Copy rows with the zeros on their left and right; a negative number crops. */
static void tpuref_widen(
    const float *rows, ptrdiff_t count, ptrdiff_t size, ptrdiff_t left, ptrdiff_t width,
    float *wide)
{
    ptrdiff_t first = left < 0 ? 0 : left, end = left + size < width ? left + size : width;
    if (end < first)
        end = first = 0;
    for (; count > 0; count--, rows += size, wide += width) {
        memset(wide, 0, first * sizeof *wide);
        memcpy(wide + first, rows + first - left, (end - first) * sizeof *wide);
        memset(wide + end, 0, (width - end) * sizeof *wide);
    }
}

/* The sums of a tile: of each of the runs of the window, `numbers`. `step` is the distance
   of the tile's pixels, `next` that of its results. `pixels` and `vectors` are constants
   wherever this is inlined. */
TPUREF_INLINE void tpuref_pixels(
    const tpuref_convolution *c, const float *image, ptrdiff_t step, tpuref_range runs,
    tpuref_range numbers, const float *filters, float *result, ptrdiff_t next,
    ptrdiff_t kept, const int pixels, const int vectors)
{
    tpuref_outputs sum[TPUREF_TILE][2] = {0}, weights[2];
    ptrdiff_t run, i;
    int p, v;
    for (run = runs.first; run < runs.last; run++) {
        const float *weight = filters + (run * c->run + numbers.first) * c->outputs;
        /* Four pointers: an address has room for one more register, times 1, 2 or 4. */
        const float *at[4];
        for (p = 0; p < 4; p++)
            at[p] = image + c->runs[run] + 3 * p * step;
        for (i = numbers.first; i < numbers.last; i++, weight += c->outputs) {
            for (v = 0; v < vectors; v++)
                weights[v] = ((const tpuref_outputs *)weight)[v];
#pragma GCC unroll 12
            for (p = 0; p < pixels; p++)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    sum[p][v] += at[p / 3][p % 3 * step + i] * weights[v];
        }
    }
#pragma GCC unroll 12
    for (p = 0; p < pixels; p++, result += next)
        if (kept >= vectors * TPUREF_OUTPUTS)
#pragma GCC unroll 2
            for (v = 0; v < vectors; v++)
                ((tpuref_outputs *)result)[v] = sum[p][v];
        else
            memcpy(result, sum[p], kept * sizeof *result);
}

/* The gradient of `taps` neighbouring weights, summed over steps of an image. */
TPUREF_INLINE void tpuref_taps(
    const tpuref_convolution *c, const float *image, const float *gradient,
    ptrdiff_t rows, ptrdiff_t columns, float *result, const int taps, const int vectors)
{
    tpuref_outputs sum[TPUREF_TILE][2] = {0}, slope[2];
    ptrdiff_t row, column;
    int t, v;
    for (row = 0; row < rows; row++) {
        const float *at = image, *slopes = gradient;
        for (column = 0; column < columns; column++) {
            for (v = 0; v < vectors; v++)
                slope[v] = ((const tpuref_outputs *)slopes)[v];
#pragma GCC unroll 12
            for (t = 0; t < taps; t++)
#pragma GCC unroll 2
                for (v = 0; v < vectors; v++)
                    sum[t][v] += at[t] * slope[v];
            at += c->columns.stride * c->channels;
            slopes += c->outputs;
        }
        image += c->rows.stride * c->columns.size * c->channels;
        gradient += c->columns.steps * c->outputs;
    }
#pragma GCC unroll 12
    for (t = 0; t < taps; t++, result += c->outputs)
#pragma GCC unroll 2
        for (v = 0; v < vectors; v++)
            ((tpuref_outputs *)result)[v] += sum[t][v];
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

/* The images whose pixels share tiles are a group. */
static ptrdiff_t tpuref_groups(const tpuref_convolution *c, ptrdiff_t widest)
{
    return c->together ? (c->batch + widest - 1) / widest : c->batch;
}

/* The convolution of rows of steps [first, last), counted over the groups. All rows of a
   group pass one block of filters, which stays in the cache, before the next block.
   `wide` has room for an image with its zeros. */
TPUREF_INLINE void tpuref_rows(
    const tpuref_convolution *c, float *wide, ptrdiff_t first, ptrdiff_t last,
    const int widest, const int vectors)
{
    ptrdiff_t lines = c->rows.steps, columns = c->columns.steps, line, end, row, o, t;
    ptrdiff_t groups = tpuref_groups(c, widest);
    ptrdiff_t tiles = c->together ? columns : (columns + widest - 1) / widest;
    ptrdiff_t neighbour = c->columns.stride * c->channels;
    ptrdiff_t step = c->together ? c->image : neighbour;
    ptrdiff_t next = c->together ? c->next_image : c->next_step;
    for (line = first; line < last; line = end) {
        ptrdiff_t group = line / lines, top = group * c->batch / groups;
        ptrdiff_t images = (group + 1) * c->batch / groups - top;
        const float *image = c->images + top * c->image;
        end = (group + 1) * lines < last ? (group + 1) * lines : last;
        if (c->narrow) {
            ptrdiff_t width = c->columns.size * c->channels;
            tpuref_widen(image, c->rows.size, c->narrow, c->left, width, wide);
            image = wide;
        }
        for (o = 0; o < c->kept; o += vectors * TPUREF_OUTPUTS)
            for (row = line - group * lines; row < end - group * lines; row++) {
                tpuref_range seen = tpuref_seen(&c->rows, row), numbers = {0, c->run};
                tpuref_range runs = {
                    seen.first * c->runs_per_row, seen.last * c->runs_per_row };
                const float *start = image + tpuref_start(c, row, 0);
                for (t = 0; t < tiles; t++) {
                    ptrdiff_t column = t * columns / tiles, left = c->kept - o;
                    ptrdiff_t count = (t + 1) * columns / tiles - column;
                    const float *at = start + column * neighbour;
                    float *result = c->result + o + top * c->next_image
                        + row * c->next_row + column * c->next_step;
                    if (c->together) {
                        seen = tpuref_seen(&c->columns, column);
                        numbers.first = seen.first * c->channels;
                        numbers.last = seen.last * c->channels;
                        count = images;
                    }
                    if (vectors == 2 && left > TPUREF_OUTPUTS) {
                        TPUREF_CASES(count, widest, 2, tpuref_pixels, c, at, step, runs, numbers,
                                     c->filters + o, result, next, left)
                    } else {
                        TPUREF_CASES(count, widest, 1, tpuref_pixels, c, at, step, runs, numbers,
                                     c->filters + o, result, next, left)
                    }
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
    ptrdiff_t size = c->columns.size * c->rows.stride * c->channels
                     + c->columns.steps * c->outputs;
    ptrdiff_t strips = (c->rows.steps * size - 1) / TPUREF_STRIP + 1;
    ptrdiff_t strip = (c->rows.steps - 1) / strips + 1;
    for (image = 0; image < c->batch; image++)
        for (row = 0; row < c->rows.steps; row += strip)
            for (o = 0; o < c->outputs; o += vectors * TPUREF_OUTPUTS)
                for (part = first; part < last; part++) {
                    ptrdiff_t run = part / tiles, t = part % tiles, tap = t * c->run / tiles;
                    ptrdiff_t count = (t + 1) * c->run / tiles - tap;
                    tpuref_range rows = tpuref_steps(&c->rows, run / c->runs_per_row);
                    tpuref_range columns = tpuref_steps(&c->columns, run % c->runs_per_row);
                    ptrdiff_t top = rows.first > row ? rows.first : row;
                    ptrdiff_t high = (rows.last < row + strip ? rows.last : row + strip) - top;
                    const float *at = c->images + image * c->image + c->runs[run] + tap
                                      + tpuref_start(c, top, columns.first);
                    const float *gradient = c->gradient + o + c->outputs
                        * ((image * c->rows.steps + top) * c->columns.steps + columns.first);
                    float *result = c->result + o + (run * c->run + tap) * c->outputs;
                    if (vectors == 2 && c->outputs - o > TPUREF_OUTPUTS) {
                        TPUREF_CASES(count, widest, 2, tpuref_taps, c, at, gradient, high,
                                     columns.last - columns.first, result)
                    } else {
                        TPUREF_CASES(count, widest, 1, tpuref_taps, c, at, gradient, high,
                                     columns.last - columns.first, result)
                    }
                }
}

/* The loops over rows of steps and over parts of filters for one set of instructions;
   `widest` is the size of a tile. */
typedef struct {
    const char *name;
    ptrdiff_t widest;
    void (*rows)(const tpuref_convolution *, float *, ptrdiff_t, ptrdiff_t);
    void (*filters)(const tpuref_convolution *, ptrdiff_t, ptrdiff_t);
} tpuref_loops;

#define TPUREF_LOOPS(set, target, widest, vectors) \
    target static void tpuref_rows_##set( \
        const tpuref_convolution *c, float *wide, ptrdiff_t first, ptrdiff_t last) \
    { tpuref_rows(c, wide, first, last, widest, vectors); } \
    target static void tpuref_filters_##set( \
        const tpuref_convolution *c, ptrdiff_t first, ptrdiff_t last) \
    { tpuref_filters(c, first, last, widest, vectors); } \
    static const tpuref_loops tpuref_loops_##set = { \
        #set, widest, tpuref_rows_##set, tpuref_filters_##set };

TPUREF_EACH_SET(TPUREF_LOOPS)

static const tpuref_loops *tpuref_best_loops(void)
{
    return TPUREF_BEST(&tpuref_loops);
}

/* How many rows of steps `rows` counts. */
static ptrdiff_t tpuref_lines(const tpuref_convolution *c)
{
    return tpuref_groups(c, tpuref_best_loops()->widest) * c->rows.steps;
}

/* How many parts `filters` counts. */
static ptrdiff_t tpuref_parts(const tpuref_convolution *c)
{
    ptrdiff_t widest = tpuref_best_loops()->widest;
    return c->rows.window * c->runs_per_row * ((c->run + widest - 1) / widest);
}

#endif
