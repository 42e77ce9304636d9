"""The user's line: found across frames of the library, and shown with its text."""

import sys

import numpy as np

from tpuref.base import nest
from tpuref.base.callsite import CallSite, user_site


def test_the_site_is_that_of_the_caller():
    site = user_site()
    assert site.filename == __file__
    assert site.line == sys._getframe().f_lineno - 2
    assert site.function == "test_the_site_is_that_of_the_caller"
    assert site.code == "site = user_site()"
    assert str(site) == (
        f"{__file__}:{site.line} in {site.function}: site = user_site()"
    )


def test_frames_of_the_library_and_of_numpy_are_passed_over():
    found: list[CallSite] = []
    nest.map_structure(lambda _: found.append(user_site()), [1])
    assert found[0].function == "<lambda>"
    here = sys._getframe().f_lineno
    assert nest.map_structure(_Site(), [1])[0].line == here + 1
    assert np.vectorize(_Site(), otypes=[object])([1])[0].line == here + 2


class _Site:
    """Asks for the site from a frame that counts as the library's."""

    def __call__(self, _):
        scope = {"user_site": user_site}
        exec(compile("site = user_site()", nest.__file__, "exec"), scope)
        frame = scope["site"]
        assert isinstance(frame, CallSite)
        # The innermost frame outside the library is this one; go on to its caller.
        caller = sys._getframe(1)
        while caller.f_code.co_filename != __file__:
            caller = caller.f_back
        assert frame.function == "__call__"
        return CallSite(frame.filename, caller.f_lineno, caller.f_code.co_name)


def test_code_that_was_typed_in_has_a_site_without_text():
    scope = {"user_site": user_site}
    exec(compile("\n\nsite = user_site()", "<stdin>", "exec"), scope)
    site = CallSite("<stdin>", 3, "<module>")
    assert scope["site"] == site and len({scope["site"], site}) == 1
    assert site != CallSite("<stdin>", 2, "<module>")
    assert (site.code, str(site)) == ("", "<stdin>:3 in <module>")
