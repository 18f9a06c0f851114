"""The Spark engine: the same function on the same rows, wherever Spark has workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from provend._errors import InputError
from provend._files import OutputError, replacing
from provend.planning._decide import complete_items, decide
from provend.planning._embedded import Progress
from provend.planning._request import Opened
from provend.planning._schema import ITEM, ROW, TARGET, WHEN, Job, decided_schema
from provend.planning._split import count_targets, files_of, parts_of, split_rows
from provend.planning._state import State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PART = "part"
WAVE = 64  # parts per job: what is lost if the driver is killed
TYPES = {pa.string(): "string", pa.float64(): "double", pa.int64(): "bigint", pa.timestamp("us"): "timestamp_ntz"}


def spark_engine(master: str | None) -> Callable[[Opened, State, Progress], list[Path]]:
    """An engine that sends parts to a Spark master; every worker needs this package and access to the same files."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise InputError("--engine spark needs the package pyspark; run: pip install provend[spark]") from None
    if master is None:
        raise InputError("--engine spark needs --master, such as spark://HOST:7077 or local[2]")
    builder = SparkSession.builder.appName("provend plan").master(master).config("spark.ui.enabled", "false")
    return partial(_decide_all, builder)


def _decide_all(builder: SparkSession.Builder, opened: Opened, state: State, progress: Progress) -> list[Path]:
    """Split the rows as the embedded engine does; undecided parts go to Spark, a wave at a time."""
    split_rows(opened, state)
    sizes = {part: count_targets(state, part) for part in parts_of(state)}
    waiting = [part for part in sizes if not state.is_done(part)]
    done = sum(sizes[part] for part in sizes if part not in waiting)
    spark = builder.getOrCreate()
    try:
        for wave in _waves(waiting):
            _decide_wave(spark, wave, state, opened.job)
            done += sum(sizes[part] for part in wave)
            progress(done, sum(sizes.values()))
    except Exception as error:
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        raise OutputError(f"Spark: {' '.join(str(error).split())[:200]}") from None
    finally:
        spark.stop()
    return [state.done(part) for part in sizes]


def _waves(parts: list[int]) -> Iterator[list[int]]:
    rest = iter(parts)
    while wave := list(islice(rest, WAVE)):
        yield wave


def _decide_wave(spark: SparkSession, wave: list[int], state: State, job: Job) -> None:
    """Run one job; its results become files of the state, part by part, each whole or not at all."""
    made = state.folder / "spark-unfinished"
    schema = pq.read_schema(files_of(state, wave[0])[0])
    wanted = decided_schema(schema)
    folders = [str((state.rows / f"{PART}={part}").resolve()) for part in wave]
    rows = spark.read.option("basePath", str(state.rows.resolve())).parquet(*folders)
    decided = _decided(rows, len(wave), schema, job)
    decided.write.mode("overwrite").partitionBy(PART).parquet(str(made.resolve()))
    for part in wave:
        files = sorted((made / f"{PART}={part}").glob("*.parquet"))  # none if there was nothing to decide
        tables = [pq.read_table(file, partitioning=None).cast(wanted) for file in files]
        with replacing(state.done(part)) as file:
            pq.write_table(pa.concat_tables([wanted.empty_table(), *tables]), file)


def _decided(rows: DataFrame, partitions: int, schema: pa.Schema, job: Job) -> DataFrame:
    """Complete items, sorted as in every engine, passed through the one function."""
    together = rows.repartition(partitions, ITEM).sortWithinPartitions(ITEM, TARGET, WHEN, ROW)
    fields = [f"`{field.name}` {TYPES[field.type]}" for field in decided_schema(schema)]
    return together.mapInArrow(partial(_batches, schema=schema, job=job), ", ".join([*fields, f"`{PART}` int"]))


def _batches(batches: Iterator[pa.RecordBatch], schema: pa.Schema, job: Job) -> Iterator[pa.RecordBatch]:
    """What a worker runs: rows as they were written in, decisions with the part they belong to out."""
    for table in complete_items(batches):
        rows = table.select(schema.names).cast(schema)
        part = dict(zip(table[ITEM].to_pylist(), table[PART].to_pylist(), strict=True))
        decided = decide(rows, job)
        numbers = pa.array([part[name] for name in decided[ITEM].to_pylist()], pa.int32())
        yield from decided.append_column(PART, numbers).to_batches()
