"""How the command line lays things out: aligned text, on a terminal with rules and colours.

Nothing is computed here.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    Parts: TypeAlias = Iterator[RenderableType]

__all__ = ["clean", "grid", "is_terminal", "measure", "note", "number", "short", "show"]


def number(value: float | str | None) -> str:
    """Show a figure as it was entered, thousands apart."""
    return "unknown" if value is None else value if isinstance(value, str) else f"{value:,.10g}"


def measure(value: float | None, unit: str) -> str:
    """Show a computed figure to the digits that a reader can use."""
    if value is None:
        return "unknown"
    if unit.startswith("share"):
        return f"{value:.1%}"
    if abs(value) >= 1e15:
        return f"{value:.3e}".replace("e+", "e")
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def short(value: float) -> str:
    """Show a count as people say it: 405B, 15.6T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if value >= size:
            return f"{value / size:,.4g}{letter}"
    return number(value)


def clean(text: str) -> str:
    """Return a text of the user's without line breaks and control codes."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def note(text: str, style: str = "dim", head: str = "") -> RenderableType:
    """Write a sentence, with something in bold before it."""
    from rich.text import Text

    return Text.assemble((head, "bold"), (text, style))


def grid(*headings: str, footers: Sequence[str] = ()) -> Table:
    """Start a table; a heading with ">" before it stands over numbers."""
    from rich.box import SIMPLE
    from rich.table import Table

    box, gap = (SIMPLE, 1) if is_terminal() else (None, 2)  # the box adds a space of its own
    table = Table(box=box, pad_edge=False, padding=(0, gap, 0, 0))
    table.header_style = table.footer_style = "bold"
    table.show_footer = bool(footers)
    for heading, footer in zip_longest(headings, footers, fillvalue=""):
        side: Literal["left", "right"] = "right" if heading.startswith(">") else "left"
        table.add_column(heading.removeprefix(">"), footer, justify=side, overflow="fold")
    return table


def show(*parts: RenderableType) -> None:
    """Print to stdout: with rules and colours on a terminal, else as plain aligned text."""
    from rich.console import Console

    terminal, text = is_terminal(), io.StringIO()
    plain = Console(file=text, width=10_000, color_system=None, force_terminal=False)
    for part in parts:
        (Console() if terminal else plain).print(part, markup=False, highlight=False)
        plain.line()
    if not terminal:
        print("\n".join(line.rstrip() for line in text.getvalue().rstrip().splitlines()))


def is_terminal() -> bool:
    """Whether a person looks at stdout, not a file or a program."""
    return sys.stdout is not None and sys.stdout.isatty()
