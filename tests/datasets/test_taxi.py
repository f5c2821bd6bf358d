"""The taxi rides: what they are, that all get the same, and that nobody pays for them who does not ask."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest

import shufflegram as sg
from shufflegram.datasets import taxi
from shufflegram.errors import InputError

# SHA-256 of all values in their mixed order, as little-endian 64-bit integers.
TAXI = "ac92faa9476fdc48628b4230bd91df3259c313985eca5501bf4bdcd23793ba59"


def test_everyone_sees_the_same_rides_in_the_same_order() -> None:
    values = taxi().values
    assert values.shape == (260_000,)
    assert hashlib.sha256(values.astype("<i8").tobytes()).hexdigest() == TAXI


def test_fewer_users_are_the_first_ones() -> None:
    few = taxi(users=1_000)
    assert few.values.shape == (1_000,)
    assert np.array_equal(few.values, taxi().values[:1_000])


def test_the_order_is_mixed() -> None:
    # 512 bins, 26,000 of 260,000 without replacement: chi-square / 511 has mean .9 and deviation .056
    domain = taxi().domain
    whole, part = domain.histogram(taxi().values), domain.histogram(taxi(users=26_000).values)
    statistic = float(np.sum((part - whole / 10) ** 2 / (whole / 10))) / 511
    assert 0.9 - 7 * 0.056 < statistic < 0.9 + 7 * 0.056
    sorted_part = domain.histogram(np.sort(taxi().values)[:26_000])
    assert float(np.sum((sorted_part - whole / 10) ** 2 / (whole / 10))) / 511 > 100


def test_the_values_fit_their_domain_and_have_the_shape_of_a_day() -> None:
    rides = taxi()
    assert rides.domain == sg.Domain(0, 86_400, bins=512, circular=True, unit="seconds")
    hours = np.bincount(rides.values // 3600, minlength=24)
    assert hours.size == 24
    assert hours.argmax() == 18
    assert hours.argmin() in (4, 5)


def test_the_values_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        taxi(10).values[0] = 0


@pytest.mark.parametrize("users", [0, -1, 260_001])
def test_a_number_of_users_that_there_is_not(users: int) -> None:
    with pytest.raises(InputError, match=r"holds 1 to 260,000 users, got"):
        taxi(users)


@pytest.mark.parametrize("users", [True, 10.0, "10"])
def test_users_are_a_whole_number(users: object) -> None:
    with pytest.raises(InputError, match="users must be a whole number"):
        taxi(users)  # type: ignore[arg-type]


def test_it_says_where_it_comes_from() -> None:
    rides = taxi(1)
    assert "Taxi and Limousine Commission" in rides.source
    assert rides.licence == "Apache-2.0"
    assert "2,189,968" in rides.note


def test_the_data_are_loaded_when_asked_for() -> None:
    program = (
        "import sys, shufflegram\n"
        "shufflegram.Domain(0, 1, bins=2)\n"
        "assert 'shufflegram.datasets' not in sys.modules\n"
        "shufflegram.datasets.taxi\n"
        "from shufflegram.datasets.taxi import _rides\n"
        "assert _rides.cache_info().currsize == 0\n"
        "shufflegram.datasets.taxi(3)\n"
        "assert _rides.cache_info().currsize == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
