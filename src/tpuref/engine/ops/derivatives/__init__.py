"""The gradient rules, family by family, in terms of other operations.

A rule is ``rule(apply, operation, *gradients)``.  It takes the function that applies
operations, the operation (`inputs`, `outputs`, `attrs`, `type`), and the gradient of
each output.  It returns the gradient of the input, or a sequence with one for each
input: a tensor, `Rows`, None where no gradient flows, or a function without
parameters, which is called only if that input's gradient is needed.

Tensors have Python's operators: ``dy * apply("Cos", x)``.  Since every step is an
operation, gradients have gradients and run on every executor.
"""
