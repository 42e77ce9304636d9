"""The operations: inference, computation and definition, family by family."""
