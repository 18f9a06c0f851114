"""Decide: orders for the days to come, ranked by what they can cost beyond the best ones at worst."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provend._errors import InputError
from provend.estimators import FOR_ALL
from provend.planning import (
    Choice,
    Explainer,
    Files,
    OwnRows,
    Request,
    Row,
    Summary,
    Supply,
    as_history,
    read_request,
    run,
    single_engine,
)
from provend.tables import Sales
from provend.web._ahead import ahead
from provend.web._child import Progress
from provend.web._plain import plain
from provend.web._reading import read, understood
from provend.web._said import decided
from provend.web._usual import Asked, usual_costs
from provend.web._wanted import Upload, Wanted

Answer = dict[str, Any]

MOST_ORDERS = 20_000
SHOWN = 2000  # most orders sent to a page; files have all of them
ESTIMATED = 140  # most orders whose usual cost is worked out at once: each takes as long as opening it
PLAN = "plan.parquet"
NOT_DECIDED = ("failed", "no data")  # on past days


def sales_of(upload: Upload) -> Sales:
    """The table as a plan takes it: rows without a demand stay, and are reported where their item is decided."""
    return read(upload, missing="keep" if upload.options.missing == "drop" else None)


def request_of(wanted: Wanted, sales: Sales) -> tuple[Request, pa.Table, pa.Table | None]:
    """As the command ``provend plan`` would have them: the request, past demand, and the rows to decide, if given."""
    names, table = as_history(sales)
    targets = None if wanted.targets is None else ahead(wanted.upload, wanted.targets, sales)
    shared = () if targets is None else {*targets.column_names}
    kinds = {name: kind for name, kind in wanted.upload.options.columns if name in shared}
    own = OwnRows(wanted.policy, wanted.dissimilarity, kinds or None)
    choice = Choice(wanted.model, own, wanted.new_items)
    supply = Supply().with_values(dict(wanted.supply))
    costs, ends = (wanted.cu, wanted.co), wanted.support
    request = read_request(costs, names, support=ends, horizon=wanted.horizon, choice=choice, supply=supply)
    return request, table, targets


def decide(wanted: Wanted, folder: Path, progress: Progress) -> Answer:
    """All orders; the plan itself stays in the folder."""
    progress(None, "reading the table")
    sales = sales_of(wanted.upload)
    request, table, targets = request_of(wanted, sales)
    count = sales.report.items * wanted.horizon if targets is None else targets.num_rows
    if count > MOST_ORDERS:
        raise InputError(
            f"{count:,} orders are more than the {MOST_ORDERS:,} a page can show; shorten the horizon, or use the "
            "command line (provend plan), which has no such limit"
        )
    progress(None, "looking at the items")
    aside = sales.report.set_aside.num_rows
    files = Files(
        wanted.upload.path,
        None if wanted.targets is None else wanted.targets.path,
        folder / PLAN,
        read=table,
        aside=aside,
        ahead=targets,
    )
    done = run(
        request,
        files,
        engine=single_engine,
        progress=lambda some, of: progress(some / max(of, 1), f"{some:,} of {of:,} orders"),
    )
    plan = pq.read_table(folder / PLAN)
    answer = _answer(wanted, sales, done, plan)
    progress(None, "estimating what ordinary days cost")
    _add_usual(answer, plan.to_pylist(), sales, Explainer(request, table, targets))
    found: Answer = plain(answer)
    return found


def _add_usual(answer: Answer, plan: list[Row], sales: Sales, explainer: Explainer) -> None:
    """Estimate what the first orders of an answer cost on ordinary days, each and together."""
    first = [one for one in answer["orders"] if one["status"] not in NOT_DECIDED][:ESTIMATED]
    costs = usual_costs(explainer, [_asked(plan[one["row"]], sales) for one in first])
    for order, cost in zip(first, costs, strict=True):
        order["usual"] = cost
    known = [cost for cost in costs if cost is not None]
    of_all = sum(row["status"] not in NOT_DECIDED for row in plan) <= ESTIMATED
    answer["totals"] |= {"usual": sum(known) if known else None, "usual_of": len(known), "usual_all": of_all}


def _asked(row: Row, sales: Sales) -> Asked:
    level: float = row.get("order_up_to", row["order"])  # type: ignore[assignment]
    return tuple(str(row[name]) for name in sales.ids), written_day(row[sales.report.names["ds"]]), level


def written_day(moment: object) -> str:
    """A date written as in the plan and in the rows it was made from."""
    return str(moment).removesuffix(" 00:00:00")


def _answer(wanted: Wanted, sales: Sales, done: Summary, plan: pa.Table) -> Answer:
    rows = plan.to_pylist()
    ids, date = sales.ids, sales.report.names["ds"]
    orders = [_order(place, row, ids, date, wanted) for place, row in enumerate(rows)]
    ranked = sorted(orders, key=lambda one: (one["guarantee"] is not None, -(one["guarantee"] or 0.0), one["row"]))
    return {
        "orders": ranked[:SHOWN],
        "totals": {
            "orders": len(rows),
            "shown": min(len(rows), SHOWN),
            "items": len({tuple(row[name] for name in ids) for row in rows}),
            "units": pc.sum(plan["order"]).as_py(),
            "guarantee": pc.sum(plan["guarantee"]).as_py(),
            "no_data": sum(_no_data(row) or 0.0 for row in rows),
            "without_guarantee": sum(row["guarantee"] is None for row in rows),
        },
        "in_parts": not wanted.says("pack", "minimum") and is_whole(sales.table["y"]),
        "support": wanted.support,
        "in_periods": wanted.says("lead_time", "review"),
        "cut_off": wanted.says("stock_seen"),
        "named": bool(ids),
        "messages": done.messages,
        "what": _what(wanted, sales, done),
        **decided(wanted, done.contexts, others=bool(done.left_out)),
    }


def is_whole(demand: pa.ChunkedArray) -> bool:
    """Whether demand comes in whole units; orders then need not."""
    known = demand.drop_null()
    return bool(len(known)) and bool(pc.all(pc.equal(known, pc.floor(known))).as_py())


def _order(place: int, row: dict[str, Any], ids: tuple[str, ...], date: str, wanted: Wanted) -> Answer:
    names = {"row": place, "item": " / ".join(str(row[name]) for name in ids) or wanted.upload.name, "date": row[date]}
    kept = ("order", "guarantee", "percent_of_no_data", "effective_n", "policy", "basis", "reason", "status", "message")
    facts = {name: row[name] for name in kept} | {"order_up_to": row.get("order_up_to", row["order"])}
    return names | facts | {"usual": None, "no_data": _no_data(row), "badge": _badge(row, wanted)}


def _no_data(row: dict[str, Any]) -> float | None:
    """The regret that the percentage refers to."""
    return 100 * row["guarantee"] / row["percent_of_no_data"] if row["percent_of_no_data"] else None


def _badge(row: dict[str, Any], wanted: Wanted) -> str:
    """What a guarantee rests on, in a word."""
    if row["status"] in NOT_DECIDED:
        return str(row["status"])
    if row["basis"].startswith(FOR_ALL):
        return "pooled"
    if not isinstance(wanted.dissimilarity, str):
        return "given"
    if wanted.says("stock_seen"):
        return "assumed"
    return "certified" if wanted.dissimilarity == "certified" else "estimated"


def _what(wanted: Wanted, sales: Sales, done: Summary) -> list[str]:
    said = understood(wanted.upload, sales)
    said.append("each item is decided on its own days" if done.model.startswith("own:") else done.model)
    if done.spacing is not None:
        said.append(f"dates to come: {done.spacing}")
    if done.contexts:
        said.append(f"contexts that count beside the date: {', '.join(done.contexts)}")
    if done.left_out:
        said.append(f"not used, as not known for the days ahead: {', '.join(done.left_out)}")
    if wanted.support is None:
        said.append("no support was given: guarantees hold if demand stays in the range of the history")
    return said
