"""The tally of a whole crowd at once, without drawing a report for anybody: for simulation only.

A tally is exact in law when the counts of all report cells together have the distribution that counting everybody's
report would give them. Users are independent, so groups of users may be drawn together as long as the users in a group
share what matters from there on:

1. With probability gamma = T q a report ignores its value and is uniform on all T report cells; otherwise it is
   uniform on the value's window. One binomial per input cell says how many do which. The first kind are one uniform
   multinomial.
2. A window of w consecutive report cells is cut into pieces whose widths are the binary digits of w. A report that is
   uniform on the window is in a piece with probability width / w, and then uniform on the piece. So binomials, one per
   digit and input, put the users into pieces.
3. All users in the same piece have the same law, wherever their window began, so they are pooled. A pool is halved by
   one Binomial(count, 1/2), and the halves join the pools of half the width, down to single cells.

That is O((m + T) log w) binomials, however many users there are. A continuous square wave has in addition a few report
cells that a window covers in part; they are split off by binomials between the first step and the second.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..channel import WindowChannel, continuous_square_wave_channel, square_wave_channel
from ..errors import ValuesError
from ..mechanism import ContinuousSquareWave, SquareWave

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def simulate_tally(mechanism: SquareWave, histogram: ArrayLike, generator: np.random.Generator) -> Integers:
    """How often each report cell is reported, when histogram[i] users hold cell i."""
    return simulate_tally_through(square_wave_channel(mechanism), histogram, generator)


def simulate_continuous_tally(
    mechanism: ContinuousSquareWave, histogram: ArrayLike, generator: np.random.Generator, *, report_cells: int
) -> Integers:
    """The same for the paper's randomizer, when the histogram[i] users of bin i are spread evenly within it.

    Each is an independent uniform point of the bin: values that crowd on a few points of a bin have another law.
    """
    cells = as_histogram(histogram).size
    return simulate_tally_through(continuous_square_wave_channel(mechanism, cells, report_cells), histogram, generator)


def simulate_tally_through(channel: WindowChannel, histogram: ArrayLike, generator: np.random.Generator) -> Integers:
    """The tally of users whose reports come through the given channel."""
    users = as_histogram(histogram)
    if users.size != channel.cells:
        raise ValuesError(f"the histogram must have {channel.cells} cells like the channel, got {users.size}")
    extra, report, mass_left = _partial_cells(channel)

    window_mass = mass_left[:, 0]
    in_window = generator.binomial(users, window_mass / (window_mass + channel.outside * channel.report_cells))
    in_blanket = int(users.sum()) - int(in_window.sum())
    tally = generator.multinomial(in_blanket, np.full(channel.report_cells, 1 / channel.report_cells))

    for position in range(extra.shape[1]):
        here = generator.binomial(in_window, _share(extra[:, position], mass_left[:, position]))
        np.add.at(tally, report[:, position], here)
        in_window = in_window - here
    return tally + _spread(in_window, channel.start, channel.stop - channel.start, channel.report_cells, generator)


def _spread(
    users: Integers, start: Integers, width: Integers, report_cells: int, generator: np.random.Generator
) -> Integers:
    """Counts of users who are uniform on windows of consecutive report cells: steps 2 and 3 above."""
    pools = np.zeros(report_cells, dtype=np.int64)  # the users of the piece that begins here, all of one width
    for digit in reversed(range(int(width.max()).bit_length())):
        piece = 1 << digit
        first_half = generator.binomial(pools, 0.5)
        pools = first_half + np.roll(pools - first_half, piece)
        cut = np.flatnonzero(width & piece)
        # What is left of these windows are their lower digits; the higher ones lie before.
        left = width[cut] & (2 * piece - 1)
        here = generator.binomial(users[cut], piece / left)
        users = users.copy()
        users[cut] -= here
        np.add.at(pools, (start[cut] + width[cut] - left) % report_cells, here)
    return pools


def _partial_cells(channel: WindowChannel) -> tuple[Floats, Integers, Floats]:
    """Per input and position, a partly covered cell's extra mass and index, and the window's mass from there on.

    Inputs with fewer of them than others are filled up with extras of 0. The last column of the mass is that of the
    cells which are covered in full.
    """
    how_many = np.bincount(channel.partial_input, minlength=channel.cells)
    order = np.argsort(channel.partial_input, kind="stable")
    inputs = channel.partial_input[order]
    position = np.arange(order.size) - (np.cumsum(how_many) - how_many)[inputs]
    shape = (channel.cells, int(how_many.max()))
    extra, report = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    # An overlap that is nothing may come out as less than nothing by rounding.
    extra[inputs, position] = np.maximum(channel.partial_extra[order], 0.0)
    report[inputs, position] = channel.partial_report[order]
    full = channel.rise * (channel.stop - channel.start)
    # Summed from the far end, so that the last cell to be split off from a window takes exactly all that is left of it.
    from_the_end = np.cumsum(np.column_stack((extra, full))[:, ::-1], axis=1)
    return extra, report, np.ascontiguousarray(from_the_end[:, ::-1])


def _share(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 0 where both are 0."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def as_histogram(histogram: ArrayLike) -> Integers:
    """Whole numbers, none negative, or an error that says what they should be."""
    counts = np.asarray(histogram)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.size == 0:
        raise ValuesError("a histogram must be one flat list of whole numbers, one for each cell")
    if counts.min() < 0:
        raise ValuesError("a histogram cannot hold negative counts")
    return counts.astype(np.int64, copy=False)
