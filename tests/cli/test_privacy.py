"""`privacy`: the same numbers as the library's, in the shape that is promised."""

import json
from pathlib import Path

import pytest

import shufflegram as sg
from shufflegram import privacy
from shufflegram.cli.output import counted, rounded_down, rounded_up

from .conftest import USERS, Run

PAPER = ["--users", "100000", "--epsilon", "0.01", "--half-width", "1/4", "--density-ratio", "3.064", "--continuous"]


def test_a_plan_keeps_its_promise(good: Run) -> None:
    answer = json.loads(good("privacy", "plan.json", "--json").stdout)
    assert 0.9e-6 < answer["delta"]["lower"] <= answer["delta"]["upper"] <= 1e-6
    assert answer["epsilon_at_asked_delta"]["upper"] == pytest.approx(4, rel=1e-3)
    assert USERS - 5 <= answer["fewest_honest_reports"] <= USERS
    assert answer["local_epsilon"] == sg.Plan.load("plan.json").guarantee.local_epsilon


def test_a_plan_may_be_asked_what_would_be(good: Run) -> None:
    plan = sg.Plan.load("plan.json")
    answer = json.loads(good("privacy", "plan.json", "--users", "1000", "--epsilon", "5", "--json").stdout)
    assert answer["delta"] == privacy.delta(plan.mechanism, 1_000, 5.0).to_dict()


def test_the_reference_setting(good: Run) -> None:
    # half width .25, n = 1e5, epsilon .01, delta 1e-5: the exact blanket allows the density ratio 3.064
    options = ("--delta", "1e-5", "--honest-fraction", "0.95", "--honest-fraction", "0.5", "--rounds", "4", "--json")
    answer = json.loads(good("privacy", *PAPER, *options).stdout)
    assert answer["delta"]["upper"] == pytest.approx(1e-5, rel=2e-3)
    assert answer["delta"]["lower"] == pytest.approx(answer["delta"]["upper"], rel=1e-3)
    assert [round(each["epsilon_at_asked_delta"]["upper"], 4) for each in answer["honest"]] == [0.0103, 0.0148]
    assert [each["reports"] for each in answer["honest"]] == [95_000, 50_000]
    assert answer["composition"]["epsilon_upper_at_asked_delta"] == pytest.approx(0.0218, abs=5e-5)
    # every bound that holds is above what cannot be beaten; the printed one is not
    assert all(bound >= answer["delta"]["lower"] for bound in answer["looser_bounds_on_delta"].values())
    assert answer["not_a_guarantee"]["hoeffding_as_printed"] < answer["delta"]["lower"]


@pytest.mark.parametrize(("text", "exact"), [("0.25", "1/4"), ("1/4", "1/4"), ("3/12", "1/4"), ("25e-2", "1/4")])
def test_ratios_are_taken_as_written(good: Run, text: str, exact: str) -> None:
    options = [text if word == "1/4" else word for word in PAPER]
    mechanism = json.loads(good("privacy", *options, "--json").stdout)["mechanism"]
    assert mechanism == {"kind": "continuous_square_wave", "half_width": exact, "density_ratio": "383/125"}


@pytest.mark.parametrize("shape", [["--circular"], []])
def test_the_discrete_wave(good: Run, shape: list[str]) -> None:
    options = [
        "--users",
        "100000",
        "--epsilon",
        "0.01",
        "--half-width",
        "32",
        "--density-ratio",
        "4",
        "--bins",
        "512",
        "--json",
    ]
    answer = json.loads(good("privacy", *options, *shape).stdout)
    wave = sg.SquareWave.from_dict(answer["mechanism"])
    assert (wave.cells, wave.half_width, wave.circular) == (512, 32, bool(shape))
    assert answer["delta"] == privacy.delta(wave, 100_000, 0.01).to_dict()
    assert "epsilon_at_asked_delta" not in answer


def test_people_are_told_what_the_ends_mean_and_what_is_no_guarantee(good: Run) -> None:
    text = good("privacy", *PAPER, "--delta", "1e-5", "--honest-fraction", "0.5", "--rounds", "10").stdout
    assert "Upper ends hold whatever the data are" in text
    (printed,) = [line for line in text.splitlines() if "as printed" in line]
    assert printed.rstrip().endswith("NOT a guarantee")
    assert sum(line.rstrip().endswith("  guaranteed") for line in text.splitlines()) == 6
    assert "local epsilon" in text
    assert "10 rounds" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_what_no_crowd_can_hide_is_said(good: Run) -> None:
    options = [
        "--users",
        "10",
        "--epsilon",
        "0.01",
        "--delta",
        "1e-300",
        "--half-width",
        "0",
        "--density-ratio",
        "1e17",
        "--bins",
        "5",
    ]
    assert json.loads(good("privacy", *options, "--json").stdout)["fewest_honest_reports"] is None
    assert "no crowd is large enough" in good("privacy", *options).stdout


def test_a_tampered_plan_is_refused(run: Run, folder: Path) -> None:
    text = (folder / "plan.json").read_text()
    (folder / "plan.json").write_text(text.replace('"epsilon": 4.0', '"epsilon": 1.0'))
    result = run("privacy", "plan.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("shufflegram: error: the plan")
    assert result.stderr.count("\n") == 1


def test_the_delta_of_a_discrete_wave_is_proven(good: Run) -> None:
    plan = sg.Plan.load("plan.json")
    proven = json.loads(good("privacy", "plan.json", "--json").stdout)["proven_delta"]
    # a number in JSON, and never below the fraction that the certificate proves
    certified = plan.guarantee.certificate.delta_upper
    assert proven >= certified
    assert proven == pytest.approx(float(certified), rel=1e-12)
    text = good("privacy", "plan.json").stdout
    (line,) = [line for line in text.splitlines() if line.startswith("proven")]
    assert line.rstrip().endswith("(ball arithmetic)")
    assert certified <= float(line.split()[4]) < 1.0001 * certified
    # a continuous wave draws floats, and nothing is proven of it
    assert "proven_delta" not in json.loads(good("privacy", *PAPER, "--json").stdout)


def test_what_cannot_be_proven_is_said(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise sg.errors.CertificationError("no")

    monkeypatch.setattr("shufflegram.privacy.certify.certify", fail)
    options = ["--users", "5", "--epsilon", "1", "--half-width", "1", "--density-ratio", "2", "--bins", "9"]
    assert json.loads(good("privacy", *options, "--json").stdout)["proven_delta"] is None
    assert "no delta: it cannot be proven" in good("privacy", *options).stdout


def test_ends_are_rounded_outward(good: Run) -> None:
    options = (*PAPER, "--delta", "1e-5", "--honest-fraction", "0.5", "--rounds", "3")
    answer = json.loads(good("privacy", *options, "--json").stdout)
    text = good("privacy", *options).stdout
    for name, bracket in (("delta", answer["delta"]), ("epsilon", answer["epsilon_at_asked_delta"])):
        (line,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
        words = line.split()
        lower, upper = float(words[2]), float(words[4])
        assert lower <= bracket["lower"] <= bracket["upper"] <= upper
        assert lower < upper
        assert (lower, upper) == pytest.approx((bracket["lower"], bracket["upper"]), rel=1e-4)
    (line,) = [line for line in text.splitlines() if line.startswith("local epsilon")]
    assert answer["local_epsilon"] <= float(line.split()[2]) < 1.01 * answer["local_epsilon"]
    (row,) = [line for line in text.splitlines() if line.split()[:2] == ["0.5", "50,000"]]
    _, _, delta, epsilon = row.split()
    assert answer["honest"][0]["delta"]["upper"] <= float(delta)
    assert answer["honest"][0]["epsilon_at_asked_delta"]["upper"] <= float(epsilon)
    # the rows of bounds, from the exact one downwards
    shown = [float(line.split("guaranteed")[0].split()[-1]) for line in text.splitlines() if "  guaranteed" in line]
    bounds = [answer["delta"]["upper"], *answer["looser_bounds_on_delta"].values()]
    assert all(exact <= rounded <= 1.0001 * exact for exact, rounded in zip(bounds, shown, strict=True))


@pytest.mark.parametrize(
    ("number", "down", "up"),
    [
        (9.999999e-6, "9.9999e-06", "1e-05"),
        (1.00000001e-5, "1e-05", "1.0001e-05"),
        (0.25, "0.25", "0.25"),
        (0.0, "0", "0"),
        (1.2345678, "1.2345", "1.2346"),
        (float("inf"), "inf", "inf"),
    ],
)
def test_five_digits_on_either_side(number: float, down: str, up: str) -> None:
    assert (rounded_down(number), rounded_up(number)) == (down, up)


@pytest.mark.parametrize(("number", "said"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (1_000, "1,000 rows")])
def test_one_is_not_many(number: int, said: str) -> None:
    assert counted(number, "row") == said


def test_rounds_that_reveal_too_much_leave_the_other_answers(good: Run) -> None:
    options = ("plan.json", "--rounds", "100000")
    answer = json.loads(good("privacy", *options, "--json").stdout)
    assert answer["composition"] == {"rounds": 100_000, "delta_upper": 1.0, "epsilon_upper_at_asked_delta": None}
    assert answer["delta"]["upper"] <= 1e-6
    text = " ".join(good("privacy", *options).stdout.split())
    assert "no epsilon up to 50 can be promised at delta 1e-06" in text


def test_one_report_is_one_report(good: Run) -> None:
    text = good(
        "privacy",
        *[
            "--users",
            "1",
            "--epsilon",
            "1",
            "--half-width",
            "0",
            "--density-ratio",
            "2",
            "--bins",
            "4",
            "--rounds",
            "1",
        ],
    ).stdout
    assert "1 honest report shuffled" in text
    assert "1 round " in text


def test_a_proof_of_next_to_nothing_is_not_waited_for(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(*arguments: object) -> None:
        raise AssertionError("a proof was begun")

    options = ["--users", "1000000000", "--half-width", "0", "--density-ratio", "100", "--bins", "64", "--json"]
    with monkeypatch.context() as patched:
        patched.setattr("shufflegram.privacy.certify.certify", prove)
        assert json.loads(good("privacy", *options, "--epsilon", "1").stdout)["proven_delta"] is None
    # where epsilon is as large as the local one, there is nothing left to prove but 0
    assert json.loads(good("privacy", *options, "--epsilon", "5").stdout)["proven_delta"] == 0
