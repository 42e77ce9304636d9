/* Sums over the middle axis of arrays [before, count, row], in the order that
   `kernels/python/sums.py` has, and the greatest elements of rows.

   Vectors have 16 bytes: wider ones are faster only in the first-level cache. */

#ifndef TPUREF_SUMS_H
#define TPUREF_SUMS_H

#include <math.h>

#include "vectors.h"

/* BLOCK and LANES are those of `kernels/python/sums.py`. The sums of a SPAN of columns
   stay in the first-level cache, those of REGISTERS vectors in registers. Processors
   prefetch whole rows only, so parts of rows are fetched AHEAD rows early. */
enum {
    TPUREF_BLOCK = 32, TPUREF_LANES = 64, TPUREF_SPAN = 1024,
    TPUREF_REGISTERS = 16, TPUREF_AHEAD = 8
};

#define TPUREF_SUMS(type) \
    typedef type tpuref_##type##_vector \
        __attribute__((vector_size(16), aligned(sizeof(type)), may_alias)); \
    enum { \
        TPUREF_##type##_WIDTH = 16 / sizeof(type), \
        TPUREF_##type##_NUMBER = TPUREF_LANES / TPUREF_##type##_WIDTH \
    }; \
    /* Return the sum of up to BLOCK rows of LANES elements and of `rest` more, with all \
       lanes in registers. */ \
    TPUREF_INLINE type tpuref_##type##_sum( \
        const type *x, ptrdiff_t rows, ptrdiff_t rest) \
    { \
        tpuref_##type##_vector lanes[TPUREF_##type##_NUMBER]; \
        type last[TPUREF_##type##_WIDTH]; \
        int half, k; \
        for (k = 0; k < TPUREF_##type##_NUMBER; k++) \
            lanes[k] = ((const tpuref_##type##_vector *)x)[k]; \
        for (x += TPUREF_LANES; rows > 1; rows--, x += TPUREF_LANES) \
            for (k = 0; k < TPUREF_##type##_NUMBER; k++) \
                lanes[k] += ((const tpuref_##type##_vector *)x)[k]; \
        for (k = 0; k < rest; k++) \
            ((type *)lanes)[k] += x[k]; \
        _Pragma("GCC unroll 8") \
        for (half = TPUREF_##type##_NUMBER / 2; half > 0; half /= 2) \
            _Pragma("GCC unroll 16") \
            for (k = 0; k < half; k++) \
                lanes[k] += lanes[half + k]; \
        memcpy(last, lanes, sizeof last); \
        _Pragma("GCC unroll 8") \
        for (half = TPUREF_##type##_WIDTH / 2; half > 0; half /= 2) \
            _Pragma("GCC unroll 16") \
            for (k = 0; k < half; k++) \
                last[k] += last[half + k]; \
        return last[0]; \
    } \
    /* Add rows of up to SPAN elements, `stride` apart. */ \
    static void tpuref_##type##_rows( \
        const type *x, ptrdiff_t rows, ptrdiff_t stride, ptrdiff_t width, \
        type *restrict sums) \
    { \
        enum { columns = TPUREF_REGISTERS * TPUREF_##type##_WIDTH }; \
        ptrdiff_t k, i, j; \
        if (rows > TPUREF_BLOCK) { \
            type others[TPUREF_SPAN]; \
            ptrdiff_t left = TPUREF_BLOCK; \
            while (2 * left < rows) \
                left *= 2; \
            tpuref_##type##_rows(x, left, stride, width, sums); \
            tpuref_##type##_rows(x + left * stride, rows - left, stride, width, others); \
            for (i = 0; i < width; i++) \
                sums[i] += others[i]; \
            return; \
        } \
        for (i = 0; i + columns <= width; i += columns) { \
            tpuref_##type##_vector lanes[TPUREF_REGISTERS]; \
            memcpy(lanes, x + i, sizeof lanes); \
            for (k = 1; k < rows; k++) { \
                const type *row = x + i + k * stride; \
                const type *next = row + TPUREF_AHEAD * stride; \
                for (j = 0; j < columns; j += columns / 4) \
                    __builtin_prefetch(next + j); \
                for (j = 0; j < TPUREF_REGISTERS; j++) \
                    lanes[j] += ((const tpuref_##type##_vector *)row)[j]; \
            } \
            memcpy(sums + i, lanes, sizeof lanes); \
        } \
        memcpy(sums + i, x + i, (width - i) * sizeof *sums); \
        for (k = 1; k < rows; k++) \
            for (j = i; j < width; j++) \
                sums[j] += x[k * stride + j]; \
    } \
    static void tpuref_##type##_middle( \
        const type *x, ptrdiff_t before, ptrdiff_t count, ptrdiff_t row, \
        type *restrict result) \
    { \
        type sums[TPUREF_LANES]; \
        ptrdiff_t joined = 1, rows, rest, width, i; \
        while (2 * joined * row <= TPUREF_LANES && 2 * joined <= count) \
            joined *= 2; \
        rows = count / joined, rest = count % joined * row; \
        for (; before > 0; before--, x += count * row, result += row) { \
            width = joined * row; \
            if (joined == TPUREF_LANES && rows <= TPUREF_BLOCK) { \
                *result = tpuref_##type##_sum(x, rows, rest); \
            } else if (joined == 1) { \
                for (i = 0; i < row; i += TPUREF_SPAN) \
                    tpuref_##type##_rows( \
                        x + i, rows, row, \
                        row - i < TPUREF_SPAN ? row - i : TPUREF_SPAN, result + i); \
            } else { \
                tpuref_##type##_rows(x, rows, width, width, sums); \
                for (i = 0; i < rest; i++) \
                    sums[i] += x[rows * width + i]; \
                for (width /= 2; width >= row; width /= 2) \
                    for (i = 0; i < width; i++) \
                        sums[i] += sums[width + i]; \
                memcpy(result, sums, row * sizeof *sums); \
            } \
        } \
    }

TPUREF_SUMS(float)
TPUREF_SUMS(double)

#define TPUREF_IS_GREATER(a, b) (((a) > (b)) | ((a) != (a)))
#define TPUREF_TAKE_GREATER(vector, next, best) do { \
        const vector last = next; \
        best = TPUREF_CHOSEN(TPUREF_IS_GREATER(last, best), last, best); \
    } while (0)

/* Write the greatest element of each row; NaN is greater than all numbers. */
#define TPUREF_GREATEST(type) \
    static void tpuref_##type##_greatest( \
        const type *x, ptrdiff_t rows, ptrdiff_t count, type *result) \
    { \
        enum { WIDTH = TPUREF_##type##_WIDTH, NUMBER = 4, LANES = WIDTH * NUMBER }; \
        typedef tpuref_##type##_vector vector; \
        ptrdiff_t i; \
        int k; \
        for (; rows > 0; rows--, x += count) { \
            vector lanes[NUMBER]; \
            type greatest = -INFINITY; \
            for (k = 0; k < NUMBER; k++) \
                lanes[k] = (vector){0} - INFINITY; \
            for (i = 0; i + LANES <= count; i += LANES) \
                for (k = 0; k < NUMBER; k++) \
                    TPUREF_TAKE_GREATER( \
                        vector, ((const vector *)(x + i))[k], lanes[k]); \
            for (k = 1; k < NUMBER; k++) \
                TPUREF_TAKE_GREATER(vector, lanes[k], lanes[0]); \
            for (; i < count; i++) \
                greatest = TPUREF_IS_GREATER(x[i], greatest) ? x[i] : greatest; \
            for (k = 0; k < WIDTH; k++) \
                if (TPUREF_IS_GREATER(lanes[0][k], greatest)) \
                    greatest = lanes[0][k]; \
            *result++ = greatest; \
        } \
    }

TPUREF_GREATEST(float)
TPUREF_GREATEST(double)

#endif
