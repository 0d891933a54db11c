"""Show me: one self-contained page that says what was found and how sure it is."""

from sidewise.report.page import write_report

__all__ = ["write_report"]
