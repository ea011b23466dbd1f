"""Random scenarios: complete tables of valid figures, each drawn from its own plausible range.

They know the catalogue only to find out which figures nobody has published, and so must be given.
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st

from xl_tco.catalogue import accelerator_keys, find

PRECISIONS = ("bf16", "fp16", "fp8")
CATALOGUE_FIELDS = (
    "accelerator_price_usd",
    "host_price_usd_per_accelerator",
    "tdp_watts",
    "host_watts_per_accelerator",
    "rental_usd_per_accelerator_hour",
)
NEEDED = {
    "own": CATALOGUE_FIELDS[:4],
    "rent": ("rental_usd_per_accelerator_hour", "storage_usd_per_hour"),
}


def number(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats of a range, as people write them: nine digits, and no dust next to zero or one.

    A difference such as 1 − 0.9999999999999999 leaves no digits to compare; LibreOffice shows 0.
    """
    floats = st.floats(low, high, allow_nan=False, allow_infinity=False)
    return floats.map(lambda value: 0.0 if low == 0 and value < 1e-9 else float(f"{value:.9g}"))


SIZES = {
    "layers": st.integers(1, 200).map(float),
    "hidden_size": st.integers(64, 50_000).map(float),
    "sequence_length": st.integers(128, 1_000_000).map(float),
}
ALWAYS = {
    "parameters": number(1e6, 1e13),
    "tokens": number(1e6, 1e15),
    "accelerators": st.integers(1, 1_000_000).map(float),
    "staff_fte": number(0, 5000),
}
OPTIONAL = {
    "recompute_share": number(0, 1),
    "experiment_multiplier": number(1, 100),
    "communication_share": number(0, 0.9),
    "waste_share": number(0, 0.95),
    "accelerator_price_usd": number(0, 1e6),
    "host_price_usd_per_accelerator": number(0, 1e5),
    "network_share": number(0, 0.45),
    "storage_share": number(0, 0.45),
    "residual_share": number(0, 1),
    "depreciation_years": number(0.5, 30),
    "utilization": number(0.01, 1),
    "facility_usd_per_kw": number(0, 1e5),
    "facility_life_years": number(0.5, 50),
    "facility_om_usd_per_kw_year": number(0, 1e4),
    "tdp_watts": number(1, 5000),
    "power_draw_share": number(0, 1),
    "host_watts_per_accelerator": number(0, 5000),
    "pue": number(1, 3),
    "electricity_usd_per_kwh": number(0, 2),
    "staff_usd_per_fte_year": number(0, 5e6),
    "software_usd_per_accelerator_year": number(0, 1e5),
    "storage_usd_per_hour": number(0, 1e5),
    "rental_usd_per_accelerator_hour": number(0, 100),
    "reservation_discount": number(0, 1),
}


@st.composite
def tables(
    draw: st.DrawFn,
    procurement: str | None = None,
    accelerator: str | None = None,
    **fixed: Any,
) -> dict[str, Any]:
    """Draw what someone might give for one scenario, and that is in order.

    Figures that the catalogue has may be left out; those that it has not are there. ``fixed``
    figures are as said; None leaves one out.
    """
    pay = procurement or draw(st.sampled_from(["own", "rent"]))
    key = accelerator or draw(st.sampled_from([*accelerator_keys(), "custom"]))
    given: dict[str, Any] = {name: draw(strategy) for name, strategy in ALWAYS.items()}
    given |= {"procurement": pay, "accelerator": key}
    peaks = {
        precision: figure.value
        for precision in PRECISIONS
        if (figure := find(key, f"peak_tflops_{precision}")) and figure.value is not None
    }
    precision = draw(st.sampled_from(sorted(peaks or PRECISIONS)))
    if precision != "bf16" or draw(st.booleans()):
        given["precision"] = precision
    if precision not in peaks or draw(st.booleans()):
        given["peak_tflops"] = draw(number(1.0, float(peaks.get(precision, 5000.0))))
    rate = draw(st.sampled_from(["mfu", "hfu"]))
    given[rate] = draw(number(0.01, 1 if rate == "hfu" else 0.5))  # an HFU of at most 1
    if draw(st.booleans()):
        given |= {name: draw(strategy) for name, strategy in SIZES.items()}
    chosen = draw(st.sets(st.sampled_from(sorted(OPTIONAL))))
    unknown = {name for name in CATALOGUE_FIELDS if not _known(key, name)}
    chosen |= {
        name
        for name in NEEDED[pay]
        if name in unknown or name == "storage_usd_per_hour"  # nobody's default when rented
    }
    given |= {name: draw(OPTIONAL[name]) for name in sorted(chosen)}
    return {name: value for name, value in (given | fixed).items() if value is not None}


def _known(key: str, field: str) -> bool:
    figure = find(key, field)
    return figure is not None and figure.value is not None


def as_range(table: Mapping[str, Any]) -> list[list[Any]]:
    """Lay a table out as a range of cells: field, value."""
    return [[name, value] for name, value in table.items()]


def drawn(count: int, at: int) -> list[dict[str, Any]]:
    """Draw a number of scenarios once, for tests in which each is dear; ``at`` is the seed."""
    found: list[dict[str, Any]] = []

    @seed(at)
    @settings(max_examples=count, phases=[Phase.generate], database=None, deadline=None)
    @given(tables())
    def collect(table: dict[str, Any]) -> None:
        found.append(table)

    collect()
    return found
