"""`plan`: what it writes is a plan, whatever the domain."""

import json
from pathlib import Path

import pytest

import shufflegram as sg
from shufflegram.domain import Domain

from .conftest import Run

BUDGET = ("--users", "5000", "--epsilon", "1", "--delta", "1e-6")


@pytest.mark.parametrize(
    ("options", "domain"),
    [
        ("--low 0 --high 10 --bins 16", Domain(0, 10, 16)),
        ("--low -5 --high 5.5 --bins 16 --unit °C --outside clamp", Domain(-5, 5.5, 16, unit="°C", outside="clamp")),
        ("--low 0 --high 24 --bins 16 --circular --outside wrap", Domain(0, 24, 16, circular=True, outside="wrap")),
        ("--low 1 --high 1e6 --bins 16 --log", Domain.log(1, 1e6, 16)),
        ("--edges 0,1,5,20,50,100", Domain.from_edges([0, 1, 5, 20, 50, 100])),
        ("--edges edges.txt --unit m", Domain.from_edges([0, 1, 5, 20, 50, 100], unit="m")),
    ],
)
def test_a_plan_for_every_kind_of_domain(good: Run, folder: Path, options: str, domain: Domain) -> None:
    (folder / "edges.txt").write_text("0\n1, 5\n20 50\n100\n")
    result = good("plan", *options.split(), *BUDGET, "--output", "new.json")
    plan = sg.Plan.load("new.json")
    assert plan.domain == domain
    assert plan.guarantee.users == 5_000
    assert "promise" in result.stdout
    assert "new.json" in result.stdout
    assert result.stderr == ""


def test_the_document_is_a_plan_file(good: Run, folder: Path) -> None:
    result = good("plan", *["--low", "0", "--high", "10", "--bins", "16", "--unit", "°C", "--json"], *BUDGET)
    assert sg.Plan.from_dict(json.loads(result.stdout)).domain.unit == "°C"
    assert [path.name for path in folder.iterdir()] == ["plan.json"]


def test_all_of_the_budget_counts(good: Run) -> None:
    domain = ["--low", "0", "--high", "10", "--bins", "16", "--json"]
    record = json.loads(good("plan", *domain, *BUDGET, "--honest-fraction", "0.9", "--protocol", "ssw").stdout)
    assert record["guarantee"]["users"] == 4_500
    assert record["protocol"] == "ssw"
    capped = json.loads(good("plan", *domain, *BUDGET, "--max-local-epsilon", "0.5").stdout)
    assert 0.499 < capped["guarantee"]["local_epsilon"] <= 0.5


def test_a_weak_promise_is_said_to_be_one(good: Run) -> None:
    result = good(
        "plan",
        *[
            "--low",
            "0",
            "--high",
            "10",
            "--bins",
            "16",
            "--users",
            "5000",
            "--epsilon",
            "1",
            "--delta",
            "1e-3",
            "--json",
        ],
    )
    assert result.stderr.startswith("shufflegram: warning: delta 0.001 is above 1/n")
    assert result.stderr.count("\n") == 1
    assert json.loads(result.stdout)["guarantee"]["delta"] == 1e-3


def test_a_plan_is_replaced_only_on_request(run: Run, good: Run, folder: Path) -> None:
    before = (folder / "plan.json").read_bytes()
    again = ("plan", *["--low", "0", "--high", "10", "--bins", "16", "--output", "plan.json"], *BUDGET)
    assert run(*again).exit_code == 2
    assert (folder / "plan.json").read_bytes() == before
    good(*again, "--force")
    assert (folder / "plan.json").read_bytes() != before


def test_a_file_of_edges_is_not_written_over_even_by_force(run: Run, folder: Path) -> None:
    (folder / "edges.txt").write_text("0 1 5 20")
    result = run("plan", "--edges", "edges.txt", *BUDGET, "--output", "edges.txt", "--force")
    assert result.exit_code == 2
    assert "edges.txt is one of the inputs" in result.stderr
    assert (folder / "edges.txt").read_text() == "0 1 5 20"


@pytest.mark.parametrize(("name", "messages"), [("pure-16", "messages of 4 bits"), ("flip-16", "messages of 16 bits")])
def test_several_messages_a_user_are_planned_and_simulated_but_not_filed(
    good: Run, run: Run, folder: Path, name: str, messages: str
) -> None:
    domain = ["--low", "0", "--high", "10", "--bins", "32"]
    budget = ["--users", "5000", "--epsilon", "0.1", "--delta", "1e-6"]
    shown = good("plan", *domain, *budget, "--protocol", name, "--output", "several.json").stdout
    assert messages in shown
    assert "looser_bounds_on_delta" not in json.loads(good("privacy", "several.json", "--json").stdout)
    assert "proven" in good("privacy", "several.json", "--honest-fraction", "0.5", "--rounds", "3").stdout
    (folder / "values.csv").write_text("value\n" + "3.5\n" * 5000)
    simulated = good("simulate", "several.json", "--data", "values.csv", "--repetitions", "2", "--json")
    assert json.loads(simulated.stdout)["errors"]["wasserstein"]["mean"] < 0.2
    for command in (["randomize", "several.json", "values.csv"], ["estimate", "several.json", "values.csv"]):
        refused = run(*command)
        assert refused.exit_code == 2
        assert "messages, which files of reports do not hold" in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_a_wished_for_error_takes_the_place_of_users_or_epsilon(good: Run) -> None:
    base = ("plan", "--low", "0", "--high", "1", "--bins", "16", "--delta", "1e-6", "--error", "0.01", "--json")
    found = json.loads(good(*base, "--epsilon", "0.5").stdout)["guarantee"]
    assert found["epsilon"] == 0.5
    assert 1_000 < found["users"] < 100_000
    private = json.loads(good(*base, "--users", "50000").stdout)["guarantee"]
    assert private["users"] == 50_000
    assert 0.001 < private["epsilon"] < 0.5


def test_an_objective_chooses_the_protocol_and_errors_are_told(good: Run) -> None:
    base = (
        "plan",
        "--low",
        "0",
        "--high",
        "1",
        "--bins",
        "64",
        "--users",
        "20000",
        "--epsilon",
        "0.5",
        "--delta",
        "1e-6",
    )
    text = good(*base).stdout
    assert "tuned: 1 message" in text
    assert "if the crowd's shape is uniform" in " ".join(text.split())
    assert "asp: 1 message" in good(*base, "--objective", "mutual_information").stdout
    assert "expected" not in good(*base, "--protocol", "flip-16").stdout


@pytest.mark.parametrize("given", [(), ("--users", "1000", "--epsilon", "0.5")])
def test_of_users_epsilon_and_error_two_are_needed(run: Run, given: tuple[str, ...]) -> None:
    base = ("plan", "--low", "0", "--high", "1", "--bins", "16", "--delta", "1e-6", "--error", "0.01")
    result = run(*base, *given)
    assert result.exit_code == 2
    assert result.stderr == "shufflegram: error: give two of --users, --epsilon and --error; the third follows\n"
