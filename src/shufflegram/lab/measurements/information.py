"""What one report of a square wave tells of the value: the two bounds a design may maximise, and the exact value."""

from fractions import Fraction

from ...design.information import mutual_information, paper_bound, prior_bound
from ...errors import ExperimentError
from ...mechanism import ContinuousSquareWave, SquareWave
from ..cell import Cell
from ..contenders import protocol_of
from .measurement import Measurement


def information(cell: Cell, seed: int) -> dict[str, float]:
    """In nats. Nothing is drawn: every repetition would be the same."""
    _, histogram = cell.crowd
    mechanism = protocol_of(cell).mechanism
    if not isinstance(mechanism, SquareWave | ContinuousSquareWave):
        raise ExperimentError("information is measured of square waves; take asp, ssw, spm or a combination")
    wave = _continuous(mechanism)
    b, k = float(wave.half_width), float(wave.density_ratio)
    return {
        "prior_bound": prior_bound(b, k),
        "paper_bound": paper_bound(b, k),
        "information_uniform": mutual_information(wave),
        "information": mutual_information(wave, histogram),
    }


def _continuous(wave: SquareWave | ContinuousSquareWave) -> ContinuousSquareWave:
    """The bounds are about the continuous wave: the one whose window is as long."""
    if isinstance(wave, ContinuousSquareWave):
        return wave
    return ContinuousSquareWave(Fraction(wave.window, 2 * wave.cells), wave.density_ratio)


INFORMATION = Measurement(
    {
        "prior_bound": "the prior bound",
        "paper_bound": "the paper's bound",
        "information_uniform": "a report of a uniform value",
        "information": "a report of these data",
    },
    information,
)
