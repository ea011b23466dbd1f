"""Workbooks: built from scenarios, recalculated without Excel, checked by rule."""
