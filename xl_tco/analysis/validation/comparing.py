"""The model against every published run that can be compared: FLOPs, hours, energy, cost, sizes.

Each comparison says what the model's figure was computed from and what came of it:

- ``test``: two figures that were come by apart from each other; its residual is the model's error,
  the run's, or a difference in what was counted, and ``why`` says which;
- ``circular``: one of the two was made of the other, so that their agreement shows nothing;
- ``left out``: something was not published, and what.

A residual is modelled over stated, less 1. None is tuned away: the hours are those of the reported
utilization without any waste, and the energy is that of the catalogue's own watts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from xl_tco import catalogue
from xl_tco.analysis.validation import sizes
from xl_tco.analysis.validation.comparisons import SCHEMA, Comparison, Summary, Validation
from xl_tco.catalogue import Figure
from xl_tco.core import capital, compute, power, time
from xl_tco.errors import InputError, unknown_word
from xl_tco.presets import implied_mfu, known, number, run_keys, word

__all__ = ["QUANTITIES", "SCHEMA", "Comparison", "Summary", "Validation", "validate"]

MEGAWATT_HOUR = 1000.0  # kWh


def validate(runs: Iterable[str] | None = None) -> Validation:
    """Compare the model with published training runs.

    Parameters
    ----------
    runs
        Keys of runs (`xl_tco.presets.run_keys`), or one; None, the default, is all of them.

    Raises
    ------
    InputError
        For a name that is no run's.

    Examples
    --------
    >>> row = validate(["llama-3.1-405b"]).find("llama-3.1-405b", "accelerator_hours")
    >>> row.verdict, round(row.residual, 3)
    ('test', -0.158)
    """
    chosen = [runs] if isinstance(runs, str) else runs
    names = run_keys() if chosen is None else tuple(dict.fromkeys(chosen))
    faults = [
        unknown_word(str(name), run_keys(), "runs", "published run")
        for name in names
        if name not in run_keys()
    ]
    if faults:
        raise InputError(faults)
    rows = (compare(run) for run in names for compare, _ in QUANTITIES.values())
    return Validation(tuple(row for row in rows if row is not None))


def _parameters(run: str) -> Comparison | None:
    """All parameters of a model whose sizes are published."""
    if not sizes.has_sizes(run):
        return None
    modelled = sizes.total_parameters(run)
    return _compared(run, "parameters", "parameters_total", modelled, "counted from the sizes")


def _active(run: str) -> Comparison | None:
    """Parameters that a token passes through, of a mixture of experts."""
    if not sizes.has_sizes(run) or known(run, "experts") is None:
        return None
    basis = "counted from the sizes, without the lookup table"
    return _compared(run, "active_parameters", "parameters", sizes.active_parameters(run), basis)


def _flops(run: str) -> Comparison:
    """FLOPs of a run by 6·N·D."""
    if known(run, "stated_flops") is None:
        return _left_out(run, "flops", "stated_flops", "FLOPs were not stated")
    flops, lacking = _model_flops(run)
    if flops is None:
        return _left_out(run, "flops", "stated_flops", lacking)
    share = _recompute_share(run)
    basis, used = "6·N·D", ["parameters", "tokens"]
    if word(run, "stated_flops_count") == "hardware" and share is not None:
        flops = float(compute.hardware_flops(flops, share))
        basis = f"6·N·D·(1 + {share:.3g}): hardware FLOPs, recomputation included"
        used.append("recomputation")
    return _compared(run, "flops", "stated_flops", flops, basis, used)


def _exact_flops(run: str) -> Comparison | None:
    """FLOPs of a token from the sizes, with attention as whoever stated them counted it."""
    counted = word(run, "counted_attention")
    if not sizes.has_sizes(run) or not counted:
        return None
    length = number(run, "counted_sequence_length") or number(run, "sequence_length") or 0.0
    length = 0.0 if counted == "none" else length
    modelled = sizes.flops_per_token(run, length, float(counted == "causal"))
    attention = f"{counted} attention over {length:,.0f} tokens" if length else "no attention"
    basis = f"counted from the sizes, {attention}"
    stated, tokens = number(run, "stated_flops_per_token"), number(run, "tokens")
    if stated is None:
        modelled *= tokens or 0.0
        return _compared(run, "exact_flops", "stated_flops", modelled, basis, ["tokens"])
    return _compared(run, "exact_flops", "stated_flops_per_token", modelled, basis)


def _hours(run: str) -> Comparison:
    """Accelerator-hours from the reported utilization, without any waste."""
    quantity, row = "accelerator_hours", "accelerator_hours"
    if known(run, row) is None:
        return _left_out(run, quantity, row, "accelerator-hours were not published")
    flops, lacking = _model_flops(run)
    used = ["peak_tflops", "parameters", "tokens"]
    if flops is None:
        flops, used = number(run, "stated_flops"), ["peak_tflops", "stated_flops"]
    peak = number(run, "peak_tflops")
    if flops is None or peak is None:
        return _left_out(run, quantity, row, lacking)
    mfu, hfu = number(run, "reported_mfu"), number(run, "reported_hfu")
    share = _recompute_share(run)
    if mfu is not None:
        basis, used = f"reported MFU {mfu:.3g}, no waste", [*used, "reported_mfu"]
    elif hfu is not None and share is not None:
        mfu = float(compute.mfu_from_hfu(hfu, share))
        basis = f"reported HFU {hfu:.3g}, recomputation {share:.3g}, no waste"
        used = [*used, "reported_hfu", "recomputation"]
    elif hfu is not None:
        return _left_out(run, quantity, row, word(run, "note_hours"))
    else:
        mfu = implied_mfu(run) or flops / ((number(run, row) or 0.0) * 3600.0 * peak * 1e12)
        why = "no utilization was reported: the MFU is the one that these hours imply"
        hours = float(time.productive_hours(flops, 1.0, peak, mfu))
        return _compared(run, quantity, row, hours, f"implied MFU {mfu:.3g}", used, why)
    hours = float(time.productive_hours(flops, 1.0, peak, mfu))
    return _compared(run, quantity, row, hours, basis, used)


def _energy(run: str) -> Comparison:
    """Energy of the stated hours by the catalogue's watts, host included, and the stated PUE."""
    quantity, row = "energy_mwh", "stated_energy_mwh"
    hours = number(run, "accelerator_hours")
    if known(run, row) is None:
        return _left_out(run, quantity, row, "energy was not published")
    if hours is None:
        why = "accelerator-hours were not published"
        return _left_out(run, quantity, row, f"{why}. {word(run, 'note_energy')}".strip())
    accelerator = word(run, "accelerator")
    draw = {
        "tdp_watts": catalogue.find(accelerator, "tdp_watts"),
        "host_watts_per_accelerator": catalogue.find(accelerator, "host_watts_per_accelerator"),
        "power_draw_share": catalogue.find("default", "power_draw_share"),
        "host_draw_share": catalogue.find("default", "host_draw_share"),
    }
    tdp, host, share, host_share = (_value(figure) for figure in draw.values())
    watts = float(power.accelerator_watts(tdp, host, share, host_share))
    stated_pue = number(run, "stated_pue")
    facility = f"the stated PUE {stated_pue:g}" if stated_pue else "no PUE, as none is stated"
    basis = f"stated hours, {tdp:g} W × {share:g} and host {host:g} W × {host_share:g}, {facility}"
    energy = _megawatt_hours(hours, watts, stated_pue or 1.0)
    used = [name for name, figure in draw.items() if figure and figure.status == "estimate"]
    rows = ["accelerator_hours", "stated_pue"]
    return _compared(run, quantity, row, energy, basis, rows, estimates=used)


def _energy_as_counted(run: str) -> Comparison | None:
    """Energy by the watts and the PUE that the paper says it multiplied."""
    hours, watts = number(run, "accelerator_hours"), number(run, "energy_watts")
    if hours is None or watts is None:
        return None
    pue = number(run, "energy_pue") or 1.0
    basis = f"stated hours, {watts:g} W and PUE {pue:g}, as its authors count"
    why = "it multiplies their own factors again"
    energy = _megawatt_hours(hours, watts, pue)
    rows = ["accelerator_hours", "energy_watts", "energy_pue"]
    return _compared(run, "energy_as_counted", "stated_energy_mwh", energy, basis, rows, why)


def _cost(run: str) -> Comparison:
    """Cost of the stated hours at the rent of the time."""
    quantity, row = "cost_usd", "stated_cost_usd"
    hours, price = number(run, "accelerator_hours"), number(run, "rental_usd_per_accelerator_hour")
    if known(run, row) is None:
        return _left_out(run, quantity, row, "no cost was published")
    if hours is None or price is None:
        return _left_out(run, quantity, row, "accelerator-hours were not published")
    basis = f"stated hours at {price:g} USD"
    cost = float(capital.rental_usd(1.0, hours, price))
    rows = ["accelerator_hours", "rental_usd_per_accelerator_hour"]
    return _compared(run, quantity, row, cost, basis, rows)


QUANTITIES: Mapping[str, tuple[Callable[[str], Comparison | None], str]] = MappingProxyType(
    {
        "parameters": (_parameters, "parameters"),
        "active_parameters": (_active, "parameters"),
        "flops": (_flops, "FLOP"),
        "exact_flops": (_exact_flops, "FLOP, of the run or of a token"),
        "accelerator_hours": (_hours, "accelerator-hours"),
        "energy_mwh": (_energy, "MWh"),
        "energy_as_counted": (_energy_as_counted, "MWh"),
        "cost_usd": (_cost, "USD"),
    }
)
"""What is compared: how, and in which unit."""

_NOTES = {"accelerator_hours": "hours", "energy_mwh": "energy", "cost_usd": "cost"}


def _compared(
    run: str,
    quantity: str,
    row: str,
    modelled: float,
    basis: str,
    rows: Iterable[str] = (),
    circular: str = "",
    estimates: Iterable[str] = (),
) -> Comparison:
    """Put a modelled figure beside the stated one; ``circular`` says why it is no test."""
    stated = catalogue.runs()[run, row]
    value = _value(stated)
    note = _NOTES.get(quantity, quantity)
    circular = circular or word(run, f"circular_{note}")
    figures = {name: known(run, name) for name in (row, *rows)}
    guessed = [name for name, figure in figures.items() if figure and figure.status == "estimate"]
    return Comparison(
        run,
        word(run, "label"),
        quantity,
        stated.unit,
        modelled,
        value,
        modelled / value - 1.0,
        basis,
        "circular" if circular else "test",
        circular or word(run, f"note_{note}"),
        stated.source,
        (*guessed, *estimates),
    )


def _left_out(run: str, quantity: str, row: str, why: str) -> Comparison:
    stated = known(run, row)
    return Comparison(
        run,
        word(run, "label"),
        quantity,
        QUANTITIES[quantity][1],
        None,
        None if stated is None else _value(stated),
        None,
        "",
        "left out",
        why,
        "" if stated is None else stated.source,
        (),
    )


def _model_flops(run: str) -> tuple[float | None, str]:
    """6·N·D of a run, or what was not published."""
    parameters, tokens = number(run, "parameters"), number(run, "tokens")
    if parameters is None or tokens is None:
        names = [name for name in ("parameters", "tokens") if number(run, name) is None]
        return None, f"{' and '.join(names)} were not published"
    return float(compute.model_flops(parameters, tokens)), ""


def _recompute_share(run: str) -> float | None:
    figure = catalogue.find(word(run, "recomputation"), "recompute_share")
    return None if figure is None else _value(figure)


def _megawatt_hours(hours: float, watts: float, pue: float) -> float:
    energy = power.it_energy_kwh(1.0, hours, watts)
    return float(power.facility_energy_kwh(energy, pue)) / MEGAWATT_HOUR


def _value(figure: Figure | None) -> float:
    return float(figure.value or 0.0) if figure else 0.0
