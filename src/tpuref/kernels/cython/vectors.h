/* Vectors of outputs, for loops that are compiled for several sets of instructions.

   The vectors are GCC's own: one of 64 bytes is a register with AVX-512, two with AVX2
   and four with SSE or NEON. */

#ifndef TPUREF_VECTORS_H
#define TPUREF_VECTORS_H

#include <stddef.h>
#include <string.h>

enum { TPUREF_OUTPUTS = 16, TPUREF_TILE = 12 };

typedef float tpuref_outputs
    __attribute__((vector_size(4 * TPUREF_OUTPUTS), aligned(4), may_alias));

#define TPUREF_INLINE static inline __attribute__((always_inline))

#endif
