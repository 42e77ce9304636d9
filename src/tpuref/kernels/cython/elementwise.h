/* Chains of elementwise operations on float32.

   All operations of a chain pass over one block of elements, which stays in the cache of
   the first level, before the next block. A value that only the chain reads never
   reaches memory. Every operation rounds as NumPy does, once where not said otherwise,
   so a result does not depend on the chain or the block that computes it. */

#ifndef TPUREF_ELEMENTWISE_H
#define TPUREF_ELEMENTWISE_H

#include <math.h>
#include <stddef.h>

enum {
    TPUREF_AXES = 8, TPUREF_BLOCK = 1024, TPUREF_LONGEST = 32,
    TPUREF_OPERANDS = 3 * TPUREF_LONGEST
};

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

/* Operands by number; an operation of one input has it twice. */
typedef struct {
    int code, inputs[2], output;
} tpuref_operation;

/* There are two axes or more. `scratch` has a block for each operand; it is the memory
   of those without data. */
typedef struct {
    const tpuref_operation *operations;
    tpuref_operand operands[TPUREF_OPERANDS];
    ptrdiff_t sizes[TPUREF_AXES];
    ptrdiff_t num_operations, num_operands, num_axes;
    float *scratch;
} tpuref_chain;

#define TPUREF_INLINE static inline __attribute__((always_inline))

/* One loop for each way to read two inputs: an element each, or one number again and
   again. An output may be an input: each element is read before it is written. */
#define TPUREF_LOOP(i, j, expression) \
    _Pragma("GCC ivdep") \
    for (k = 0; k < size; k++) { \
        float a = x[i], b = y[j]; \
        (void)b; \
        out[k] = expression; \
    }
#define TPUREF_BINARY(code, expression) \
    case code: \
        if (!x_step) { TPUREF_LOOP(0, k, expression) } \
        else if (!y_step) { TPUREF_LOOP(k, 0, expression) } \
        else { TPUREF_LOOP(k, k, expression) } \
        break;
#define TPUREF_UNARY(code, expression) \
    case code: TPUREF_LOOP(k, k, expression) break;

/* Compute `size` elements; a step is 0 for a number and 1 for an array. */
TPUREF_INLINE void tpuref_operate(
    int code, const float *x, ptrdiff_t x_step, const float *y, ptrdiff_t y_step,
    float *out, ptrdiff_t size)
{
    ptrdiff_t k;
    switch (code) {
    TPUREF_BINARY(TPUREF_ADD, a + b)
    TPUREF_BINARY(TPUREF_SUBTRACT, a - b)
    TPUREF_BINARY(TPUREF_MULTIPLY, a * b)
    TPUREF_BINARY(TPUREF_DIVIDE, a / b)
    TPUREF_BINARY(TPUREF_SQUARED_DIFFERENCE, (a - b) * (a - b))
    TPUREF_BINARY(TPUREF_RELU_GRADIENT, a * (b > 0 ? 1.0f : 0.0f))
    TPUREF_UNARY(TPUREF_NEGATIVE, -a)
    TPUREF_UNARY(TPUREF_SQUARE, a * a)
    TPUREF_UNARY(TPUREF_CUBE, (float)((double)a * a * a))
    TPUREF_UNARY(TPUREF_SQRT, sqrtf(a))
    TPUREF_UNARY(TPUREF_RECIPROCAL, 1 / a)
    TPUREF_UNARY(TPUREF_RSQRT, 1 / sqrtf(a))
    TPUREF_UNARY(TPUREF_RELU, a > 0 || a != a ? a : 0.0f)
    }
}

/* Run the chain on part of its last two axes; `first` has the operands' first elements. */
TPUREF_INLINE void tpuref_block(
    const tpuref_chain *c, float *const *first, ptrdiff_t row, ptrdiff_t rows,
    ptrdiff_t column, ptrdiff_t columns)
{
    ptrdiff_t n, r, last = c->num_axes - 1;
    for (n = 0; n < c->num_operations; n++) {
        const tpuref_operation *operation = c->operations + n;
        const int numbers[3]
            = {operation->inputs[0], operation->inputs[1], operation->output};
        float *at[3];
        ptrdiff_t down[3], along[3], size = columns, turns = rows;
        int k, flat = 1;
        for (k = 0; k < 3; k++) {
            const tpuref_operand *operand = c->operands + numbers[k];
            if (operand->data) {
                down[k] = rows == 1 ? 0 : operand->strides[last - 1];
                along[k] = operand->strides[last];
                at[k] = first[numbers[k]] + row * operand->strides[last - 1]
                        + column * along[k];
            } else {
                down[k] = columns, along[k] = 1;
                at[k] = c->scratch + numbers[k] * TPUREF_BLOCK;
            }
            flat &= rows == 1 || down[k] == along[k] * columns;
        }
        if (flat)
            size = rows * columns, turns = 1;
        for (r = 0; r < turns; r++) {
            const int repeats = !along[0] && !along[1];
            float *out = at[2] + r * down[2];
            ptrdiff_t i;
            tpuref_operate(operation->code, at[0] + r * down[0], along[0],
                           at[1] + r * down[1], along[1], out, repeats ? 1 : size);
            for (i = 1; repeats && i < size; i++)
                out[i] = out[0];
        }
    }
}

/* Run the chain on all elements. */
TPUREF_INLINE void tpuref_blocks(const tpuref_chain *c)
{
    float *first[TPUREF_OPERANDS];
    ptrdiff_t last = c->num_axes - 1, columns = c->sizes[last];
    ptrdiff_t all_rows = c->sizes[last - 1], outer = 1, rows = 1, index, rest, n, axis;
    ptrdiff_t row, column;
    if (columns < TPUREF_BLOCK)
        rows = TPUREF_BLOCK / (columns ? columns : 1);
    else
        columns = TPUREF_BLOCK;
    for (axis = 0; axis < last - 1; axis++)
        outer *= c->sizes[axis];
    for (index = 0; index < outer; index++) {
        for (n = 0; n < c->num_operands; n++)
            first[n] = c->operands[n].data;
        for (axis = last - 2, rest = index; axis >= 0; rest /= c->sizes[axis--])
            for (n = 0; n < c->num_operands; n++)
                if (first[n])
                    first[n] += rest % c->sizes[axis] * c->operands[n].strides[axis];
        for (row = 0; row < all_rows; row += rows)
            for (column = 0; column < c->sizes[last]; column += columns) {
                ptrdiff_t down = all_rows - row, along = c->sizes[last] - column;
                tpuref_block(c, first, row, down < rows ? down : rows,
                             column, along < columns ? along : columns);
            }
    }
}

#define TPUREF_SET(set, target) \
    target static void tpuref_chain_##set(const tpuref_chain *chain) \
    { \
        tpuref_blocks(chain); \
    }

TPUREF_SET(plain, )
#if defined(__x86_64__)
TPUREF_SET(avx2, __attribute__((target("avx2"))))
TPUREF_SET(avx512f, __attribute__((target("avx512f"))))
#endif

static void tpuref_run_chain(const tpuref_chain *chain)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        tpuref_chain_avx512f(chain);
    else if (__builtin_cpu_supports("avx2"))
        tpuref_chain_avx2(chain);
    else
#endif
        tpuref_chain_plain(chain);
}

#endif
