/* The first greatest pixels of windows over images [batch, rows, columns, channels].

   Four channels at a time pass a window, a register of SSE or NEON, and what is best so
   far stays in registers. Of wider vectors GCC compares each number for itself where
   registers are narrower. NaN is the greatest. */

#ifndef TPUREF_POOLING_H
#define TPUREF_POOLING_H

#include <math.h>
#include <stdint.h>

#include "vectors.h"

enum { TPUREF_LANES = 4 };
typedef float tpuref_values __attribute__((vector_size(4 * TPUREF_LANES)));
typedef int32_t tpuref_numbers __attribute__((vector_size(4 * TPUREF_LANES)));

/* One of `maxima`, `positions` and `gradient` is the result, the others are NULL. Pixels
   of an image are numbered by rows. */
typedef struct {
    const float *images, *backprop;
    float *maxima, *gradient;
    int64_t *positions;
    ptrdiff_t height, width, down, along, above, left;  /* of the window and its steps */
    ptrdiff_t rows, columns, channels, steps_down, steps_along;
    ptrdiff_t image, pixel, channel;  /* the distances of neighbours in `positions` */
} tpuref_pooling;

typedef struct { ptrdiff_t top, bottom, first, last; } tpuref_window;

/* Lanes beyond the last channel hold zeros, and are not stored. */
TPUREF_INLINE tpuref_values tpuref_load(const float *from, const ptrdiff_t lanes)
{
    tpuref_values values = {0};
    memcpy(&values, from, lanes * sizeof *from);
    return values;
}

/* Write what a window has to `lanes` channels, those from `image` and `result` on. Maxima
   have no need of `places`. */
TPUREF_INLINE void tpuref_pool(
    const tpuref_pooling *p, const tpuref_window *w, const float *image,
    ptrdiff_t result, int64_t position, const int places, const int tiled,
    const ptrdiff_t lanes)
{
    tpuref_values best = -INFINITY - (tpuref_values){0};
    tpuref_numbers found = -1 - (tpuref_numbers){0};
    ptrdiff_t y, x, lane;
    for (y = w->top; y < w->bottom; y++)
        for (x = w->first; x < w->last; x++) {
            int32_t number = y * p->columns + x;
            tpuref_values value = tpuref_load(image + number * p->channels, lanes);
            tpuref_numbers better = (value > best)
                                    | ((value != value) & (best == best));
            if (places) {
                better |= found < 0;
                found = (better & number) | (~better & found);
            }
            best = TPUREF_CHOSEN(better, value, best);
        }
    if (p->maxima)
        memcpy(p->maxima + result, &best, lanes * sizeof(float));
    if (p->positions)
        for (lane = 0; lane < lanes; lane++)
            p->positions[result + lane] = found[lane] < 0 ? -1
                : position + found[lane] * p->pixel + lane * p->channel;
    if (p->gradient) {
        tpuref_values backprop = tpuref_load(p->backprop + result, lanes), zero = {0};
        float *gradient = p->gradient + (image - p->images);
        for (y = w->top; y < w->bottom; y++)
            for (x = w->first; x < w->last; x++) {
                int32_t number = y * p->columns + x;
                float *at = gradient + number * p->channels;
                tpuref_values sum = (tiled ? zero : tpuref_load(at, lanes))
                                    + TPUREF_CHOSEN(found == number, backprop, zero);
                memcpy(at, &sum, lanes * sizeof *at);
            }
    }
}

TPUREF_INLINE ptrdiff_t tpuref_within(ptrdiff_t place, ptrdiff_t size)
{
    return place < 0 ? 0 : place > size ? size : place;
}

/* Whether each pixel of an image is in one window. */
static int tpuref_tiled(const tpuref_pooling *p)
{
    return p->height == p->down && p->width == p->along
           && p->above >= 0 && p->steps_down * p->down - p->above >= p->rows
           && p->left >= 0 && p->steps_along * p->along - p->left >= p->columns;
}

#define TPUREF_POOL(lanes) tpuref_pool( \
    p, &w, image + c, result + c, position + c * p->channel, places, tiled, lanes)

/* Pool images [first, last). */
TPUREF_INLINE void tpuref_pool_all(
    const tpuref_pooling *p, ptrdiff_t first, ptrdiff_t last, const int places,
    const int tiled)
{
    ptrdiff_t size = p->rows * p->columns * p->channels;
    ptrdiff_t b, r, k, c, result = first * p->steps_down * p->steps_along * p->channels;
    for (b = first; b < last; b++) {
        const float *image = p->images + b * size;
        if (p->gradient && !tiled)
            memset(p->gradient + b * size, 0, size * sizeof(float));
        for (r = 0; r < p->steps_down; r++)
            for (k = 0; k < p->steps_along; k++, result += p->channels) {
                ptrdiff_t top = r * p->down - p->above, left = k * p->along - p->left;
                tpuref_window w = {
                    tpuref_within(top, p->rows), tpuref_within(top + p->height, p->rows),
                    tpuref_within(left, p->columns),
                    tpuref_within(left + p->width, p->columns),
                };
                int64_t position = b * p->image;
                for (c = 0; c + TPUREF_LANES <= p->channels; c += TPUREF_LANES)
                    TPUREF_POOL(TPUREF_LANES);
                if (c < p->channels)
                    TPUREF_POOL(p->channels - c);
            }
    }
}

#define TPUREF_SET(set, target) \
    target static void tpuref_pool_##set( \
        const tpuref_pooling *p, ptrdiff_t first, ptrdiff_t last) \
    { \
        if (p->maxima) \
            tpuref_pool_all(p, first, last, 0, 0); \
        else if (tpuref_tiled(p)) \
            tpuref_pool_all(p, first, last, 1, 1); \
        else \
            tpuref_pool_all(p, first, last, 1, 0); \
    }

TPUREF_SET(plain, )
#if defined(__x86_64__)
TPUREF_SET(avx2, __attribute__((target("avx2"))))
#endif

static void tpuref_pool_images(const tpuref_pooling *p, ptrdiff_t first, ptrdiff_t last)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        tpuref_pool_avx2(p, first, last);
    else
#endif
        tpuref_pool_plain(p, first, last);
}

#endif
