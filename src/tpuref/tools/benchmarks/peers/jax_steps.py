"""The steps of `tpuref.tools.benchmarks.steps` in JAX, with all outputs fetched."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.models import MODELS, verify
from tpuref.tools.benchmarks.step_kinds import (
    RATE,
    elementwise,
    expected_loss,
    fresh_weights,
    sample,
    training_step,
)

AXIS = "cores"


class Steps:
    """Steps by their names: ``"KIND, pmap"`` or ``"KIND, jit"``."""

    def __init__(self, cores: int) -> None:
        import jax

        self._jax = jax
        self._cores = cores
        self._step = cache(self._build)

    def seconds(self, name: str, count: int) -> float:
        """Return the seconds of one step, as the mean of several."""
        step = self._step(name)
        step()
        return seconds_of(step, count)()

    def _map_over_cores(
        self, how: str, computation: Callable[..., Any], **keep: Any
    ) -> Any:
        if how == "pmap":
            return self._jax.pmap(computation, axis_name=AXIS, **keep)
        return self._jax.jit(self._jax.vmap(computation, axis_name=AXIS), **keep)

    def _build(self, name: str) -> Callable[[], Any]:
        kind, _, how = name.partition(", ")
        if kind == "training":
            return self._training(how)
        if kind in MODELS:
            return self._model(kind, how)
        own = elementwise if kind == "100 operations" else (lambda x: x + 1)
        inputs = np.stack([sample(replica) for replica in range(self._cores)])
        place = self._map_over_cores(how, lambda x: x)
        program = self._map_over_cores(how, own)
        x = place(inputs)
        expected = np.stack([own(row) for row in inputs])
        np.testing.assert_allclose(np.asarray(program(x)), expected, rtol=1e-5)
        return lambda: np.asarray(program(x))

    def _training(self, how: str) -> Callable[[], Any]:
        psum, xp = self._jax.lax.psum, self._jax.numpy

        def computation(first: Any, second: Any, x: Any, y: Any) -> Any:
            loss, *gradients = training_step(xp, x, y, first, second)
            total = [psum(gradient, AXIS) for gradient in gradients]
            return first - RATE * total[0], second - RATE * total[1], loss

        program = self._map_over_cores(how, computation, donate_argnums=(0, 1))
        place = self._map_over_cores(how, lambda x: x)
        images, labels, *weights = fresh_weights()
        x, y = (place(np.stack(np.split(a, self._cores))) for a in (images, labels))
        state = [place(np.stack([w] * self._cores)) for w in weights]

        def step() -> Any:
            *state[:], loss = program(*state, x, y)
            return np.asarray(loss)

        for expected in expected_loss(2):
            np.testing.assert_allclose(step().sum(), expected, rtol=1e-3)
        return step

    def _model(self, kind: str, how: str) -> Callable[[], Any]:
        jax, model = self._jax, MODELS[kind]()

        def convolve(images: Any, filters: Any) -> Any:
            kinds = ("NHWC", "HWIO", "NHWC")
            return jax.lax.conv_general_dilated(
                images, filters, (1, 1), "SAME", dimension_numbers=kinds
            )

        def computation(weights: Any, x: Any, y: Any) -> Any:
            def loss_of(weights: Any) -> Any:
                return model.loss(jax.numpy, convolve, weights, x, y)

            loss, gradients = jax.value_and_grad(loss_of)(weights)
            total = jax.lax.psum(gradients, AXIS)
            return [w - RATE * t for w, t in zip(weights, total, strict=True)], loss

        program = self._map_over_cores(how, computation, donate_argnums=(0,))
        place = self._map_over_cores(how, lambda x: x)
        whole = model.inputs, model.labels
        x, y = (place(np.stack(np.split(a, self._cores))) for a in whole)
        state = [[place(np.stack([w] * self._cores)) for w in model.weights]]

        def step() -> Any:
            state[0], loss = program(state[0], x, y)
            return np.asarray(loss)

        verify(model, float(step().sum()), [np.asarray(w)[0] for w in state[0]])
        return step
