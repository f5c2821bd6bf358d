"""Domains: values to bins and back, and every way to hand in something else."""

import datetime
import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shufflegram.domain import MOST_BINS, Domain, Outside, as_numbers
from shufflegram.errors import DomainError, ShufflegramError, ValuesError

ON_A_LINE: list[Outside] = ["error", "clamp"]
ON_A_CIRCLE: list[Outside] = ["error", "wrap"]
HOURS = Domain(0, 24, 24, circular=True, unit="hours", outside="wrap")


Answer = TypeVar("Answer")


def answer_or_error(action: Callable[[], Answer]) -> Answer | ShufflegramError:
    """What the action returns, or the error that was raised on purpose; any other error is a failure."""
    try:
        return action()
    except ShufflegramError as error:
        return error


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Any domain: long and short, far from zero and near it, of each kind."""
    low = draw(st.floats(-1e9, 1e9))
    length = draw(st.floats(1e-3, 1e9))
    bins = draw(st.integers(2, 200))
    # no control or format characters, which no unit may hold
    seen = st.characters(exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp"))
    unit = draw(st.none() | st.text(seen, max_size=5))
    kind = draw(st.sampled_from(["equal", "circular", "log", "given"]))
    if kind == "circular":
        return Domain(low, low + length, bins, True, unit, draw(st.sampled_from(ON_A_CIRCLE)))
    outside = draw(st.sampled_from(ON_A_LINE))
    if kind == "log":
        low = draw(st.floats(1e-6, 1e6))
        return Domain.log(low, low * draw(st.floats(1.5, 1e6)), bins, unit, outside)
    if kind == "given":
        edges = draw(st.lists(st.floats(-1e12, 1e12), min_size=3, max_size=30, unique=True))
        return Domain.from_edges(sorted(edges), unit, outside)
    return Domain(low, low + length, bins, False, unit, outside)


# --- values to cells -------------------------------------------------------------------------------------------------


def test_an_edge_belongs_to_the_bin_it_opens() -> None:
    line = Domain(0, 10, 5)
    assert line.cells([0, 1.9, 2, 3.999, 4, 8, 9.99, 10]).tolist() == [0, 0, 1, 1, 2, 4, 4, 4]
    circle = Domain(0, 10, 5, circular=True)
    assert circle.cells([0, 1.9, 2, 3.999, 4, 8, 9.99, 10]).tolist() == [0, 0, 1, 1, 2, 4, 4, 0]


@given(domains())
def test_every_edge_opens_its_bin_and_what_lies_just_below_closes_the_one_before(domain: Domain) -> None:
    assert domain.edges[0] == domain.low
    assert domain.edges[-1] == domain.high
    assert domain.cells(domain.edges[:-1]).tolist() == list(range(domain.bins))
    assert domain.cells([domain.high]).tolist() == [0 if domain.circular else domain.bins - 1]
    just_below = np.nextafter(domain.edges[1:], -np.inf)
    assert domain.cells(just_below).tolist() == list(range(domain.bins))


@given(domains(), st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_a_cell_holds_its_values(domain: Domain, shares: list[float]) -> None:
    values = np.clip(domain.low + np.array(shares) * (domain.high - domain.low), domain.low, domain.high)
    cells = domain.cells(values)
    assert cells.dtype == np.int64
    last = values == domain.high
    assert (domain.edges[cells] <= values)[~last].all()
    assert (values < domain.edges[cells + 1])[~last].all()
    assert (cells[last] == (0 if domain.circular else domain.bins - 1)).all()


@pytest.mark.parametrize("low", [0.0, -1.0, 1e6, 1e9, 0.1])
@pytest.mark.parametrize("bins", [2, 3, 10, 512, 9_999, MOST_BINS])
def test_the_fast_way_to_equal_bins_is_the_search(low: float, bins: int) -> None:
    # At 1e9, a million bins are about ten floats wide each, so rounding moves many values over an edge.
    domain = Domain(low, low + 1.3, bins)
    generator = np.random.default_rng(bins)
    values = np.r_[
        domain.edges[:2_000], np.nextafter(domain.edges[1:2_000], -np.inf), generator.uniform(low, low + 1.3, 5_000)
    ]
    values = np.clip(values, domain.low, domain.high)
    expected = np.minimum(np.searchsorted(domain.edges, values, side="right") - 1, bins - 1)
    assert (domain.cells(values) == expected).all()


def test_logarithmic_bins() -> None:
    domain = Domain.log(1, 1_000, 3, unit="ms")
    np.testing.assert_allclose(domain.edges, [1, 10, 100, 1_000])
    np.testing.assert_allclose(domain.centers, np.sqrt([10, 1_000, 100_000]))
    assert domain.cells([1, 9, 11, 99, 101, 1_000]).tolist() == [0, 0, 1, 1, 2, 2]


def test_given_edges() -> None:
    domain = Domain.from_edges([0, 1, 10, 11])
    assert domain.bins == 3
    assert domain.widths.tolist() == [1, 9, 1]
    assert domain.centers.tolist() == [0.5, 5.5, 10.5]
    assert domain.cells([0, 1, 9.9, 10, 11]).tolist() == [0, 1, 1, 2, 2]
    assert Domain.from_edges(np.array([0, 1, 10, 11])) == domain
    with pytest.raises(ValueError, match="read-only"):
        domain.edges[0] = 5


def test_a_histogram_counts_everybody_once() -> None:
    values = np.random.default_rng(0).uniform(0, 10, size=1_000)
    histogram = Domain(0, 10, 7).histogram(values)
    assert histogram.tolist() == np.histogram(values, bins=7, range=(0, 10))[0].tolist()
    assert Domain(0, 10, 7).histogram([10]).tolist() == [0, 0, 0, 0, 0, 0, 1]


@given(domains(), st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_unit_coordinates_lie_in_their_cells(domain: Domain, shares: list[float]) -> None:
    values = np.clip(domain.low + np.array(shares) * (domain.high - domain.low), domain.low, domain.high)
    coordinates = domain.unit_coordinates(values)
    assert coordinates.min() >= 0
    assert coordinates.max() <= 1
    cells = domain.cells(values)
    inner = values < domain.high
    # A float just below an edge may be given the coordinate of that edge.
    assert (coordinates >= cells / domain.bins - 1e-9)[inner].all()
    assert (coordinates <= (cells + 1) / domain.bins + 1e-9)[inner].all()
    assert (coordinates[~inner] == 1).all()
    np.testing.assert_allclose(
        domain.unit_coordinates(domain.edges), np.arange(domain.bins + 1) / domain.bins, rtol=0, atol=1e-12
    )


# --- values outside --------------------------------------------------------------------------------------------------


def test_outside_values_are_an_error_that_names_the_remedy() -> None:
    with pytest.raises(ValuesError, match=r"2 of 4 values lie outside the domain \[0, 10\].*outside='clamp'"):
        Domain(0, 10, 5).cells([-1, 5, 10, 10.001])
    with pytest.raises(ValuesError, match="outside='wrap'"):
        Domain(0, 10, 5, circular=True).unit_coordinates([-1])
    with pytest.raises(ValuesError, match="1 of 1 values lie outside"):
        Domain(0, 10, 5).histogram([11])


def test_clamped_values_go_to_the_nearer_end() -> None:
    domain = Domain(0, 10, 5, outside="clamp")
    assert domain.cells([-1e300, -1, 5, 11, 1e300]).tolist() == [0, 0, 2, 4, 4]
    assert domain.unit_coordinates([-1, 11]).tolist() == [0, 1]


def test_wrapped_values_go_round() -> None:
    assert HOURS.cells([-1, 23.5, 24, 25, 49.5, -0.5, -24]).tolist() == [23, 23, 0, 1, 1, 23, 0]
    assert HOURS.unit_coordinates([30]).tolist() == [0.25]
    # so little below the seam that the float above is the seam itself
    assert HOURS.cells([-1e-300]).tolist() == [0]


@given(st.integers(-1_000, 1_000), st.integers(0, 23), st.sampled_from([0.0, 0.25, 0.5]))
def test_whole_turns_change_nothing(turns: int, hour: int, part: float) -> None:
    assert HOURS.cells([hour + part + 24 * turns]).tolist() == [hour]


# --- domains that cannot be ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"low": 1, "high": 1}, "low must be below high"),
        ({"low": 2, "high": 1}, "low must be below high"),
        ({"low": float("nan")}, "low must be finite"),
        ({"high": float("inf")}, "high must be finite"),
        ({"low": -1e308, "high": 1e308}, "too long"),
        ({"high": 10**400}, "too large"),
        ({"low": "0"}, "low must be a number"),
        ({"low": None}, "low must be a number"),
        ({"high": True}, "high must be a number"),
        ({"bins": 1}, "between 2 and"),
        ({"bins": 0}, "between 2 and"),
        ({"bins": -5}, "between 2 and"),
        ({"bins": MOST_BINS + 1}, "between 2 and"),
        ({"bins": 2.0}, "bins must be a whole number"),
        ({"bins": True}, "bins must be a whole number"),
        ({"bins": "8"}, "bins must be a whole number"),
        ({"circular": 1}, "circular must be True or False"),
        ({"unit": 5}, "unit must be a word"),
        ({"outside": "ignore"}, "outside must be one of error, clamp, wrap"),
        ({"outside": "wrap"}, "wrap' is for circular"),
        ({"outside": "clamp", "circular": True}, "no end to clamp to"),
        ({"spacing": "odd"}, "spacing must be one of"),
        ({"spacing": "log"}, "need low > 0"),
        ({"spacing": "log", "low": 0.5, "circular": True}, "needs equal bins"),
        ({"spacing": "given"}, "use Domain.from_edges"),
        ({"given_edges": (0.0, 0.5, 1.0)}, "use Domain.from_edges"),
        ({"spacing": "given", "given_edges": (0.0, 0.5, 1.0)}, "edges do not fit"),
        ({"low": 1, "high": float(np.nextafter(1, 2)), "bins": 8}, "edges must increase"),
    ],
)
def test_domains_that_cannot_be(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(DomainError, match=words) as caught:
        Domain(**{"low": 0, "high": 1, "bins": 8, **arguments})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([0, 1], "at least 3"),
        ([], "at least 3"),
        (5, "at least 3"),
        ([[0, 1, 2]], "at least 3"),
        ([0, 1, 1, 2], "increase"),
        ([0, 2, 1], "increase"),
        ([0, 1, float("nan")], "finite"),
        ([0, 1, float("inf")], "finite"),
        (["a", "b", "c"], "numbers"),
        ([[0], [1, 2]], "numbers"),
        (None, "at least 3|finite"),
    ],
)
def test_edges_that_cannot_be(edges: Any, words: str) -> None:
    with pytest.raises(DomainError, match=words) as caught:
        Domain.from_edges(edges)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-1, 10), (-5, -1)])
def test_logarithmic_bins_need_positive_ends(low: float, high: float) -> None:
    with pytest.raises(DomainError, match="need low > 0"):
        Domain.log(low, high, 8)


# --- values that cannot be -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], "there are no values"),
        (np.array([]), "there are no values"),
        (pd.Series([], dtype=float), "there are no values"),
        ([1, float("nan"), 2], "1 of 3 values are not finite; the first is row 1, missing"),
        ([1, float("inf")], "row 1, infinite"),
        ([float("-inf"), 1], "row 0, infinite"),
        (["1", "2"], "got text"),
        ([1, "2"], "got text"),
        (b"12", "got text"),
        ("12", "got text"),
        (np.array(["1", 2], dtype=object), "got str in row 0"),
        ([None, 1], "got NoneType in row 0"),
        (None, "got NoneType"),
        ([True, False], "got booleans"),
        (np.array([1, True], dtype=object), "got bool in row 1"),
        (np.array([1, np.True_], dtype=object), "got bool.* in row 1"),
        ([1j], "got complex numbers"),
        (np.array(["2020-01-01"], dtype="datetime64[D]"), "got dates"),
        (np.array([5], dtype="timedelta64[s]"), "got durations"),
        ([datetime.date(2020, 1, 1)], "got date in row 0"),
        (pd.Series(pd.to_datetime(["2020-01-01"])), "got dates"),
        ([[1, 2], [3, 4]], "2 dimensions"),
        ([[1], [2, 3]], "one flat list"),
        (np.zeros((0, 3)), "2 dimensions"),
        (pd.DataFrame({"a": [1, 2]}), "2 dimensions"),
        (np.ma.masked_array([1, 2, 3], mask=[False, True, True]), "2 values are masked"),
        (pd.Series([1, None], dtype="Int64"), "got NAType in row 1|row 1, missing"),
        (pd.Series([1.0, None]), "row 1, missing"),
        (pl.Series([1, None, 3]), "row 1, missing"),
        (pl.Series([1.5, None]), "row 1, missing"),
        (pl.Series(["a"]), "got text|got str"),
        (pa.array([1, None, 3]), "row 1, missing"),
        (pa.chunked_array([[1.0], [None]]), "row 1, missing"),
        ([Decimal("NaN")], "row 0, missing"),
        ([Decimal("Infinity")], "row 0, infinite"),
        ([Decimal("sNaN")], "got Decimal in row 0"),
        ([10**400], "got int in row 0"),
        ({"a": 1}, "got dict in row 0"),
        (object(), "got object in row 0"),
        (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), "must be numbers"),
    ],
)
def test_values_that_cannot_be(values: Any, words: str) -> None:
    for method in (Domain(0, 10, 5).cells, Domain(0, 10, 5).unit_coordinates, Domain(0, 10, 5).histogram, as_numbers):
        with pytest.raises(ValuesError, match=words) as caught:
            method(values)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 2.5, 10.0],
        (1, 2.5, 10),
        np.array([1.0, 2.5, 10.0], dtype=np.float32),
        [Decimal("1"), Decimal("2.5"), Decimal("10")],
        [Fraction(1), Fraction(5, 2), Fraction(10)],
        np.ma.masked_array([1.0, 2.5, 10.0], mask=[False] * 3),
        pd.Series([1.0, 2.5, 10.0], index=[7, 7, 9]),
        pd.Series([1.0, 2.5, 10.0], dtype="Float64"),
        pd.Series([1.0, 2.5, 10.0], dtype="category"),
        pl.Series([1.0, 2.5, 10.0]),
        pa.array([1.0, 2.5, 10.0]),
        pa.chunked_array([[1, 2.5], [10.0]]),
        pa.table({"a": [1.0, 2.5, 10.0]}).column("a"),
    ],
    ids=lambda values: f"{type(values).__module__}.{type(values).__name__}",
)
def test_columns_of_numbers_of_every_make(values: Any) -> None:
    assert as_numbers(values).tolist() == [1, 2.5, 10]
    assert as_numbers(values).dtype == np.float64
    assert Domain(0, 10, 5).cells(values).tolist() == [0, 1, 4]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float16", "float32", "float64"])
def test_numbers_of_every_width(dtype: str) -> None:
    assert Domain(0, 100, 10).cells(np.array([0, 50, 100], dtype=dtype)).tolist() == [0, 5, 9]


def test_whole_numbers_too_long_for_numpy() -> None:
    assert Domain(0, 1e30, 10).cells([0, 15 * 10**28, 10**30]).tolist() == [0, 1, 9]


def test_one_number_is_a_list_of_one() -> None:
    assert Domain(0, 10, 5).cells(3).tolist() == [1]


def test_the_values_handed_in_stay_as_they_are() -> None:
    values = np.array([-5.0, 30.0])
    HOURS.cells(values)
    Domain(0, 10, 5, outside="clamp").cells(values)
    assert values.tolist() == [-5.0, 30.0]


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(), st.lists, max_leaves=6
    )
)
def test_whatever_is_handed_in_there_is_an_answer_or_one_kind_of_error(values: Any) -> None:
    cells = answer_or_error(lambda: Domain(-1e3, 1e3, 8).cells(values))
    if isinstance(cells, ShufflegramError):
        assert type(cells) is ValuesError
        assert "\n" not in str(cells)
    else:
        assert cells.min() >= 0
        assert cells.max() < 8


# --- records ---------------------------------------------------------------------------------------------------------


@given(domains())
def test_a_record_gives_back_the_domain(domain: Domain) -> None:
    record = json.loads(json.dumps(domain.to_dict()))
    again = Domain.from_dict(record)
    assert again == domain
    assert (again.edges == domain.edges).all()
    assert again.to_dict() == domain.to_dict()


@given(domains(), st.data())
def test_a_record_with_anything_missing_or_more_is_refused(domain: Domain, data: st.DataObject) -> None:
    record = domain.to_dict()
    key = data.draw(st.sampled_from(sorted(record)))
    with pytest.raises(DomainError, match="a domain record has the keys"):
        Domain.from_dict({name: entry for name, entry in record.items() if name != key})
    with pytest.raises(DomainError, match="a domain record has the keys"):
        Domain.from_dict({**record, "extra": 1})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@given(domains(), st.data(), JSON)
def test_a_record_with_a_strange_entry_is_a_domain_or_refused(domain: Domain, data: st.DataObject, entry: Any) -> None:
    record = domain.to_dict()
    key = data.draw(st.sampled_from(sorted(record)))
    # Two million edges are checked as soon as a thousand, only slower.
    assume(not (key == "bins" and isinstance(entry, int) and entry > 1_000))
    changed = answer_or_error(lambda: Domain.from_dict({**record, key: entry}))
    if isinstance(changed, ShufflegramError):
        assert type(changed) is DomainError
        assert "\n" not in str(changed)
    else:
        assert Domain.from_dict(changed.to_dict()) == changed


@pytest.mark.parametrize("record", [None, [], "domain", 5])
def test_a_record_that_is_no_mapping(record: Any) -> None:
    with pytest.raises(DomainError, match="must be a mapping"):
        Domain.from_dict(record)


def test_a_domain_says_what_it_is() -> None:
    assert str(Domain(0, 300_000, 512, unit="dollars")) == "0 to 300000 dollars, 512 equal bins"
    assert str(HOURS) == "0 to 24 hours, 24 circular bins"
    assert str(Domain.log(1, 1_000, 30)) == "1 to 1000, 30 logarithmic bins"
    assert str(Domain.from_edges([0, 1, 5])) == "0 to 5, 2 given bins"


def test_a_domain_is_a_value() -> None:
    assert Domain(0, 1, 8) == Domain(0.0, 1.0, np.int64(8))  # type: ignore[arg-type]
    assert len({Domain(0, 1, 8), Domain(0, 1, 8), Domain(0, 1, 9)}) == 2
    assert HOURS.period == 24


@pytest.mark.parametrize(
    "edges",
    [
        ["0", "1", "2"],
        np.array(["0", "1", "2"]),
        [b"0", b"1", b"2"],
        [False, True, 2],
        [-1, False, True],
        np.array([-1.0, 0.5, np.True_], dtype=object),
        pd.Series(["0", "1", "2"]),
        np.array(["2020-01-01", "2020-01-02", "2020-01-03"], "M8[D]"),
        [10**400, 10**401, 10**402],
    ],
    ids=lambda edges: str(edges)[:20],
)
def test_edges_are_numbers_and_nothing_that_can_be_read_as_one(edges: Any) -> None:
    with pytest.raises(DomainError, match="edges must be numbers in increasing order"):
        Domain.from_edges(edges)


@pytest.mark.parametrize("edges", [(0, 1, 2), np.arange(3, dtype=np.uint8), pd.Series([0, 1, 2]), pa.array([0, 1, 2])])
def test_edges_of_any_kind_of_number(edges: Any) -> None:
    assert Domain.from_edges(edges).edges.tolist() == [0, 1, 2]


@pytest.mark.parametrize("letter", ["\x1b", "\n", "\r", "\t", "\x00", "\x7f", "\u202e", "\u2028", "\ud800"])
def test_a_unit_shows_what_it_is(letter: str) -> None:
    with pytest.raises(DomainError, match="no control characters") as caught:
        Domain(0, 1, 4, unit=f"a{letter}b")
    assert letter not in str(caught.value)
    assert Domain(0, 1, 4, unit="µg/m³ \u00a0°C").unit == "µg/m³ \u00a0°C"
