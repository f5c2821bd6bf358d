"""The data that are not part of the project, where they are there; and that the bundled ones are made as is told."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import shufflegram as sg
from shufflegram.datasets import income, income_types, load, retirement, taxi
from shufflegram.datasets.income_types import CPS_BASED
from shufflegram.datasets.reading import bundled_arrays

Integers = NDArray[np.int64]


def cps(data_dir: Path, *codes: str) -> Integers:
    """These columns of all tax units."""
    with np.load(data_dir / "cps_asec_2012_2014_taxcalc.npz") as archive:
        names = archive["columns"].tolist()
        table: Integers = archive["table"][:, [names.index(code) for code in codes]].astype(np.int64)
    return table


def test_the_bundled_wages_and_pensions_are_counted_as_is_told(data_dir: Path) -> None:
    for name, code, lowest, high in (("income", "e00200p", 0, 524_288), ("retirement", "e01500", 1, 60_000)):
        amounts = cps(data_dir, code)[:, 0]
        dollars, people = np.unique(amounts[(amounts >= lowest) & (amounts < high)], return_counts=True)
        bundled = bundled_arrays(f"{name}.npz")
        assert np.array_equal(bundled["dollars"], dollars)
        assert np.array_equal(bundled["people"], people)


def test_the_bundled_kinds_of_income_are_counted_as_is_told(data_dir: Path) -> None:
    rows = cps(data_dir, *CPS_BASED.values())
    kept, units = np.unique(rows[np.all((rows >= 0) & (rows < 524_288), axis=1)], axis=0, return_counts=True)
    bundled = bundled_arrays("income_types.npz")
    assert np.array_equal(bundled["dollars"], kept.T)
    assert np.array_equal(bundled["units"], units)


def test_the_bundled_rides_are_those_of_the_sample(data_dir: Path) -> None:
    found = taxi(data_dir=data_dir)
    assert np.array_equal(found.values, taxi().values)
    assert (found.source, found.note) == (taxi().source, taxi().note)


def test_people_are_drawn_from_the_histogram_of_incomes(data_dir: Path) -> None:
    data = income(data_dir, simulation_seed=2)
    assert data.users == data.paper_size == 2_308_374
    assert data.resampled
    assert data.domain == sg.Domain(0, 409_600, bins=512, unit="dollars")
    with np.load(data_dir / "income_ipums_2001_2011_hist.npz") as archive:
        pairs = archive["count"][:1024].reshape(512, 2).sum(axis=1)
    expected = pairs / pairs.sum() * data.users
    full = expected >= 5
    statistic = float(np.sum((data.histogram()[full] - expected[full]) ** 2 / expected[full]))
    law = stats.chi2(full.sum() - 1)
    assert law.ppf(1e-6) < statistic < law.isf(1e-6)
    assert np.array_equal(load("income", data_dir, paper_size=True, simulation_seed=2).values, data.values)
    assert not np.array_equal(income(data_dir).values, data.values)
    assert np.array_equal(np.unique(data.values % 400), [200])


def test_the_sample_of_san_francisco(data_dir: Path) -> None:
    data = retirement(data_dir)
    assert data.users == 9_987
    assert not data.resampled
    # contributions are in cents, and one in six is none
    assert np.allclose(data.values * 100, np.round(data.values * 100), atol=1e-6)
    assert np.count_nonzero(data.values == 0) == 1_616
    assert load("retirement", data_dir, paper_size=True).users == 178_012


def test_the_sample_of_kinds_of_income(data_dir: Path) -> None:
    data = income_types(data_dir)
    assert data.values.shape == (13_321, 8)
    assert "13,419 persons" in data.source
    assert "98 with a loss" in data.note
    assert data.columns == (
        "wages",
        "self_employment",
        "interest",
        "retirement",
        "social_security",
        "supplemental_security",
        "public_assistance",
        "other",
    )
    with np.load(data_dir / "acs_income_types_microdata.npz") as archive:
        fair = archive["table"][archive["source"] < 2]
    kept = fair[np.all((fair >= 0) & (fair < 524_288), axis=1)]
    # the kinds make up personal income
    assert np.array_equal(np.sort(data.values.sum(axis=1)), np.sort(kept[:, 0]))
