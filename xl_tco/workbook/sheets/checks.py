"""The sheet Checks: what must hold, and one master check of all of it, shown on every sheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xl_tco.cells import UNKNOWN
from xl_tco.fields import ALTERNATIVES, FIELDS
from xl_tco.language import Name, Phrase
from xl_tco.outputs import COMPONENTS
from xl_tco.workbook.sheets.book import Book
from xl_tco.workbook.sheets.calc import SHEET as CALC
from xl_tco.workbook.sheets.calc import Places
from xl_tco.workbook.sheets.functions import EXAMPLES
from xl_tco.workbook.sheets.inputs import IN_RANGE
from xl_tco.workbook.sheets.lines import LINES, METHODS, NOT_USED
from xl_tco.workbook.sheets.page import (
    ALL_HOLD,
    MASTER_CHECK,
    Column,
    Page,
)
from xl_tco.workbook.sheets.sensitivity import MEDIAN

__all__ = ["FAILING", "SHEET", "add_checks"]

SHEET = "Checks"
FAILING = "checks_failing"
COLUMNS = (
    Column("Check", 46),
    Column("Unit", 20),
    Column("Value", 24, number=True),
    Column("Must equal", 24, number=True),
    Column("Tolerance", 12, number=True),
    Column("Holds", 10, number=True),
)
LABEL, UNIT, VALUE, EQUAL, TOLERANCE, HOLDS = range(1, len(COLUMNS) + 1)


class Check(NamedTuple):
    """A figure or a text that must equal another: numbers to the tolerance, texts to the letter."""

    label: str | Phrase
    unit: str
    value: str
    equal: str | int
    text: bool = False


def add_checks(book: Book, places: Places) -> None:
    """Write the sheet; name the cells that hold, and the master check."""
    page = Page(book, SHEET, "Every check must hold; the master check is on every sheet.", COLUMNS)
    first = page.row
    native = {name: f"{CALC}!{place[1]}" for name, place in places.items()}
    sections = {
        "The parts make up the whole": _whole(places),
        "The timeline says the same": _timeline(),
        "The inputs are in order": _inputs(native),
        "The parts of the model in use have what they need": _parts(native),
    }
    if book.has_functions:
        sections |= {
            "The functions agree with each other": _functions(places),
            "The functions agree with the native lines": _twins(places),
        }
    for title, checks in sections.items():
        page.section(title)
        for check in checks:
            _write(page, check)
    last = page.row - 1
    book.name("checks", SHEET, f"$F${first}:$F${last}")
    page.put(page.row, LABEL, "Checks that do not hold", "total label")
    page.put(page.row, UNIT, "checks", "unit")
    page.put(page.row, VALUE, '=COUNTIF(checks,"no")', "total", "checks")
    book.name(FAILING, SHEET, f"$C${page.row}")
    page.row += 1
    page.put(3, LABEL, f'=IF(C{page.row - 1}=0,"{ALL_HOLD}","Look at the sheet Checks")', "status")
    book.name(MASTER_CHECK, SHEET, "$A$3")
    page.finish()


def _whole(places: Places) -> Iterator[Check]:
    """Say that what the model takes apart is complete."""
    start = places[f"{next(iter(COMPONENTS))}_usd"][0]
    column, stop = start[0], int(places["productive_usd"][1][1:]) - 1
    yield Check(
        "Components add up to the total",
        "USD",
        f"=SUM({CALC}!{start}:{column}{stop})+waste_usd",
        "=total_usd",
    )
    yield Check(
        "Waste is its share, of a sum paid once there is none",
        "USD",
        "=waste_usd+software_fixed_usd*(1-goodput)",
        "=total_usd*(1-goodput)",
    )
    yield Check(
        "Productive time is goodput of wall time",
        "hours",
        "=productive_hours",
        "=wall_hours*goodput",
    )
    yield Check(
        "Accelerator-hours times their cost are the total",
        "USD",
        "=accelerator_hours*usd_per_accelerator_hour",
        "=total_usd",
    )
    yield Check(
        "HFU is MFU and the recomputed part",
        "share",
        "=achieved_hfu",
        "=achieved_mfu*(1+recompute_share)",
    )
    shares = places["compute_step_share"][0], places["storage_step_share"][0]
    yield Check(
        "The parts of a step add up, 0 if not in use",
        "share",
        f"=SUM({CALC}!{':'.join(shares)})",
        "=use_step",
    )
    yield _true("The total is a number", "ISNUMBER(total_usd)")


def _timeline() -> Iterator[Check]:
    """Say that the months add up; a run that is too long for a timeline has none."""
    yield _true(
        "The timeline is long enough: else build again", "timeline_months<=COUNT(timeline_axis)"
    )
    yield Check(
        "What the months charge the run is the total",
        "=money_unit",
        "=timeline_charged",
        "=timeline_fits*total_usd/money",
    )
    yield Check(
        "CapEx is depreciated, or fetched by a sale",
        "=money_unit",
        "=timeline_depreciation+timeline_proceeds",
        "=timeline_capex",
    )
    yield Check(
        "Present values add up, by the month and by what is paid",
        "=money_unit",
        "=timeline_npv+timeline_proceeds_worth",
        "=timeline_capex_worth+timeline_opex_worth",
    )


def _inputs(native: dict[str, str]) -> Iterator[Check]:
    """Say that the inputs are allowed, each and together."""
    yield _true("Every input is in its range", f'COUNTIF({IN_RANGE},"no")=0')
    for names in ALTERNATIVES:
        numbers = ",".join(name for name in names if FIELDS[name].is_number)
        texts = "".join(f'+({name}<>"")' for name in names if not FIELDS[name].is_number)
        listed = Name(", ".join(names))
        label = Phrase("One of {fields} is given", fields=listed)
        yield Check(label, "inputs", f"=COUNT({numbers}){texts}", 1)
    yield _true(
        "Network and storage leave a share for the servers",
        "N(network_share)+N(storage_share)<1",
    )
    yield _true("HFU is at most the peak", "achieved_hfu<=1+tolerance")
    highest = native["highest_peak"]
    yield _true(
        "The peak is a dense one",
        f"OR({highest}=0,peak_tflops<={highest}*(1+peak_tolerance))",
    )
    for field in ("accelerator", "region"):
        key = f"=INDEX({field}_keys,MATCH({field},{field}_keys,0))"
        label = Phrase("{field} is one of the catalogue", field=FIELDS[field].label)
        yield Check(label, "text", key, f"={field}", text=True)
    methods = "+".join(native[name] for name in METHODS)
    yield Check("Depreciation is by one method", "methods", f"={methods}", 1)
    for name, words in (("precision", ("bf16", "fp16", "fp8")), ("procurement", ("own", "rent"))):
        any_of = ",".join(f'{name}="{word}"' for word in words)
        yield _true(Phrase("{field} is a known word", field=FIELDS[name].label), f"OR({any_of})")
    for size in ("hidden_size", "sequence_length"):
        label = Phrase("layers and {size} are given together", size=Name(size))
        yield _true(label, f"(N(layers)>0)=(N({size})>0)")
    yield _true("All parameters are no fewer", f"{native['all_parameters']}>=parameters")
    yield _true(
        "Another currency has a rate and its date",
        'OR(currency="USD",N(currency_per_usd)*(currency_date<>""))',
    )
    yield _true("A dollar is a dollar", 'OR(currency<>"USD",currency_per_usd=1)')


def _parts(native: dict[str, str]) -> Iterator[Check]:
    """Say that the model's parts in use have room, and refuse what `xl_tco.model` refuses."""
    yield _true("Failures leave time to make progress", "goodput>0")
    yield _true("Training fits into memory", "N(memory_needed_gb)<=N(memory_gb)*(1+tolerance)")
    room = "+".join(f"N({native[name]})" for name in ("fat_tree_room", "dragonfly_room"))
    yield _true("The network has room", f"N({native['endpoints']})<={room}")
    age = f"use_own*{native['has_life']}*{native['end_age']}"
    yield _true(
        "The run ends within the hardware's life", f"{age}<=depreciation_years*(1+tolerance)"
    )
    data = f"N({native['data_parallel']})"
    yield _true("Parallel degrees divide the accelerators", f"{data}=INT({data})")
    yield _true("A replica gets a micro-batch", f"OR(use_step=0,{native['micro_batches']}>=1)")
    chunks = f"N(pipeline_chunks)<={native['stage_layers']}"
    yield _true("A chunk of a stage has a layer", f"OR(use_step=0,{chunks})")
    split = "N(heads)/MAX(N(tensor_parallel),1)"
    yield Check("Heads are split evenly", "heads", f"=use_step*{split}", f"=INT(use_step*{split})")
    yield _true(
        "Experts and active_experts are given together", "COUNT(experts)=COUNT(active_experts)"
    )
    yield _true("Some experts are idle", 'OR(experts="",N(active_experts)<experts)')
    idle = native["idle_parameters"]
    yield _true("Idle parameters are of experts", f"OR(N({idle})=0,ISNUMBER(experts))")
    experts = f"N({native['expert_parameters']})"
    yield _true(
        "The experts have no more than all parameters",
        f"{experts}<={native['all_parameters']}*(1+tolerance)",
    )
    yield _true("No more accelerators than experts", "N(expert_parallel)<=MAX(N(experts),1)")


def _functions(places: Places) -> Iterator[Check]:
    """Say that functions which say the same in several ways say the same."""
    spilled = places["breakdown"][0]
    yield Check(
        "TCO_BREAKDOWN adds up to TCO_TOTAL", "USD", f"=SUM({CALC}!{spilled})", "=total_usd"
    )
    bill, demand = (f"{CALC}!{places[name][0]}" for name in ("electricity_usd", "demand_usd"))
    yield Check(
        "TCO_POWER_COST and demand are power and cooling",
        "USD",
        f"={bill}+{demand}*pue",
        "=power_usd+cooling_usd",
    )
    yield _true("The ranges can be simulated", f"OR(COUNTA(ranges)=0,ISNUMBER({MEDIAN}))")
    said = "".join(f'-COUNTIF({EXAMPLES},"{word}")' for word in (NOT_USED, UNKNOWN))
    # One of them is no number: TCO_VERSION.
    yield Check(
        "Every example gives a value",
        "examples",
        f"=COUNT({EXAMPLES})",
        f"=COUNTA({EXAMPLES}){said}-1",
    )


def _twins(places: Places) -> Iterator[Check]:
    """Say that each function gives what the native line beside it gives."""
    for lines in LINES.values():
        for line in lines:
            if line.function:
                value, native = (f"={CALC}!{place}" for place in places[line.name])
                label = Phrase("{line}: function and native", line=line.label)
                yield Check(label, line.unit, value, native)


def _true(label: str | Phrase, condition: str) -> Check:
    return Check(label, "yes | no", f'=IF({condition},"yes","no")', "yes", text=True)


def _write(page: Page, check: Check) -> None:
    """Write one check; of two figures that are both text ("unknown") as well, it holds.

    Behind COM a failed function shows its message as text: beside a number that does not hold.
    """
    row = page.row
    page.put(row, LABEL, check.label, "label")
    page.put(row, UNIT, check.unit, "unit")
    page.put(row, VALUE, check.value, "link", check.unit)
    is_link = str(check.equal).startswith("=") or check.text
    page.put(row, EQUAL, check.equal, "link" if is_link else "formula", check.unit)
    if check.text:
        page.word(row, EQUAL, str(check.equal), "link")
        page.word(row, TOLERANCE, "exact", "formula")
        same = f"IFERROR(EXACT(C{row},D{row}),FALSE)"
    else:
        page.put(row, TOLERANCE, "=tolerance", "link").number_format = "0E+00"
        same = f"IFERROR(ABS(C{row}-D{row})<=E{row}*D{row},ISTEXT(C{row})*ISTEXT(D{row}))"
    page.put(row, HOLDS, f'=IF({same},"yes","no")', "formula")
    page.row += 1
