"""What the suite did with the mutants of cosmic-ray, module by module."""

#: The share of the mutants of a package that must be killed.
REQUIRED = 0.85

KILLED = "killed"
SURVIVED = "survived"
INVALID = "no program"


class Count:
    """The mutants of a module or a package, by what became of them.

    Attributes
    ----------
    name : str
    killed, judged, unjudged : int
        Judged and unjudged are those that survived.
    """

    def __init__(self, name):
        self.name = name
        self.killed = 0
        self.judged = 0
        self.unjudged = 0

    def add(self, other):
        """Add the numbers of another count."""
        self.killed += other.killed
        self.judged += other.judged
        self.unjudged += other.unjudged

    @property
    def valid(self):
        """How many of the changes gave a program."""
        return self.killed + self.judged + self.unjudged

    @property
    def enough(self):
        """Whether enough of them were killed."""
        return self.killed >= REQUIRED * self.valid

    def row(self, name):
        """Return the line of the table, under that name."""
        share = f"{self.killed / self.valid:.1%}" if self.valid else "-"
        return (
            f"{name:34} {self.valid:6} {self.killed:7} {share:>7} "
            f"{self.judged:7} {self.unjudged:11}"
        )

    def as_json(self):
        return {
            "name": self.name,
            "valid": self.valid,
            "killed": self.killed,
            "judged": self.judged,
            "unjudged": self.unjudged,
        }


class CosmicReport:
    """The verdicts, held against the judgements on survivors.

    Parameters
    ----------
    modules : list of str
        The modules that were changed.
    verdicts : list of dict
        What `Verdict.as_json` gives.
    judged : dict
        From (module, line, changed line) to the reason why no clause notices.

    Attributes
    ----------
    modules, packages : list of Count
    unjudged : list of dict
        Verdicts on survivors without a reason.
    stale : list of tuple
        Judgements on changes that do not survive, or are none.
    """

    def __init__(self, modules, verdicts, judged):
        counts = {name: Count(name) for name in modules}
        survivors = set()
        self.unjudged = []
        for one in verdicts:
            count = counts[one["module"]]
            change = (one["module"], one["before"], one["after"])
            if one["state"] == KILLED:
                count.killed += 1
            elif one["state"] == SURVIVED:
                survivors.add(change)
                if change in judged:
                    count.judged += 1
                else:
                    count.unjudged += 1
                    self.unjudged.append(one)
        self.stale = sorted(
            change
            for change in judged
            if change[0] in counts and change not in survivors
        )
        self.modules = [counts[name] for name in sorted(counts)]
        self.packages = _by_package(self.modules)

    @property
    def passed(self):
        """Whether enough were killed, and each survivor is judged and no other one."""
        enough = all(package.enough for package in self.packages)
        return enough and not self.unjudged and not self.stale

    def lines(self):
        """Return the table, and below it what is wrong."""
        lines = [
            f"{'module':34} {'valid':>6} {'killed':>7} {'':7} {'judged':>7} "
            f"{'not judged':>11}"
        ]
        for package in self.packages:
            lines.append(package.row(package.name))
            for module in self.modules:
                if module.name.startswith(package.name + "."):
                    lines.append(
                        module.row("  " + module.name[len(package.name) + 1 :])
                    )
        return lines + self._troubles()

    def _troubles(self):
        lines = [
            f"{package.name}: less than {REQUIRED:.0%} are killed"
            for package in self.packages
            if not package.enough
        ]
        for one in self.unjudged:
            lines.append(
                f"survives and is not judged: {one['module']}:{one['line']} "
                f"({one['operator']})"
            )
            lines += [f"  - `{one['before']}`", f"    `{one['after']}`"]
        for module, before, after in self.stale:
            lines.append(f"is judged but does not survive: {module}")
            lines += [f"  - `{before}`", f"    `{after}`"]
        return lines

    def as_json(self):
        """Return all of it as plain data."""
        return {
            "packages": [package.as_json() for package in self.packages],
            "modules": [module.as_json() for module in self.modules],
            "unjudged": self.unjudged,
            "stale": [list(change) for change in self.stale],
            "passed": self.passed,
        }


def _by_package(modules):
    packages = {}
    for module in modules:
        name = ".".join(module.name.split(".")[:2])
        packages.setdefault(name, Count(name)).add(module)
    return list(packages.values())
