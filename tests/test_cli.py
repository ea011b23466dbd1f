"""The command line: what it prints where, how it ends, and what it leaves behind.

Streams and exit codes are those of a real process; what is printed is read in process.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

import xl_tco
from xl_tco.catalogue import accelerator_keys, specifications
from xl_tco.cli import app
from xl_tco.fields import FIELDS
from xl_tco.workbook import template_bytes, workbook_bytes

EXAMPLE = Path(__file__).parents[1] / "examples" / "llama-3.1-405b.toml"
MINIMAL = {
    "name": "A small run",
    "parameters": 7e9,
    "tokens": 2e12,
    "accelerator": "h100-sxm",
    "accelerators": 512,
    "mfu": 0.4,
    "procurement": "own",
    "staff_fte": 10,
}

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
Process = subprocess.CompletedProcess[str]
posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


def run(*arguments: object, env: dict[str, str] | None = None, cwd: Path | None = None) -> Process:
    """Run the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "xl_tco", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        env={**ENVIRONMENT, **(env or {})},
        cwd=cwd,
        check=False,
        timeout=120,
    )


def printed(*arguments: object) -> str:
    """Run a command that goes well, in process, and return what it prints."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return result.stdout


def fails(process: Process, code: int, *messages: str) -> None:
    """Hold a failure to its code, its messages on stderr, and nothing on stdout."""
    assert process.returncode == code, process.stderr
    assert process.stdout == ""
    assert "Traceback" not in process.stderr
    for message in messages:
        assert message in process.stderr


def listing(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture
def write_toml(tmp_path: Path) -> Callable[..., Path]:
    """Write a scenario: the minimal one with changes; None leaves a field out."""

    def write(**changes: object) -> Path:
        path = tmp_path / "run.toml"
        fields = {key: value for key, value in {**MINIMAL, **changes}.items() if value is not None}
        lines = (f"{key} = {json.dumps(value)}\n" for key, value in fields.items())
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[[Sequence[dict[str, object]]], Path]:
    """Write scenarios, a row each: the minimal one with changes."""

    def write(rows: Sequence[dict[str, object]]) -> Path:
        path = tmp_path / "runs.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, MINIMAL)
            writer.writeheader()
            writer.writerows({**MINIMAL, **row} for row in rows)
        return path

    return write


@pytest.fixture(scope="session")
def workbook() -> bytes:
    """The example's workbook."""
    return workbook_bytes(xl_tco.load_scenario(EXAMPLE))


@pytest.fixture
def book(tmp_path: Path, workbook: bytes) -> Path:
    """A file of that workbook."""
    path = tmp_path / "book.xlsx"
    path.write_bytes(workbook)
    return path


def edit(path: Path, field: str, value: object) -> None:
    """Give an input of a workbook, as a script with openpyxl would."""
    workbook = openpyxl.load_workbook(path)
    for row in workbook["Inputs"].iter_rows(max_col=5):
        if row[2].value == field:
            row[4].value = value
    workbook.save(path)


# evaluate -----------------------------------------------------------------------------------------


def test_evaluate_prints_json_to_the_last_digit() -> None:
    expected = xl_tco.evaluate(xl_tco.load_scenario(EXAMPLE)).to_dict()
    assert json.loads(printed("evaluate", EXAMPLE, "--json")) == expected


def test_json_holds_null_and_never_nan(write_toml: Callable[..., Path]) -> None:
    rented = write_toml(
        accelerator="tpu-v6e", procurement="rent", storage_usd_per_hour=10, precision="bf16"
    )
    text = printed("evaluate", rented, "--json")
    data = json.loads(text, parse_constant=lambda word: pytest.fail(word))
    assert None in data["metrics"].values()


def test_json_keeps_letters(write_toml: Callable[..., Path]) -> None:
    path = write_toml(name="Größe 大")
    assert "Größe 大" in run("evaluate", path, "--json").stdout


def test_json_can_be_read_back(tmp_path: Path) -> None:
    text = printed("evaluate", EXAMPLE, "--json")
    (tmp_path / "result.json").write_text(text, encoding="utf-8")
    again = json.loads(printed("evaluate", tmp_path / "result.json", "--json"))
    assert again["components"] == json.loads(text)["components"]


def test_evaluate_tells_a_person() -> None:
    result = xl_tco.evaluate(xl_tco.load_scenario(EXAMPLE))
    text = printed("evaluate", EXAMPLE)
    assert text.startswith("Llama 3.1 405B\n405B parameters, 15.6T tokens; 16,384 × h100-sxm")
    assert f"Training TCO          {result.total_usd:,.0f}  100.0%" in text
    accelerators = result.components["accelerators"]
    share = accelerators / result.total_usd
    assert f"Accelerators          {accelerators:,.0f}   {share:.1%}" in text
    assert "The total rests on estimates, and so is one itself:" in text
    for name in result.estimates:
        assert FIELDS[name].label in text
    assert "xl-tco catalogue h100-sxm" in text


def test_plain_text_has_no_colours_and_no_boxes() -> None:
    for colours in ({"FORCE_COLOR": "1"}, {"TERM": "xterm-256color"}, {"COLUMNS": "40"}):
        process = run("evaluate", EXAMPLE, env=colours)
        assert process.stderr == ""
        assert "\x1b" not in process.stdout
        assert not set("─━│█…") & set(process.stdout)
        assert all(line == line.rstrip() for line in process.stdout.splitlines())


def test_nothing_rests_on_estimates_where_all_is_given(write_toml: Callable[..., Path]) -> None:
    scenario = xl_tco.load_scenario(write_toml())
    estimates = {name: scenario.values[name] for name in xl_tco.evaluate(scenario).estimates}
    text = printed("evaluate", write_toml(**estimates))
    assert "No input is an estimate" in text
    assert "xl-tco catalogue" not in text


def test_a_rented_run_shows_no_capex(write_toml: Callable[..., Path]) -> None:
    text = printed("evaluate", write_toml(procurement="rent", storage_usd_per_hour=10))
    assert "CapEx" not in text
    assert "Rent of accelerators" in text


def test_figures_that_nobody_knows_are_said_to_be_unknown(write_toml: Callable[..., Path]) -> None:
    rented = write_toml(accelerator="tpu-v6e", procurement="rent", storage_usd_per_hour=10)
    lines = [line.split() for line in printed("evaluate", rented).splitlines()]
    assert ["Facility", "energy", "unknown", "GWh"] in lines


def test_a_custom_accelerator_is_in_no_catalogue(write_toml: Callable[..., Path]) -> None:
    path = write_toml(
        accelerator="custom",
        procurement="rent",
        peak_tflops=500,
        rental_usd_per_accelerator_hour=1,
        storage_usd_per_hour=0,
    )
    text = printed("evaluate", path)
    assert "xl-tco catalogue default" in text
    assert "xl-tco catalogue custom" not in text


def test_rows_of_a_csv_are_a_line_each(write_csv: Callable[..., Path]) -> None:
    names = ["one", "two, with a comma", "[bold]three", ":smile: four"]
    path = write_csv([{"name": name, "accelerators": 2**i} for i, name in enumerate(names, 6)])
    lines = printed("evaluate", path).splitlines()
    columns = ["name", "total_usd", "wall_hours", "usd_per_million_tokens", "status"]
    assert lines[0].split() == columns
    assert len(lines) == 1 + len(names)
    for name, line in zip(names, lines[1:], strict=True):
        assert line.startswith(name)
    data = json.loads(printed("evaluate", path, "--json"))
    assert [row["inputs"]["name"] for row in data] == names


def test_a_csv_gives_a_list_whatever_its_length(write_csv: Callable[..., Path]) -> None:
    path = write_csv([{}])
    assert len(json.loads(printed("evaluate", path, "--json"))) == 1
    assert printed("evaluate", path).startswith("A small run\n")


def test_a_csv_without_rows_is_at_fault(write_csv: Callable[..., Path]) -> None:
    fails(run("evaluate", write_csv([])), 2, "runs.csv: rows: there is none")


def test_names_cannot_command_the_terminal(write_toml: Callable[..., Path]) -> None:
    text = printed("evaluate", write_toml(name="a\x1b[31m\nb [/bold] :smile:"))
    assert text.startswith("a [31m b [/bold] :smile:\n7B parameters")


# What is wrong with an input ----------------------------------------------------------------------


def test_all_faults_at_once(write_toml: Callable[..., Path]) -> None:
    path = write_toml(mfu=1.4, pue=0.5, accelerators="many", tokenz=1, accelerator="h100")
    process = run("evaluate", path)
    fails(process, 2)
    lines = process.stderr.splitlines()
    assert all(line.startswith(f"error: {path}: ") for line in lines)
    for field in (
        "mfu: 1.4",
        "pue: 0.5",
        'accelerators: "many"',
        "tokenz: no such",
        '"h100" is no',
    ):
        assert sum(field in line for line in lines) == 1


@pytest.mark.parametrize("command", ["evaluate", "build"])
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.toml", None, "no such file"),
        ("broken.toml", b"parameters = \n", "not valid TOML"),
        ("binary.toml", bytes(range(256)), "not a text file in UTF-8"),
        ("broken.json", b"{", "not valid JSON"),
        ("list.json", b"[1]", "an object of fields is needed"),
        ("run.yaml", b"a: 1", '".yaml" is no format'),
        ("empty.toml", b"", "parameters: nothing is given"),
    ],
)
def test_files_that_are_no_scenarios(
    tmp_path: Path, command: str, name: str, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    output = ["-o", tmp_path / "out.xlsx"] if command == "build" else []
    fails(run(command, tmp_path / name, *output), 2, f"error: {tmp_path / name}: ", message)
    assert "out.xlsx" not in listing(tmp_path)


def test_a_directory_is_no_scenario(tmp_path: Path) -> None:
    (tmp_path / "run.toml").mkdir()
    fails(run("evaluate", tmp_path / "run.toml"), 2, "is a directory")


@pytest.mark.parametrize("command", ["recalc", "check"])
@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "no such file or directory"), (b"name,value\n", "not a workbook")],
)
def test_files_that_are_no_workbooks(
    tmp_path: Path, command: str, content: bytes | None, message: str
) -> None:
    path = tmp_path / "book.xlsx"
    if content is not None:
        path.write_bytes(content)
    fails(run(command, path), 2, f"error: {path}: file: {message}; give an .xlsx of xl-tco")
    assert content is None or path.read_bytes() == content


@pytest.mark.parametrize("command", ["recalc", "check"])
def test_a_damaged_workbook(book: Path, command: str) -> None:
    book.write_bytes(book.read_bytes()[:5000])
    before = book.read_bytes()
    fails(run(command, book), 2, f"error: {book}: ")
    assert book.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate"],
        ["evaluate", EXAMPLE, "more"],
        ["evaluate", EXAMPLE, "--jsn"],
        ["evalute", EXAMPLE],
        ["build", EXAMPLE],
        ["build", EXAMPLE, "-o", "out.xlsx", "--formulas", "both"],
        ["template"],
        ["recalc"],
        ["check"],
        ["catalogue", "h100-sxm", "b200-sxm"],
    ],
)
def test_bad_usage(tmp_path: Path, arguments: Sequence[object]) -> None:
    fails(run(*arguments, cwd=tmp_path), 2, "Usage: xl-tco")
    assert listing(tmp_path) == set()


# build and template -------------------------------------------------------------------------------


@pytest.mark.parametrize("formulas", ["functions", "native"])
def test_build(tmp_path: Path, formulas: str) -> None:
    output = tmp_path / "out.xlsx"
    process = run("build", EXAMPLE, "-o", output, "--formulas", formulas)
    assert (process.returncode, process.stdout) == (0, "")
    assert process.stderr == f"wrote {output}: Llama 3.1 405B\n"
    expected = workbook_bytes(xl_tco.load_scenario(EXAMPLE), formulas=formulas)
    assert output.read_bytes() == expected
    assert listing(tmp_path) == {"out.xlsx"}


@pytest.mark.parametrize("formulas", ["functions", "native"])
def test_template(tmp_path: Path, formulas: str) -> None:
    process = run("template", "-o", "out.xlsx", "--formulas", formulas, cwd=tmp_path)
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "wrote out.xlsx\n")
    assert (tmp_path / "out.xlsx").read_bytes() == template_bytes(formulas=formulas)


@pytest.mark.parametrize("command", [["build", EXAMPLE], ["template"]])
def test_never_overwrites_without_force(tmp_path: Path, command: Sequence[object]) -> None:
    output = tmp_path / "out.xlsx"
    output.write_bytes(b"precious")
    fails(run(*command, "-o", output), 1, f"error: {output}: exists; say --force to replace it")
    assert output.read_bytes() == b"precious"
    process = run(*command, "-o", output, "--force")
    assert process.returncode == 0
    assert output.read_bytes().startswith(b"PK")
    assert listing(tmp_path) == {"out.xlsx"}


@pytest.mark.parametrize("command", [["build", EXAMPLE], ["template"]])
def test_output_that_cannot_be_written(tmp_path: Path, command: Sequence[object]) -> None:
    (tmp_path / "b.xlsx").mkdir()
    fails(run(*command, "-o", tmp_path / "b.xlsx"), 1, "is a directory; name a file")
    fails(run(*command, "-o", tmp_path / "no" / "a.xlsx"), 1, "there is no directory")
    assert listing(tmp_path) == {"b.xlsx"}


@pytest.mark.parametrize("command", [["build", EXAMPLE], ["template"]])
def test_output_that_is_not_named_as_a_workbook(tmp_path: Path, command: Sequence[object]) -> None:
    output = tmp_path / "out.xls"
    fails(run(*command, "-o", output), 2, f"error: {output}: ", "give a name that ends in .xlsx")
    assert listing(tmp_path) == set()


def test_a_csv_of_many_rows_builds_nothing(write_csv: Callable[..., Path]) -> None:
    path = write_csv([{}, {}])
    fails(run("build", path, "-o", path.parent / "out.xlsx"), 2, "2 scenarios where one is needed")
    assert listing(path.parent) == {"runs.csv"}


@posix
def test_killed_in_the_middle_of_a_write(tmp_path: Path) -> None:
    output = tmp_path / "out.xlsx"
    output.write_bytes(b"precious")
    script = textwrap.dedent("""
        import os, signal
        from xl_tco.cli import main
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
        main()
    """)
    killed = subprocess.run(
        [sys.executable, "-c", script, "template", "-o", str(output), "--force"],
        env=ENVIRONMENT,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert output.read_bytes() == b"precious"


# recalc and check ---------------------------------------------------------------------------------


def test_recalc_in_place(book: Path) -> None:
    edit(book, "accelerators", 8192)
    before = book.read_bytes()
    process = run("recalc", book)
    assert (process.returncode, process.stdout) == (0, "")
    assert process.stderr.startswith(f"wrote {book}: ")
    assert process.stderr.endswith(" formulas calculated\n")
    assert book.read_bytes() != before
    expected = xl_tco.evaluate(xl_tco.load_scenario(EXAMPLE).replace(accelerators=8192)).total_usd
    values = openpyxl.load_workbook(book, data_only=True)
    numbers = {
        cell.value
        for row in values["Calc"].iter_rows()
        for cell in row
        if isinstance(cell.value, float)
    }
    assert any(number == pytest.approx(expected, rel=1e-9) for number in numbers)
    assert listing(book.parent) == {"book.xlsx"}


def test_recalc_aside(book: Path, workbook: bytes) -> None:
    output = book.parent / "out.xlsx"
    assert run("recalc", book, "-o", output).returncode == 0
    assert book.read_bytes() == workbook
    assert output.read_bytes().startswith(b"PK")
    for target in (output, book):
        fails(run("recalc", book, "-o", target), 1, "exists; say --force to replace it")
    assert run("recalc", book, "-o", output, "--force").returncode == 0


def test_recalc_tells_of_formulas_that_end_in_errors(book: Path) -> None:
    workbook = openpyxl.load_workbook(book)
    workbook["Log"]["Z99"] = "=1/0"
    workbook.save(book)
    process = run("recalc", book)
    fails(process, 1, "formulas calculated", "error: Log!Z99: #DIV/0!")
    assert openpyxl.load_workbook(book, data_only=True)["Log"]["Z99"].value == "#DIV/0!"


def test_recalc_tells_of_checks_that_do_not_hold(tmp_path: Path) -> None:
    path = tmp_path / "native.xlsx"
    assert run("build", EXAMPLE, "-o", path, "--formulas", "native").returncode == 0
    edit(path, "hfu", 0.5)  # beside the mfu
    process = run("recalc", path)
    assert process.returncode == 3
    assert "not hold: see its sheet Checks" in process.stderr
    edit(path, "hfu", None)
    assert run("recalc", path).returncode == 0


def test_check_passes(book: Path) -> None:
    process = run("check", book)
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "all rules hold\n")


def test_check_fails(book: Path) -> None:
    workbook = openpyxl.load_workbook(book)
    workbook["Calc"]["D99"] = "=NOW()"
    workbook.save(book)
    process = run("check", book)
    assert (process.returncode, process.stderr) == (3, "")
    rules = [line.split()[0] for line in process.stdout.splitlines()]
    assert rules
    assert rules == sorted(rules)
    assert "Calc!D99" in process.stdout


# catalogue and schema -----------------------------------------------------------------------------


def test_catalogue_lists_every_accelerator() -> None:
    lines = printed("catalogue").splitlines()
    assert lines[0].split()[0] == "Key"
    rows = {line.split()[0]: line for line in lines[1:] if line}
    for key in accelerator_keys():
        assert str(specifications(key)["label"].value) in rows[key]
    assert "989.4    989.4    1,979   80      700    ~30,000" in rows["h100-sxm"]
    assert "unknown" in rows["tpu-v7"]


def test_catalogue_of_one() -> None:
    text = printed("catalogue", "h100-sxm")
    assert text.startswith("h100-sxm: NVIDIA H100 SXM 80 GB\n")
    for name, figure in specifications("h100-sxm").items():
        assert name == "label" or name in text
        assert figure.source in text
        assert figure.date in text


def test_catalogue_of_unknown_figures() -> None:
    line = next(row for row in printed("catalogue", "tpu-v7").splitlines() if "price_usd " in row)
    assert line.split()[1:4] == ["unknown", "USD", "unknown"]


def test_catalogue_of_defaults() -> None:
    text = printed("catalogue", "default")
    assert "depreciation_years" in text
    assert "Epoch AI" in text
    assert "U.S. industrial prices" in printed("catalogue", "us")


def test_catalogue_as_json() -> None:
    data = json.loads(printed("catalogue", "--json"))
    assert list(data) == list(accelerator_keys())
    assert data["v100-sxm"]["peak_tflops_bf16"]["value"] is None
    one = json.loads(printed("catalogue", "h100-sxm", "--json"))
    assert one == data["h100-sxm"]
    assert set(one["tdp_watts"]) == {"value", "unit", "status", "date", "source"}
    assert one["tdp_watts"]["value"] == 700


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_catalogue_of_a_key_that_is_not_there(as_json: list[str]) -> None:
    fails(run("catalogue", "h100", *as_json), 2, '"h100" is no', 'did you mean "h100-sxm"?')
    fails(run("catalogue", "", *as_json), 2, '"" is no')


def test_schema() -> None:
    schema = json.loads(printed("schema"))
    assert set(schema["properties"]) == {*FIELDS, "correlations", "sources", "cases", "case"}
    assert schema["title"] == "xl-tco scenario"


# The process --------------------------------------------------------------------------------------


def test_version() -> None:
    assert printed("--version") == f"xl-tco {xl_tco.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"]])
def test_help(arguments: list[str]) -> None:
    process = run(*arguments)
    assert process.returncode == 0
    assert process.stderr == ""
    assert "Usage: xl-tco" in process.stdout


def test_help_names_every_command_and_the_exit_codes() -> None:
    text = printed("--help")
    for command in app.registered_commands:
        assert command.callback is not None
        assert command.callback.__name__.replace("_", "-") in text
    assert "0 fine, 1 failure, 2 bad input, 3 checks failed" in text


LOCALES = [
    {"LANG": "C", "LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "de_DE.UTF-8"},
]


@pytest.mark.parametrize("env", LOCALES)
def test_any_locale(write_toml: Callable[..., Path], env: dict[str, str]) -> None:
    path = write_toml(name="Größe 大")
    process = run("evaluate", path, env=env)
    assert (process.returncode, process.stderr) == (0, "")
    assert "1,979" in run("catalogue", env=env).stdout  # numbers do not follow the locale
    exact = run("evaluate", path, "--json", env=env)
    assert json.loads(exact.stdout)["inputs"]["name"] == "Größe 大"
    fails(run("evaluate", "Größe.toml", env=env), 2, "no such file")


def piped(*arguments: str, stdout: int | object = subprocess.PIPE) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "xl_tco", *arguments],
        stdout=stdout,  # type: ignore[arg-type]
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


@posix
@pytest.mark.parametrize(
    "arguments",
    [["catalogue"], ["catalogue", "--json"], ["schema"], ["evaluate", str(EXAMPLE)], ["--help"]],
)
def test_a_closed_pipe_ends_quietly(arguments: list[str]) -> None:
    process = piped(*arguments)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_a_failure() -> None:
    with Path("/dev/full").open("wb") as full:
        process = piped("catalogue", stdout=full)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors == b"error: output: no space left on device\n"


@posix
def test_a_closed_stdout_does_no_harm(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m xl_tco template -o "{tmp_path}/out.xlsx" >&-'
    env = ENVIRONMENT
    assert subprocess.run(["sh", "-c", command], env=env, check=False).returncode == 0
    assert (tmp_path / "out.xlsx").read_bytes() == template_bytes()


@posix
def test_interrupted(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, signal
        from xl_tco.cli import main
        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGINT)
        main()
    """)
    process = subprocess.run(
        [sys.executable, "-c", script, "template", "-o", str(tmp_path / "out.xlsx")],
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    fails(process, 130)
    assert listing(tmp_path) == set()


@posix
def test_a_terminal_gets_colours_and_rules() -> None:
    import pty

    ours, theirs = pty.openpty()
    env = {"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": ""}
    process = subprocess.Popen(
        [sys.executable, "-m", "xl_tco", "evaluate", str(EXAMPLE)],
        stdout=theirs,
        env={**ENVIRONMENT, **env},
    )
    os.close(theirs)
    read = bytearray()
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not block:
            break
        read += block
    os.close(ours)
    assert process.wait(60) == 0
    text = read.decode()
    assert "\x1b[1m" in text
    assert "─" in text
    assert "█" in text
    assert "…" not in text


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["catalogue"], ["schema"], ["evaluate", str(EXAMPLE), "--json"]],
)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    script = textwrap.dedent("""
        import sys
        from xl_tco.cli import main
        try:
            main()
        finally:
            heavy = {"pandas", "openpyxl", "formualizer", "lxml", "xlwings"} & set(sys.modules)
            print(*sorted(heavy), file=sys.stderr, end="")
    """)
    process = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
