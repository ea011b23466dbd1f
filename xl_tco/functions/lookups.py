"""Figures of the catalogue by key and field: accelerators, regions, published runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

from xl_tco import catalogue
from xl_tco.catalogue import Figure
from xl_tco.errors import Fault, InputError, unknown_word

__all__ = ["dense_peak", "memory", "of_accelerator", "of_region", "of_run"]


def of_accelerator(accelerator: Any, field: Any) -> Any:
    """Return a figure of an accelerator, or of each of a range of keys and fields."""
    return _each(_accelerator, accelerator, field)


def of_region(region: Any, field: Any) -> Any:
    """Return a figure of a region, or of each of a range of keys and fields."""
    return _each(_region, region, field)


def of_run(run: Any, field: Any) -> Any:
    """Return a figure of a published run, or of each of a range of keys and fields."""
    return _each(_run, run, field)


def dense_peak(word: str) -> float:
    """Return the dense bf16 peak of a catalogue key, for a peak given as a key."""
    return float(_accelerator(word, "peak_tflops_bf16"))


def memory(word: str) -> float:
    """Return the memory of a catalogue key in GB, for a memory given as a key."""
    return float(_accelerator(word, "memory_gb"))


def _accelerator(key: str, field: str) -> Any:
    keys = catalogue.accelerator_keys()
    return _figure(catalogue.specifications, keys, key, field, "accelerator")


def _region(key: str, field: str) -> Any:
    return _figure(catalogue.specifications, catalogue.region_keys(), key, field, "region")


def _run(key: str, field: str) -> Any:
    runs = _runs()
    return _figure(runs.__getitem__, tuple(runs), key, field, "run")


@cache
def _runs() -> Mapping[str, Mapping[str, Figure]]:
    """Figures of the published runs, run by run."""
    table: dict[str, dict[str, Figure]] = {}
    for (run, field), figure in catalogue.runs().items():
        table.setdefault(run, {})[field] = figure
    return table


def _figure(
    figures_of: Callable[[str], Mapping[str, Figure]],
    keys: tuple[str, ...],
    key: str,
    field: str,
    what: str,
) -> Any:
    """Return a figure of the catalogue."""
    if key not in keys:
        raise InputError([unknown_word(key, keys, what, f"{what} of the catalogue")])
    figures = figures_of(key)
    if field not in figures:
        raise InputError([unknown_word(field, tuple(figures), "field", "figure of the catalogue")])
    entry = figures[field]
    if entry.value is None:
        problem = f"{field} of {key} is unknown ({entry.source})"
        raise InputError([Fault("unknown figure", field, problem, "supply a figure of your own")])
    return entry.value


def _each(figure: Callable[[str, str], Any], key: Any, field: Any) -> Any:
    """Return the figure of a key and a field, or of each of a range of either."""
    if not isinstance(key, np.ndarray) and not isinstance(field, np.ndarray):
        return figure(key, field)
    keys, fields = np.broadcast_arrays(
        np.asarray(key, dtype=object), np.asarray(field, dtype=object)
    )
    found = [figure(*pair) for pair in zip(keys.flat, fields.flat, strict=True)]
    return np.array(found, dtype=object).reshape(keys.shape)
