"""Tables into files."""

from pathlib import Path

import pyarrow as pa


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table: CSV where the name ends in .csv, else Parquet."""
    if path.suffix == ".csv":
        from pyarrow.csv import write_csv

        write_csv(table, path)
    else:
        from pyarrow.parquet import write_table as write_parquet

        write_parquet(table, path)
