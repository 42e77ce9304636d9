"""Plain values: types, shapes, nests, specs and errors."""
