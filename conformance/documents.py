"""The documents, and the releases of TensorFlow that each of them describes."""


class Document:
    """One documentation page: its file, and the name that it documents.

    ``release`` is the release whose signatures are exactly those of the page,
    ``versions`` the first and the last minor version that the page is held against; no
    last version means every later one.
    """

    def __init__(self, file, title, release, versions):
        self.file = file
        self.title = title
        self.release = release
        self.versions = versions

    @property
    def number(self):
        """The first three digits of the file name."""
        return self.file[:3]

    @property
    def name(self):
        """What readers know it by."""
        return f"{self.title} (TensorFlow {self.release})"


DOCUMENTS = (
    Document("000_04abb9e9288042d8.txt", "tf.tpu", "1.15.5", ("1.15", "1.15")),
    Document("001_66db0865fe92828f.txt", "tf.contrib.distribute.TPUStrategy", "1.11.0",
        ("1.11", "1.11")),
    Document("002_5797ad2ccd98ef9a.txt",
        "tf.contrib.cluster_resolver.TPUClusterResolver", "1.8.0", ("1.8", "1.8")),
    Document("003_0632b6613bf28dbc.txt", "tf.compat.v1.tpu.replicate", "2.4.4",
        ("2.4", None)),
    Document("004_1530f51430af0bea.txt",
        "tf.distribute.cluster_resolver.TPUClusterResolver", "2.2.0", ("2.2", None)),
)  # fmt: skip


def name_of(file):
    """Return what readers know the document in a file by."""
    return next((one.name for one in DOCUMENTS if one.file == file), file)


def within(version, versions):
    """Tell whether ``version``, such as '1.15.5', lies between the two bounds."""
    first, last = versions
    minor = _minor(version)
    return (first is None or minor >= _minor(first)) and (
        last is None or minor <= _minor(last)
    )


def _minor(version):
    """Return major and minor number; anything but a number counts as zero."""
    numbers = [int(part) if part.isdigit() else 0 for part in version.split(".")[:2]]
    return tuple(numbers + [0] * (2 - len(numbers)))
