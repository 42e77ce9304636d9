"""One module of tpuref, loaded with other code than its file's."""

import importlib.machinery
import importlib.util
import os


class MutatedModule(importlib.machinery.SourceFileLoader):
    """Finds and loads one module, with other code than its file's."""

    def __init__(self, name, path, code):
        super().__init__(name, path)
        self._code = code

    def get_code(self, fullname):
        """Return the other code."""
        return self._code

    def find_spec(self, fullname, path=None, target=None):
        """Return how to load it, for its name alone."""
        if fullname != self.name:
            return None
        package = os.path.basename(self.path) == "__init__.py"
        inside = [os.path.dirname(self.path)] if package else None
        return importlib.util.spec_from_file_location(
            fullname, self.path, loader=self, submodule_search_locations=inside
        )
