"""Values without behaviour of their own: types, shapes, nests, specs and errors."""
