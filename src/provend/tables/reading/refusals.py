"""What is refused rather than read: rows the user does not want, and columns that are not what they should be."""

from __future__ import annotations

import re

from provend._errors import InputError
from provend.tables.reading import cleaning
from provend.tables.reading.moments import MIDNIGHT, ODD, is_midnight
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.roles import ASKED, Roles
from provend.tables.reading.rules import Rules

WITH_UNIT = re.compile(r"[-+]?\d[\d.,'’ ]*\s*[^\W\d_]+\.?|[-+]?\d[\d.,]*\s*%")


def refuse_clashes(roles: Roles) -> None:
    """Refuse a context that has the name of a role."""
    own = {"ds": roles.date, "y": roles.demand, "unique_id": ", ".join(roles.ids) or None}
    others = (*roles.contexts, *(roles.ids if len(roles.ids) > 1 else ()))
    for name, column in own.items():
        if name in others and column is not None:
            raise InputError(
                f"there is a column {name!r}, but {column!r} is to be used as {name}; rename one, or name the contexts"
            )


def refuse_rows(remarks: Remarks, rules: Rules, rows: int) -> None:
    """Refuse what the user does not want, and what happens in too many rows to be an accident."""
    found = list(zip(remarks.rows, remarks.columns, remarks.values, remarks.reasons, strict=True))
    unwanted = _unwanted(rules)
    for row, column, value, reason in found:
        if reason in unwanted:
            option, others = unwanted[reason]
            what = f"holds {value!r}, {reason}" if value else "is empty"
            remedy = f"correct it, or say {option} = {others} (of read_sales; --{option})"
            raise InputError(f"column {column!r} {what}, in row {row}; {remedy}")
    for reason in cleaning.UNREADABLE:
        some = [one for one in found if one[3] == reason]
        if ODD * len(some) > rows:
            row, column, value, _ = some[0]
            what = f"{reason} in {len(some):,} of {rows:,} rows, as in row {row}" + (f" ({value!r})" if value else "")
            remedy = _remedy(value, reason) or "correct it"
            raise InputError(f"column {column!r}: {what}; {remedy} or name another with {_asked(column, rules)}")


def _remedy(value: str, reason: str) -> str | None:
    """What to do about cells that hold more than they should."""
    if reason == cleaning.NOT_A_NUMBER and WITH_UNIT.fullmatch(value.strip()):
        return "take the unit out of the cells, so that they hold numbers alone,"
    return f"{MIDNIGHT}," if reason == cleaning.NOT_A_DATE and is_midnight(value) else None


def _unwanted(rules: Rules) -> dict[str, tuple[str, str]]:
    """The reasons to refuse a row, each with the option that says so and the option's other values."""
    found = {}
    if rules.choices.negative == "refuse":
        found[cleaning.BELOW] = "negative", "'clip' or 'drop'"
    if rules.choices.missing == "refuse":
        found |= dict.fromkeys((cleaning.NO_DEMAND, cleaning.NOT_A_NUMBER), ("missing", "'drop' or 'zero'"))
    return found


def _asked(column: str, rules: Rules) -> str:
    roles = rules.roles
    return ASKED["y" if column == roles.demand else "ds" if column == roles.date else "unique_id"]
