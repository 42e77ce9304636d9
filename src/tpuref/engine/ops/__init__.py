"""The operations: what each infers and computes, family by family."""
