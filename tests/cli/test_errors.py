"""Whatever is wrong: one line on the standard error, exit code 2, and nothing is left behind."""

import shlex
import shutil
from pathlib import Path

import pytest

from .conftest import Run

SMALL = Path(__file__).resolve().parents[1] / "lab" / "small.toml"
DOMAIN = "--low 0 --high 10 --bins 16"
BUDGET = "--users 5000 --epsilon 1 --delta 1e-6"
WAVE = "--half-width 1/4 --density-ratio 3"

LINES = [
    # the command line itself
    ("--wrong", "No such option '--wrong'"),
    ("plam", "there is no command 'plam'; the commands are plan, privacy"),
    ("plan --usres 3", "'--users'"),
    ("plan", "missing: --low, --high, --bins, --users, --epsilon, --delta"),
    (f"plan {DOMAIN} --users 5", "error: missing: --epsilon, --delta"),
    ("plan --edges 0,1,2", "error: missing: --users, --epsilon, --delta"),
    (f"plan {DOMAIN} {BUDGET} extra", "unexpected extra argument"),
    (f"plan {DOMAIN} --users many --epsilon 1 --delta 1e-6", "'many' is not a valid integer"),
    (f"plan {DOMAIN} {BUDGET} --protocol none", "must be one of asp, tuned, ssw"),
    (f"plan {DOMAIN} {BUDGET} --outside away", "error"),
    # domains and budgets
    (f"plan --low 0 --high 10 {BUDGET}", "missing: --bins"),
    (f"plan {BUDGET}", "missing: --low, --high, --bins"),
    (f"plan {DOMAIN} --unit 'a\x1bb' {BUDGET}", "unit must hold no control characters"),
    (f"plan --low 10 --high 0 --bins 16 {BUDGET}", "low must be below high"),
    (f"plan --low nan --high 10 --bins 16 {BUDGET}", "low must be finite"),
    (f"plan --low 0 --high 10 --bins 1 {BUDGET}", "bins must be between 2 and"),
    (f"plan --low 0 --high 10 --bins 16 --log {BUDGET}", "logarithmic bins need low > 0"),
    (f"plan --low 1 --high 10 --bins 16 --log --circular {BUDGET}", "leave --log or --circular out"),
    (f"plan {DOMAIN} --outside wrap {BUDGET}", "--outside wrap is for circular domains; on a line"),
    (f"plan {DOMAIN} --edges 0,1,2 {BUDGET}", "--edges says all of the bins"),
    (f"plan --edges 0,2,1 {BUDGET}", "edges must increase"),
    (f"plan --edges none.txt {BUDGET}", "there is no file of edges none.txt"),
    (f"plan --edges {','.join(['1'] * 300)} {BUDGET}", "edges must increase"),
    (f"plan --edges some,words {BUDGET}", "--edges must be increasing numbers"),
    (f"plan --edges bytes.txt {BUDGET}", "file of edges bytes.txt cannot be read"),
    (f"plan {DOMAIN} --users 0 --epsilon 1 --delta 1e-6", "users"),
    (f"plan {DOMAIN} --users 5000 --epsilon -1 --delta 1e-6", "epsilon"),
    (f"plan {DOMAIN} --users 5000 --epsilon 1 --delta 2", "delta must be a number between 0 and 1"),
    (f"plan {DOMAIN} {BUDGET} --honest-fraction 2", "'--honest-fraction': 2.0 is not in the range 0<x<=1"),
    (f"plan {DOMAIN} {BUDGET} --max-local-epsilon 0", "'--max-local-epsilon': 0.0 is not in the range x>0"),
    (f"plan {DOMAIN} {BUDGET} --max-local-epsilon inf", "'--max-local-epsilon': inf is no finite number"),
    (f"plan {DOMAIN} {BUDGET} --honest-fraction nan", "'--honest-fraction': nan is no finite number"),
    (f"plan {DOMAIN} --users 10 --epsilon 0.001 --delta 1e-6", "would do"),
    # places to write to
    (f"plan {DOMAIN} {BUDGET} --output none/plan.json", "there is no folder none"),
    (f"plan {DOMAIN} {BUDGET} --output .", "is a folder"),
    (
        f"plan {DOMAIN} {BUDGET} --output plan.json",
        "plan.json exists already; choose another name, or replace it with --force",
    ),
    (f"plan {DOMAIN} {BUDGET} --output {'x' * 300}", "File name too long"),
    ("demo --output .", "plan.json exists already; choose another name, or replace it with --force"),
    ("demo --output plan.json", "the folder plan.json cannot be made"),
    # plans
    ("privacy none.json", "the plan none.json cannot be read: No such file"),
    ("privacy .", "cannot be read"),
    ("privacy values.csv", "is not JSON"),
    ("privacy bytes.txt", "cannot be read"),
    ("privacy other.json", "not a shufflegram plan"),
    # privacy
    ("privacy", "give a PLAN.json, or else --users and --epsilon"),
    ("privacy --users 10 --epsilon 1", "needs --half-width and --density-ratio"),
    (f"privacy --users 10 --epsilon 1 {WAVE}", "say either --bins"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --bins 8 --continuous", "say either --bins"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --bins 8", "counts whole cells, got 1/4"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --continuous --circular", "--circular goes with --bins"),
    (f"privacy plan.json {WAVE}", "leave --half-width, --density-ratio out"),
    ("privacy --users 10 --epsilon 1 --half-width 3/4 --density-ratio 3 --continuous", "share of the domain"),
    ("privacy --users 10 --epsilon 1 --half-width 1/4 --density-ratio 0.5 --continuous", "must be at least 1"),
    ("privacy --users 10 --epsilon 1 --half-width 1/0 --density-ratio 3 --continuous", "such as 7/2"),
    ("privacy --users 10 --epsilon 1 --half-width 1e999999999 --density-ratio 3 --continuous", "such as 7/2"),
    (f"privacy --users 0 --epsilon 1 {WAVE} --continuous", "users"),
    (f"privacy --users 10 --epsilon nan {WAVE} --continuous", "epsilon must be between"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --continuous --delta 0", "delta must be"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --continuous --honest-fraction 0", "'--honest-fraction': 0.0 is not"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --continuous --honest-fraction 0.01", "is not one honest report"),
    (f"privacy --users 10 --epsilon 1 {WAVE} --continuous --rounds 0", "--rounds counts rounds"),
    # randomize
    ("randomize plan.json", "Missing argument"),
    ("randomize none.json values.csv", "none.json cannot be read"),
    ("randomize plan.json none.csv", "there is no file none.csv"),
    ("randomize plan.json bytes.txt", "ends in .csv or .parquet"),
    ("randomize plan.json values.csv", "has 2 columns, so one must be named: id, share"),
    ("randomize plan.json values.csv --column sahre", "has no column 'sahre'; it has id, share"),
    ("randomize plan.json values.csv --column share --output reports.txt", "ends in .csv or .parquet"),
    ("randomize plan.json values.csv --column share --output values.csv", "values.csv is one of the inputs"),
    ("randomize plan.json values.csv --column share --output kept.csv", "kept.csv exists already"),
    ("randomize plan.json empty.csv", "empty.csv is empty"),
    # estimate
    ("estimate plan.json", "Missing argument"),
    ("estimate plan.json none.csv", "there is no file none.csv"),
    ("estimate plan.json reports.csv --output e.txt", "has to end in .json or .csv"),
    ("estimate plan.json reports.csv --plot e.jpg", "has to end in .png or .svg"),
    ("estimate plan.json reports.csv --quantiles 0.5,2", "must be numbers between 0 and 1"),
    ("estimate plan.json reports.csv --quantiles some", "must be numbers between 0 and 1"),
    ("estimate plan.json reports.csv --quantiles nan", "must be numbers between 0 and 1"),
    ("estimate plan.json reports.csv --range 5 1", "low must not exceed high"),
    ("estimate plan.json reports.csv --range nan 5", "--range needs two finite numbers such as 30 50, got nan 5"),
    ("estimate plan.json reports.csv --range 5", "requires 2 arguments"),
    ("estimate plan.json reports.csv --band 1.5", "'--band': 1.5 is not in the range 0<x<1"),
    ("estimate plan.json reports.csv --band 90", "'--band': 90.0 is not in the range 0<x<1"),
    # simulate
    ("simulate plan.json", "error: missing: --data"),
    ("simulate", "missing: --data, --protocol, --users, --epsilon, --delta"),
    ("simulate --data taxi", "missing: --protocol, --users, --epsilon, --delta"),
    (f"simulate plan.json --data taxi {BUDGET}", "leave --users, --epsilon, --delta out"),
    ("simulate plan.json --data values.csv --bins 8", "leave the domain out"),
    (
        "simulate plan.json --data taxi",
        "lies outside the domain [0, 100]; leave such rows out, or plan with a wider domain or --outside clamp",
    ),
    (
        "simulate plan.json --data wide.csv",
        "the value in row 2 below the header lies outside the domain [0, 100]; leave",
    ),
    ("simulate plan.json --data taxi --column x", "--column is for files and joint rows; taxi has one column only"),
    ("simulate plan.json --data income_types", "--column must be one of self_employment, interest, dividends"),
    ("simulate plan.json --data income_types --column x", "income_types has no column 'x'; it has self_employment"),
    ("simulate plan.json --data income --data-dir none", "there is no folder none; the data folder has to hold"),
    ("simulate plan.json --data income --data-dir .", "does not hold psam_pus*.csv or income_ipums_2001_2011_hist"),
    (
        "simulate plan.json --data values.csv --data-dir .",
        "--data-dir is for normal, taxi, retirement, income, income_",
    ),
    ("simulate plan.json --data yellow", "there is no file yellow"),
    ("simulate plan.json --data values.csv --column share --sample 9", "from 1 to 3, the number of values"),
    ("simulate plan.json --data values.csv --column share --repetitions 0", "0 is not in the range"),
    ("simulate plan.json --data values.csv --column share --simulation-seed -1", "-1 is not in the range"),
    (f"simulate --protocol asp --data values.csv {BUDGET}", "missing: --low, --high, --bins"),
    (f"simulate --protocol asp --accounting published --data taxi {BUDGET}", "published ASP is for a line"),
    (f"simulate --protocol asp --accounting none --data taxi {BUDGET}", "is not one of"),
    # protocols
    ("protocols --users 5000", "missing: --epsilon, --delta"),
    (f"protocols {DOMAIN}", "missing: --users, --epsilon, --delta"),
    ("protocols --users 0 --epsilon 1 --delta 1e-6", "the number of users must be at least 1"),
    ("protocols --users 5000 --epsilon 0 --delta 1e-6", "epsilon must be above 0"),
    ("protocols --users 5000 --epsilon nan --delta 1e-6", "epsilon must be between 0 and 50"),
    ("protocols --users 5000 --epsilon 1 --delta 1", "delta must be a number between 0 and 1"),
    (f"protocols {BUDGET} --bins 1", "bins must be between 2 and"),
    (f"protocols {BUDGET} --edges 0,1,2 --bins 8", "--edges says all of the bins"),
    (f"protocols {BUDGET} asp", "unexpected extra argument"),
    # experiment
    ("experiment", "Missing argument"),
    ("experiment spec.toml", "Missing option '--output'"),
    ("experiment none.toml --output r", "the experiment none.toml cannot be read: No such file"),
    ("experiment bytes.txt --output r", "the experiment bytes.txt cannot be read: it is not text"),
    ("experiment values.csv --output r", "the experiment values.csv: it is not TOML"),
    ("experiment spec.toml --output r", "the experiment spec.toml: missing key: 'title', 'seed'"),
    ("experiment spec.toml --output r --workers 0", "0 is not in the range"),
    ("experiment small.toml --output kept.csv", "the folder kept.csv cannot be made: File exists"),
]


@pytest.mark.parametrize(("line", "said"), LINES, ids=[line[:60] for line, _ in LINES])
def test_one_line_and_exit_code_2(run: Run, folder: Path, line: str, said: str) -> None:
    (folder / "values.csv").write_text("id,share\n1,10\n2,20\n3,30\n")
    (folder / "reports.csv").write_text("report\n1\n2\n3\n")
    (folder / "kept.csv").write_text("kept")
    (folder / "empty.csv").write_text("")
    (folder / "wide.csv").write_text("share\n1\n101\n")
    (folder / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    (folder / "other.json").write_text("{}")
    (folder / "spec.toml").write_text('name = "spec"')
    shutil.copy(SMALL, folder / "small.toml")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    arguments = shlex.split(line)
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    # before an error there may be a warning, which is a line of its own
    *warnings, error = result.stderr.splitlines()
    assert all(warning.startswith("shufflegram: warning: ") for warning in warnings)
    assert error.startswith("shufflegram: error: ")
    assert said in error
    assert result.stderr.endswith("\n")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_bug_is_not_dressed_up_as_bad_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from shufflegram.planning import Plan

    def fail(path: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Plan, "load", fail)
    assert isinstance(run("privacy", "plan.json").exception, RuntimeError)


def test_running_out_of_room_is_one_line(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(plan: object, path: object) -> None:
        raise OSError(28, "No space left on device", "plan.json")

    monkeypatch.setattr("shufflegram.planning.Plan.save", fail)
    result = run("plan", *f"{DOMAIN} {BUDGET} --output new.json".split())
    assert result.exit_code == 2
    assert result.stderr == "shufflegram: error: new.json cannot be written: No space left on device\n"
    assert [path.name for path in folder.iterdir()] == ["plan.json"]
