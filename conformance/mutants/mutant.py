"""One deliberately wrong variant of tpuref."""

import os
import shutil


class CannotApply(Exception):
    """The text that a mutant replaces does not stand in the source exactly once."""


class Mutant:
    """A small change that makes tpuref contradict a document.

    Attributes
    ----------
    name : str
    says : str
        What is wrong.
    clause : str
        The clause that has to notice.
    file : str
        The changed module, as a path in the package.
    old, new : str
        The text that is replaced, which stands in the file exactly once.
    """

    def __init__(self, name, says, clause, file, old, new):
        self.name = name
        self.says = says
        self.clause = clause
        self.file = file
        self.old = old
        self.new = new

    def apply(self, package, directory):
        """Write a copy of tpuref with the change.

        Parameters
        ----------
        package : str
            Directory of the unchanged package.
        directory : str
            Where the copy is made. Unchanged files are links.
        """
        copy = os.path.join(directory, "tpuref")
        shutil.copytree(package, copy, copy_function=os.symlink)
        path = os.path.join(copy, self.file)
        with open(path, encoding="utf-8") as stream:
            source = stream.read()
        if source.count(self.old) != 1:
            raise CannotApply(
                f"{self.name}: {self.file} has the text {source.count(self.old)} "
                f"times: {self.old!r}"
            )
        os.remove(path)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(source.replace(self.old, self.new))
