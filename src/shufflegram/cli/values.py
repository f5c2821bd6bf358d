"""What `randomize` and `simulate` ask of a column of values."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..domain import Domain
    from ..tables import Batch


def require_inside(batch: "Batch", whose: str, domain: "Domain") -> None:
    """Where values outside the domain are an error, name the first row that holds one, and not the value."""
    outside = (batch.values < domain.low) | (batch.values > domain.high)
    if domain.outside != "error" or not outside.any():
        return
    from ..errors import ValuesError

    remedy = "wrap" if domain.circular else "clamp"
    raise ValuesError(
        f"the value{whose} in {batch.row(int(outside.argmax()))} lies outside the domain "
        f"[{domain.low:g}, {domain.high:g}]; leave such rows out, or plan with a wider domain or --outside {remedy}"
    )
