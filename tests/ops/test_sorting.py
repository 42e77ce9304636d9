"""Operations that order elements: equal ones, and shapes that do not fit."""

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.errors import InvalidArgumentError

from .records import infer, known, run

TABLE = np.array([[3, 1, 2, 1], [0, 5, 0, 5]])
REAL = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
REAL += (np.int8, np.int64, np.uint8, np.uint64)


@pytest.mark.parametrize("dtype", REAL)
def test_equal_elements_keep_their_order_in_both_directions(dtype):
    values = TABLE.astype(dtype)
    up = run("ArgSort", values, axis=-1, descending=False)
    assert up.tolist() == [[1, 3, 2, 0], [0, 2, 1, 3]]
    down = run("ArgSort", values, axis=-1, descending=True)
    assert down.tolist() == [[0, 2, 1, 3], [1, 3, 0, 2]]
    least = np.array([-128, 127, 0], np.int8)  # has no positive counterpart
    assert run("Sort", least, axis=0, descending=True).tolist() == [127, 0, -128]


def test_rows_that_do_not_agree_are_refused():
    scores, search = np.ones((2, 3), np.float32), {"side": "left", "out_type": "int32"}
    with pytest.raises(ValueError, match="k is 5; .* size 4"):
        infer("TopKV2", known([2, 4]), known([], "int32", np.array(5)))
    with pytest.raises(InvalidArgumentError, match="k is 5; .* size 4"):
        run("TopKV2", TABLE, 5)
    with pytest.raises(ValueError, match="one target for each row"):
        infer("InTopKV2", known([2, 3]), known([3], "int32"), known([], "int32"))
    with pytest.raises(InvalidArgumentError, match="one target for each row"):
        run("InTopKV2", scores, np.zeros(3, np.int32), 1)
    with pytest.raises(ValueError, match="except along the last axis"):
        infer("SearchSorted", known([2, 3]), known([3, 1]), **search)
    with pytest.raises(InvalidArgumentError, match="except along the last axis"):
        run("SearchSorted", scores, scores[:1], **search)
