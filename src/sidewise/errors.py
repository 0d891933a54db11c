"""Everything that Sidewise raises or warns about.

::

    SidewiseError (ValueError)
    ├── DataError           a file or a table is not what it should be
    │   ├── CampaignError       … of a campaign (in sidewise.collect)
    │   ├── ComparisonError     … of comparisons
    │   │   └── NoComparisons       … of which there are none
    │   └── WrongChecksum       … its bytes are others than those that were published
    ├── Absent              a data set that is needed is not here
    │   └── PartlyAbsent        … all of it: some files that were asked for have come
    ├── DownloadError       a file can be had from none of its addresses
    ├── MeasureError        a measure cannot be taken of what was given
    ├── ModelError          the data are fine, but this model cannot be fitted to them
    ├── ConvergenceError    a fit did not converge and strict=True was asked for
    └── MissingExtra        an optional library is not installed (also an ImportError)

    SidewiseWarning (UserWarning)
    ├── NotConverged        a fit stopped before its tolerance was reached
    ├── Disconnected        the order between parts of the comparison graph rests on the prior alone
    ├── PriorConflict       the data contradict an estimated prior, and a loose one was used instead
    ├── FewWorkers          intervals that take workers as independent, from too few of them
    └── OrderDependent      the result depends on the order of the rows
"""


class SidewiseError(ValueError):
    """The base of all errors that a caller can mend."""


class DataError(SidewiseError):
    """A file or a table is not what it should be; the message names the line, the value and the cure."""


class MeasureError(SidewiseError):
    """A measure cannot be taken of what was given; the message says why and what would do."""


class ComparisonError(DataError):
    """The comparisons are not what they should be; the message names the row, the value and the cure."""


class NoComparisons(ComparisonError):  # noqa: N818 - named after what is missing, like MissingExtra
    """There are no rows, as before the first answer of a campaign."""


class WrongChecksum(DataError):  # noqa: N818 - named after what is wrong, like its kin
    """The bytes of a file are others than those that were published; the message says where it was put aside."""


class Absent(SidewiseError):  # noqa: N818 - data that are not here are no fault
    """A data set that is needed is not here; the message says how to get it."""


class PartlyAbsent(Absent):
    """Of the files that were asked for some have come, and others are in no place that was named."""


class DownloadError(SidewiseError):
    """A file can be had from none of its addresses; the message says why of each, and what else can be done."""


class ModelError(SidewiseError):
    """The data are fine, but this model cannot be fitted to them; the message says why and what would do."""


class ConvergenceError(SidewiseError):
    """A fit did not converge and ``strict=True`` was asked for."""


class MissingExtra(SidewiseError, ImportError):  # noqa: N818 - named after what is missing, like ImportError's kin
    """An optional library is not installed; the message gives the command that installs it."""


class SidewiseWarning(UserWarning):
    """The base of all warnings."""


class NotConverged(SidewiseWarning):
    """A fit stopped before its tolerance was reached."""


class Disconnected(SidewiseWarning):
    """The comparison graph falls apart: nothing but the prior orders items of different parts."""


class PriorConflict(SidewiseWarning):
    """The data contradict the prior whose spread was estimated from them; a loose one was used instead."""


class FewWorkers(SidewiseWarning):
    """Intervals take workers as independent, and there are too few of them to tell how much they differ."""


class OrderDependent(SidewiseWarning):
    """The result depends on the order of the rows, which is rarely meant."""
