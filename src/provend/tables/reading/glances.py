"""A first look at a Parquet file too large to be read at once: enough to read other files like it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from provend._errors import InputError
from provend.tables.reading.roles import Roles
from provend.tables.reading.rules import Choices, is_text
from provend.tables.reading.sales import Sales, understand
from provend.tables.reading.source import Source

ROWS = 1000
GENTLE = Choices(negative="clip", duplicates="keep", missing="keep")


def has_texts(file: Path, roles: Roles) -> bool:
    """Whether demands or dates are text, which people write in many ways."""
    schema = pyarrow.parquet.read_schema(file)
    return any(is_text(schema.field(name).type) for name in (roles.demand, roles.date) if name is not None)


def glance(file: Path, roles: Roles) -> Sales | None:
    """The first rows as they are understood; ``None`` if they are not."""
    with pyarrow.parquet.ParquetFile(file) as given:
        first = next(given.iter_batches(ROWS), None)
        table = given.schema_arrow.empty_table() if first is None else pa.Table.from_batches([first])
    try:
        return understand(Source(table, np.arange(table.num_rows)), roles, GENTLE)
    except InputError:
        return None
