"""The data sets by name: what holds for every one of them, bundled, and at the paper's size."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import shufflegram as sg
from shufflegram.datasets import DATASETS, Dataset, load
from shufflegram.errors import InputError

PACKAGE = Path(sg.__file__).parent / "datasets"
NAMES = tuple(DATASETS)
PAPER_SIZES = {
    "normal": 100_000,
    "taxi": 2_189_968,
    "retirement": 178_012,
    "income": 2_308_374,
    "income_types": 2_308_374,
}
# SHA-256 of all values in their mixed order, as little-endian 64-bit integers.
DIGESTS = {
    "retirement": "0474554cc7aa2948d050e72b40020aba48f8e42f68542b7cafef94a3cb0d3fcc",
    "income": "dd0d2a4c444c2849719962909166c033de98d7eb8b31bb330b4b34f3a77406da",
    "income_types": "eae346f327424e3bdafa1f2572c9f36c229b5f0fcd870a2738476e1c94dfe259",
}


def single(data: Dataset) -> Dataset:
    """The data set itself, or the first column of joint rows."""
    return data.column(data.columns[0]) if data.columns else data


def test_the_names_are_those_of_the_paper() -> None:
    assert set(NAMES) == set(PAPER_SIZES)
    with pytest.raises(InputError, match="no data set 'taxis'; there are normal, taxi, retirement, income, income_ty"):
        load("taxis")


@pytest.mark.parametrize("name", NAMES)
def test_each_says_what_it_is(name: str) -> None:
    data = load(name)
    assert data.name == name
    assert data.paper_size == PAPER_SIZES[name]
    assert not data.resampled
    assert data.users == data.values.shape[0]
    assert all((data.source, data.licence, data.note, data.unit))
    assert ("CPS-based" in data.note) == ("CPS" in data.source)


@pytest.mark.parametrize("name", NAMES)
def test_every_value_fits_the_domain(name: str) -> None:
    data = load(name)
    assert data.domain.bins == (256 if name == "normal" else 512)
    assert data.values.min() >= data.domain.low
    assert data.values.max() <= data.domain.high
    assert single(data).histogram().sum() == data.users


@pytest.mark.parametrize("name", DIGESTS)
def test_everyone_sees_the_same_values_in_the_same_order(name: str) -> None:
    assert hashlib.sha256(load(name).values.astype("<i8").tobytes()).hexdigest() == DIGESTS[name]


@pytest.mark.parametrize("paper_size", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_the_values_cannot_be_changed(name: str, paper_size: bool) -> None:
    with pytest.raises(ValueError, match="read-only"):
        load(name, paper_size=paper_size).values[0] = 0


def test_only_what_may_be_passed_on_is_bundled_and_it_is_small() -> None:
    bundled = {path.name: path.stat().st_size for path in PACKAGE.iterdir() if path.suffix not in (".py", ".md")}
    bundled.pop("__pycache__", None)
    assert set(bundled) == {"taxi.npz", "retirement.npz", "income.npz", "income_types.npz"}
    assert max(bundled.values()) < 300_000


def test_the_readme_describes_each() -> None:
    text = (PACKAGE / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"| `{name}` |" in text
        assert f"## {name}" in text


@pytest.mark.parametrize("name", ["taxi", "retirement", "income", "income_types"])
def test_drawn_to_the_papers_size_it_says_so(name: str) -> None:
    few, many = load(name), load(name, paper_size=True)
    assert many.users == PAPER_SIZES[name]
    assert many.resampled
    assert f"drawn with replacement from {few.users:,} users" in many.note
    assert set(np.unique(single(many).values)) <= set(np.unique(single(few).values))


@pytest.mark.parametrize("name", ["taxi", "retirement", "income"])
def test_the_draw_has_the_multinomial_law(name: str) -> None:
    few = load(name).histogram()
    many = load(name, paper_size=True, simulation_seed=3).histogram()
    expected = few[few > 0] / few.sum() * many.sum()
    assert not many[few == 0].any()
    # One false alarm in a million runs on each side. Plain multiples of the counts would be far below the lower one.
    statistic = float(np.sum((many[few > 0] - expected) ** 2 / expected))
    law = stats.chi2(expected.size - 1)
    assert law.ppf(1e-6) < statistic < law.isf(1e-6)


def test_whole_rows_are_drawn() -> None:
    rows = {tuple(row) for row in load("income_types").values.tolist()}
    drawn = load("income_types", paper_size=True, users=5_000).values
    assert {tuple(row) for row in drawn.tolist()} <= rows


def test_a_seed_repeats_a_draw_and_another_does_not() -> None:
    first, again, other = (load("retirement", paper_size=True, simulation_seed=seed).values for seed in (4, 4, 5))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_where_there_are_enough_users_they_are_taken_and_none_is_drawn_twice() -> None:
    data = Dataset("all", np.arange(100), "units", sg.Domain(0, 100, bins=4), "here", "none", "note", paper_size=60)
    taken = data.at_paper_size()
    assert not taken.resampled
    assert taken.note == "note"
    assert np.array_equal(taken.values, np.arange(60))
    assert data.at_paper_size(simulation_seed=1).users == 60


def test_without_a_papers_size_there_is_none_to_draw_to() -> None:
    with pytest.raises(InputError, match="the paper does not say how many users taxi has"):
        replace(load("taxi"), paper_size=None).at_paper_size()


@pytest.mark.parametrize("name", NAMES)
def test_fewer_users_are_the_first_ones(name: str) -> None:
    whole = load(name)
    assert np.array_equal(load(name, users=1_000).values, whole.values[:1_000])
    with pytest.raises(InputError, match=f"the {name} data holds 1 to {whole.users:,} users, got {whole.users + 1:,}"):
        load(name, users=whole.users + 1)


@pytest.mark.parametrize("name", ["retirement", "income"])
def test_the_first_ones_are_a_draw_without_replacement(name: str) -> None:
    data = load(name)
    whole, part = data.histogram(), data.first(data.users // 10).histogram()
    full = whole >= 50
    expected = whole[full] * part.sum() / whole.sum()
    # A tenth without replacement: each bin varies .9 times as much, and chi-square has twice its mean as variance.
    statistic = float(np.sum((part[full] - expected) ** 2 / expected)) / 0.9
    assert abs(statistic - full.sum()) < 7 * np.sqrt(2 * full.sum())


def test_joint_rows_go_by_column() -> None:
    rows = load("income_types")
    assert rows.values.shape == (rows.users, 8)
    interest = rows.column("interest")
    assert interest.name == "income_types.interest"
    assert interest.columns == ()
    assert np.array_equal(interest.values, rows.values[:, 1])
    assert interest.histogram()[0] > rows.users / 2
    with pytest.raises(InputError, match=r"income_types holds joint rows; ask one column .* self_employment, interest"):
        rows.histogram()
    with pytest.raises(InputError, match="income_types has no column 'wages'; it has self_employment, interest"):
        rows.column("wages")
    with pytest.raises(InputError, match="taxi has no column 'seconds'; it has one value a user and no columns"):
        load("taxi").column("seconds")
