"""The rules of gradients, family by family, as mathematics in other operations.

A rule is ``rule(apply, operation, *gradients)``.  It gets the function that applies
operations, the operation (`inputs`, `outputs`, `attrs`, `type`), and the gradient of
each output.  It returns the gradient of the input, or a sequence with one for each
input: a tensor, `Rows`, None where nothing flows back, or a function without
parameters, which is called only if that input's gradient is wanted.

Tensors have Python's operators, so ``dy * apply("Cos", x)`` means what it says.  As
every step is an operation, a gradient has a gradient, and runs on every executor.
"""
