"""What a cluster and the runs on it cost, month by month."""

from xl_tco.analysis.cash.view import RUNNING, SCHEMA, CashRun, CashView, Currency, cash_view

__all__ = ["RUNNING", "SCHEMA", "CashRun", "CashView", "Currency", "cash_view"]
