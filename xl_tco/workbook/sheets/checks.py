"""The sheet Checks: what must hold, and one master check of all of it, shown on every sheet."""

from __future__ import annotations

from openpyxl.workbook import Workbook

from xl_tco.outputs import COMPONENTS
from xl_tco.workbook.sheets.calc import SHEET as CALC
from xl_tco.workbook.sheets.calc import Formulas, Places
from xl_tco.workbook.sheets.inputs import IN_RANGE
from xl_tco.workbook.sheets.lines import LINES
from xl_tco.workbook.sheets.page import ALL_HOLD, MASTER_CHECK, Column, Page, name_cell

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


def add_checks(workbook: Workbook, places: Places, formulas: Formulas) -> None:
    """Write the sheet; name the cells that hold, and the master check."""
    page = Page(
        workbook, SHEET, "Every check must hold; the master check is on every sheet.", COLUMNS
    )
    first = page.row
    page.section("The parts make up the whole")
    parts = [f"{name}_usd" for name in COMPONENTS]
    start, end = places[parts[0]][0], places["productive_usd"][1]
    column, stop = start[0], int(end[1:]) - 1
    _equal(
        page,
        "Components add up to the total",
        "USD",
        f"=SUM({CALC}!{start}:{column}{stop})+waste_usd",
        "=total_usd",
    )
    _equal(page, "Waste is its share of the total", "USD", "=waste_usd", "=total_usd*waste_share")
    _equal(
        page,
        "Productive time is goodput of wall time",
        "hours",
        "=productive_hours",
        "=wall_hours*goodput",
    )
    _equal(
        page,
        "Accelerator-hours times their cost are the total",
        "USD",
        "=accelerator_hours*usd_per_accelerator_hour",
        "=total_usd",
    )
    _equal(
        page,
        "HFU is MFU and the recomputed part",
        "share",
        "=achieved_hfu",
        "=achieved_mfu*(1+recompute_share)",
    )
    _true(page, "The total is a number", "ISNUMBER(total_usd)")
    _equal(page, "Exactly one of mfu and hfu is given", "inputs", "=COUNT(mfu,hfu)", 1)
    _true(page, "Every input is in its range", f'COUNTIF({IN_RANGE},"no")=0')
    _true(
        page,
        "Network and storage leave a share for the servers",
        "network_share+storage_share<1",
    )
    _true(page, "HFU is at most the peak", "achieved_hfu<=1+tolerance")
    highest = f"{CALC}!{places['highest_peak'][1]}"
    allowed = f"OR({highest}=0,peak_tflops<={highest}*(1+peak_tolerance))"
    _true(page, "The peak is a dense one", allowed)
    _true(page, "Precision is bf16, fp16 or fp8", _one_of("precision", "bf16", "fp16", "fp8"))
    _true(page, "Procurement is own or rent", _one_of("procurement", "own", "rent"))
    key = "=INDEX(accelerator_keys,MATCH(accelerator,accelerator_keys,0))"
    _same_text(page, "The accelerator is one of the catalogue", key, "=accelerator")
    for size in ("hidden_size", "sequence_length"):
        both = f"(N(layers)>0)=(N({size})>0)"
        _true(page, f"Layers and {size} are given together", both)
    if formulas == "functions":
        _functions(page, places)
    last = page.row - 1
    name_cell(workbook, "checks", SHEET, f"$F${first}:$F${last}")
    page.put(page.row, LABEL, "Checks that do not hold", "total label")
    page.put(page.row, UNIT, "checks", "unit")
    page.put(page.row, VALUE, '=COUNTIF(checks,"no")', "total", "checks")
    name_cell(workbook, FAILING, SHEET, f"$C${page.row}")
    page.row += 1
    page.put(3, LABEL, f'=IF(C{page.row - 1}=0,"{ALL_HOLD}","Look at the sheet Checks")', "status")
    name_cell(workbook, MASTER_CHECK, SHEET, "$A$3")
    page.finish()


def _functions(page: Page, places: Places) -> None:
    """Check the functions against the native lines, and among each other."""
    page.section("The functions agree with each other")
    spilled = places["breakdown"][0]
    _equal(
        page, "TCO_BREAKDOWN adds up to TCO_TOTAL", "USD", f"=SUM({CALC}!{spilled})", "=total_usd"
    )
    bill = f"={CALC}!{places['power_and_cooling_usd'][0]}"
    _equal(page, "TCO_POWER_COST is power and cooling", "USD", bill, "=power_usd+cooling_usd")
    page.section("The functions agree with the native lines")
    for lines in LINES.values():
        for line in lines:
            if line.function:
                value, native = places[line.name]
                _equal(
                    page,
                    f"{line.label}: function and native",
                    line.unit,
                    f"={CALC}!{value}",
                    f"={CALC}!{native}",
                )


def _equal(page: Page, label: str, unit: str, value: str, equal: str | int) -> None:
    """Check that two figures agree; two that are both text ("unknown") do so too.

    Behind COM a failed function shows its message as text: beside a number that does not hold.
    """
    row = page.row
    _label(page, label, unit)
    page.put(row, VALUE, value, "link", unit)
    page.put(row, EQUAL, equal, "link" if isinstance(equal, str) else "formula", unit)
    page.put(row, TOLERANCE, "=tolerance", "link").number_format = "0E+00"
    same = f"IFERROR(ABS(C{row}-D{row})<=E{row}*ABS(D{row}),ISTEXT(C{row})*ISTEXT(D{row}))"
    page.put(
        row,
        HOLDS,
        f'=IF({same},"yes","no")',
        "formula",
    )
    page.row += 1


def _true(page: Page, label: str, condition: str) -> None:
    row = page.row
    _label(page, label, "yes | no")
    page.put(row, VALUE, f'=IF({condition},"yes","no")', "link")
    page.put(row, EQUAL, "yes", "link")
    page.put(row, TOLERANCE, None, "link")
    page.put(row, HOLDS, f'=IF(IFERROR(EXACT(C{row},D{row}),FALSE),"yes","no")', "formula")
    page.row += 1


def _one_of(name: str, *words: str) -> str:
    return "OR(" + ",".join(f'{name}="{word}"' for word in words) + ")"


def _same_text(page: Page, label: str, value: str, equal: str) -> None:
    """Check that two texts are the same to the letter."""
    row = page.row
    _label(page, label, "text")
    page.put(row, VALUE, value, "link")
    page.put(row, EQUAL, equal, "link")
    page.put(row, TOLERANCE, "=tolerance", "link").number_format = "0E+00"
    page.put(row, HOLDS, f'=IF(IFERROR(EXACT(C{row},D{row}),FALSE),"yes","no")', "formula")
    page.row += 1


def _label(page: Page, label: str, unit: str) -> None:
    page.put(page.row, LABEL, label, "label")
    page.put(page.row, UNIT, unit, "unit")
