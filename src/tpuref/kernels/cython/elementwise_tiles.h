/* Tiles of a chain, for one set of instructions. elementwise.h includes this for each
   set, with its name as TPUREF_SET, its TPUREF_TARGET, and the numbers in one of its
   vectors as TPUREF_WIDTH. */

#ifndef TPUREF_JOIN
#define TPUREF_JOIN_(name, suffix) name##_##suffix
#define TPUREF_JOIN(name, suffix) TPUREF_JOIN_(name, suffix)
#define TPUREF_FLOATS TPUREF_JOIN(tpuref_floats, TPUREF_SET)
#define TPUREF_BITS TPUREF_JOIN(tpuref_bits, TPUREF_SET)

/* `values` where bit 31 of `bits` is 0, and zeros elsewhere: GCC compares vectors of 64
   bytes one number after another. TPUREF_PAST carries into this bit from a NaN, but not
   from infinity. */
#define TPUREF_PAST 0x7fffff
#define TPUREF_UNLESS(bits, values) \
    ((TPUREF_FLOATS)((((bits) >> 31) - 1) & (TPUREF_BITS)(values)))
#define TPUREF_IF_POSITIVE(a, values) \
    TPUREF_UNLESS(((TPUREF_BITS)(a) - 1) | ((TPUREF_BITS)(a) + TPUREF_PAST), values)
#define TPUREF_RELU_OF(a) \
    TPUREF_UNLESS((TPUREF_BITS)(a) & ((TPUREF_BITS)(a) + TPUREF_PAST), a)

#define TPUREF_AT(n) ((TPUREF_FLOATS *)(e->at[n] + place * e->steps[n]))

/* At each use of an operand: a processor drops such requests while it has many. */
#define TPUREF_FETCH_NEXT(n) \
    if (c->num_operations >= TPUREF_LONG && e->steps[n]) \
        for (v = 0; v < vectors; v++) \
            __builtin_prefetch(TPUREF_AT(n) + vectors + v);

/* GCC keeps the result of a tile in registers only in unrolled loops over vectors. */
#define TPUREF_EACH(target, expression) \
    _Pragma("GCC unroll 16") \
    for (v = 0; v < vectors; v++) { \
        const TPUREF_FLOATS a = result[v], b = right[v]; \
        (void)a, (void)b; \
        target = expression; \
    }
#define TPUREF_VECTORS_CASE(code, expression) \
    case code: TPUREF_EACH(result[v], expression) break;

/* GCC computes these for several numbers at once only in loops over single numbers. */
#define TPUREF_NUMBERS_CASE(code, expression) \
    case code: \
        TPUREF_EACH(((TPUREF_FLOATS *)numbers)[v], a) \
        for (v = 0; v < vectors * TPUREF_WIDTH; v++) { \
            const float a = numbers[v]; \
            numbers[v] = expression; \
        } \
        TPUREF_EACH(result[v], ((TPUREF_FLOATS *)numbers)[v]) \
        break;
#endif

typedef float TPUREF_FLOATS
    __attribute__((vector_size(4 * TPUREF_WIDTH), aligned(4), may_alias));
typedef uint32_t TPUREF_BITS __attribute__((vector_size(4 * TPUREF_WIDTH)));

/* Run the chain on the tile at `place`. */
TPUREF_INLINE void TPUREF_JOIN(tpuref_tile, TPUREF_SET)(
    const tpuref_chain *c, const tpuref_elements *e, ptrdiff_t place, const int vectors)
{
    const TPUREF_FLOATS ones = 1 - (TPUREF_FLOATS){0}, *left, *right;
    TPUREF_FLOATS result[TPUREF_VECTORS] = {0}, *output;
    float numbers[TPUREF_VECTORS * TPUREF_WIDTH];
    ptrdiff_t n;
    int v;
    for (n = 0; n < c->num_operations; n++) {
        const tpuref_operation *operation = c->operations + n;
        right = TPUREF_AT(operation->right);
        TPUREF_FETCH_NEXT(operation->right)
        if (operation->left >= 0) {
            left = TPUREF_AT(operation->left);
            TPUREF_EACH(result[v], left[v])
            TPUREF_FETCH_NEXT(operation->left)
        }
        switch (operation->code) {
        TPUREF_VECTORS_CASE(TPUREF_ADD, a + b)
        TPUREF_VECTORS_CASE(TPUREF_SUBTRACT, a - b)
        TPUREF_VECTORS_CASE(TPUREF_MULTIPLY, a * b)
        TPUREF_VECTORS_CASE(TPUREF_DIVIDE, a / b)
        TPUREF_VECTORS_CASE(TPUREF_SQUARED_DIFFERENCE, (a - b) * (a - b))
        TPUREF_VECTORS_CASE(TPUREF_RELU_GRADIENT, a * TPUREF_IF_POSITIVE(b, ones))
        TPUREF_VECTORS_CASE(TPUREF_NEGATIVE, -a)
        TPUREF_VECTORS_CASE(TPUREF_SQUARE, a * a)
        TPUREF_NUMBERS_CASE(TPUREF_CUBE, (float)((double)a * a * a))
        TPUREF_NUMBERS_CASE(TPUREF_SQRT, sqrtf(a))
        TPUREF_VECTORS_CASE(TPUREF_RECIPROCAL, 1 / a)
        TPUREF_NUMBERS_CASE(TPUREF_RSQRT, 1 / sqrtf(a))
        TPUREF_VECTORS_CASE(TPUREF_RELU, TPUREF_RELU_OF(a))
        }
        if (operation->output >= 0) {
            output = TPUREF_AT(operation->output);
            TPUREF_EACH(output[v], a)
            TPUREF_FETCH_NEXT(operation->output)
        }
    }
}

TPUREF_TARGET static ptrdiff_t TPUREF_JOIN(tpuref_tiles, TPUREF_SET)(
    const tpuref_chain *c, const tpuref_elements *e, ptrdiff_t place, ptrdiff_t size,
    int large)
{
    enum { LARGE = TPUREF_VECTORS, SMALL = TPUREF_VECTORS / 2 };
    if (large)
        for (; place + LARGE * TPUREF_WIDTH <= size; place += LARGE * TPUREF_WIDTH)
            TPUREF_JOIN(tpuref_tile, TPUREF_SET)(c, e, place, LARGE);
    else
        for (; place + SMALL * TPUREF_WIDTH <= size; place += SMALL * TPUREF_WIDTH)
            TPUREF_JOIN(tpuref_tile, TPUREF_SET)(c, e, place, SMALL);
    return place;
}

static const tpuref_set TPUREF_JOIN(tpuref_set, TPUREF_SET) = {
    TPUREF_JOIN(tpuref_tiles, TPUREF_SET), TPUREF_VECTORS * TPUREF_WIDTH };

#undef TPUREF_SET
#undef TPUREF_TARGET
#undef TPUREF_WIDTH
