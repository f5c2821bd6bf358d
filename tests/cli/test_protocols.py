"""`protocols`: lists what there is, and says what it costs and what it makes of a budget."""

import json
from typing import Any, get_args

import pytest

from shufflegram import baselines, protocols
from shufflegram.cli import progress
from shufflegram.domain import Domain
from shufflegram.privacy.budget import Budget
from shufflegram.protocols.registry import Accounting

from .conftest import Run

BUDGET = ("--users", "100000", "--epsilon", "0.5", "--delta", "1e-6")
FEW = ("--users", "100", "--epsilon", "10", "--delta", "1e-3")
CIRCLE = ("--low", "0", "--high", "24", "--bins", "64", "--circular")


def rows_of(text: str) -> dict[tuple[str, str], list[str]]:
    """The cells of the table's rows, by protocol and accounting."""
    words = [line.split() for line in text.splitlines()]
    return {(each[0], each[1]): each[2:] for each in words if len(each) > 5 and each[1] in get_args(Accounting)}


def told(good: Run, *arguments: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(good("protocols", *arguments, "--json").stdout)
    return record


def test_it_lists_what_there_is(good: Run) -> None:
    text = good("protocols").stdout
    for entry in protocols.PROTOCOLS:
        assert f"{entry.name} " in text
        assert entry.title in text
    for baseline in baselines.BASELINES:
        assert f"{baseline.title}: {baseline.trust}" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    record = told(good)
    assert record["protocols"] == [{"name": each.name, "title": each.title} for each in protocols.PROTOCOLS]
    assert [each["name"] for each in record["baselines"]] == list(baselines.names())
    assert {each["users_trust"] for each in record["baselines"]} == {"nobody", "the server", "the shuffler"}


def test_json_has_all_facts(good: Run) -> None:
    record = told(good, *BUDGET)
    domain, budget = Domain(0, 1, 512), Budget(0.5, 1e-6, 100_000)
    assert record["domain"] == domain.to_dict()
    assert (record["users"], record["epsilon"], record["delta"]) == (100_000, 0.5, 1e-6)
    cases = [(name, accounting) for name in protocols.names() for accounting in get_args(Accounting)]
    assert [(each["name"], each["accounting"]) for each in record["protocols"]] == cases
    for each in record["protocols"]:
        expected = protocols.facts_of(each["name"], domain, budget, each["accounting"]).to_dict()
        # JSON has no infinity
        expected["local_epsilon"] = None if each["name"].startswith("pure") else expected["local_epsilon"]
        assert each == expected
    for each in record["baselines"]:
        built = baselines.build(each["name"], domain, budget)
        assert each["promise"] == built.promise
        assert (each["messages_per_user"], each["bits_per_user"]) == (built.messages_per_user, built.bits_per_user)


def test_people_see_what_is_spent(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = good("protocols", *BUDGET).stdout
    rows = rows_of(text)
    assert set(rows) == {(name, accounting) for name in protocols.names() for accounting in get_args(Accounting)}
    # rounded up: never less than is spent
    assert rows["asp", "published"] == ["1", "9", "4.56", "0.151", "1.12e-30", "b=0.0377", "k=94.7"]
    assert rows["asp", "exact"] == ["1", "10", "6.79", "0.5", "1", "b=1", "k=887"]
    assert rows["pure-64", "exact"] == ["2", "12", "inf", "0.133", "2.98e-39", "s=1"]
    assert "NOT kept" not in text
    assert "trim-5, -10, -15, -20, -30  1 message, 9 bits: shuffle model" in text
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize("columns", ["80", "100"])
@pytest.mark.parametrize("budget", [BUDGET, FEW, ("--users", "3000", "--epsilon", "0.01", "--delta", "1e-6")], ids=str)
def test_nothing_is_cut_off(good: Run, monkeypatch: pytest.MonkeyPatch, columns: str, budget: tuple[str, ...]) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    text = good("protocols", *budget).stdout
    assert "…" not in text
    assert all(len(line) <= int(columns) for line in text.splitlines())


def test_a_broken_promise_is_said(good: Run) -> None:
    text = good("protocols", *FEW).stdout
    assert rows_of(text)["pure-16", "published"][3:5] == ["-", "1.58"]
    assert "pure-16, published  the budget is NOT kept: at epsilon 10 delta is at least" in text
    kept = {(each["name"], each["accounting"]): each["kept"] for each in told(good, *FEW)["protocols"]}
    assert {case for case, holds in kept.items() if not holds} == {
        (f"pure-{chunks}", "published") for chunks in (16, 32, 64)
    }


def test_what_is_not_to_be_had_says_why(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # as where the package is not installed
    monkeypatch.setattr("shufflegram.baselines.registry.find_spec", lambda name: None)
    monkeypatch.setenv("COLUMNS", "200")
    text = good("protocols", *BUDGET, *CIRCLE).stdout
    assert rows_of(text)["asp", "published"] == ["-"] * 6
    assert rows_of(text)["asp", "exact"][0] == "1"
    assert "published ASP is for a line; on a circular domain use exact accounting" in text
    assert "gaussian-16, -32, -64       not to be had: the central Gaussian takes the library dp-accounting" in text
    record = told(good, *BUDGET, *CIRCLE)
    assert record["domain"]["circular"] is True
    reasons = {each["name"]: each["reason"] for each in record["baselines"]}
    assert set(reasons) == set(baselines.names())
    assert "pip install 'shufflegram[lab]'" in reasons["gaussian-64"]
    assert "this domain is circular" in reasons["local-sw"]


def test_the_domains_options_count(good: Run) -> None:
    record = told(good, *BUDGET, "--edges", "0,1,2,5,10,30,100,200,300,500,600,700,800,900,1000,2000,3000")
    assert record["domain"]["edges"][:3] == [0, 1, 2]
    bits = {(each["name"], each["accounting"]): each.get("bits_per_user") for each in record["protocols"]}
    assert bits["asp", "published"] == 4
    # no bins for so many chunks
    assert bits["flip-32", "exact"] is None
    assert told(good, *BUDGET, "--bins", "64")["domain"] == Domain(0, 1, 64).to_dict()


def test_long_work_is_seen_to_go_on(good: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert good("protocols", *BUDGET, "--json").stderr == ""
    # as on a terminal, and for somebody without patience
    monkeypatch.setattr(progress, "PATIENCE", -1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = good("protocols", *BUDGET, "--json")
    assert "accounting" in result.stderr
    json.loads(result.stdout)
