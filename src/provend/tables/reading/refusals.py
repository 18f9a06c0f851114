"""What is refused rather than read: rows the user does not want, and columns that are not what they should be."""

from __future__ import annotations

from provend._errors import InputError
from provend.tables.reading import cleaning
from provend.tables.reading.moments import ODD
from provend.tables.reading.remarks import Remarks
from provend.tables.reading.roles import Roles
from provend.tables.reading.rules import Rules


def refuse_clashes(roles: Roles) -> None:
    """A context may not have the name that a role gets."""
    own = {"ds": roles.date, "y": roles.demand, "unique_id": ", ".join(roles.ids) or None}
    others = (*roles.contexts, *(roles.ids if len(roles.ids) > 1 else ()))
    for name, column in own.items():
        if name in others and column is not None:
            raise InputError(f"column {name!r} is there, and {column!r} is to be used as {name}; rename {name!r}")


def refuse_rows(remarks: Remarks, rules: Rules, rows: int) -> None:
    """What the user does not want, and what happens to too many rows to be an accident."""
    found = list(zip(remarks.rows, remarks.columns, remarks.values, remarks.reasons, strict=True))
    refused = {cleaning.BELOW: ("negative", "clip' or 'drop")} if rules.choices.negative == "refuse" else {}
    if rules.choices.missing == "refuse":
        refused |= dict.fromkeys((cleaning.NO_DEMAND, cleaning.NOT_A_NUMBER), ("missing", "drop' or 'zero"))
    for row, column, value, reason in found:
        if reason in refused:
            option, remedy = refused[reason]
            what = (
                f"holds {value!r}, {'which is negative' if option == 'negative' else reason}" if value else "is empty"
            )
            raise InputError(
                f"column {column!r} {what}, in row {row}; correct it, or say {option} = '{remedy}' (--{option})"
            )
    for reason in cleaning.UNREADABLE:
        some = [one for one in found if one[3] == reason]
        if ODD * len(some) > rows:
            row, column, value, _ = some[0]
            what = f"{reason} in {len(some):,} of {rows:,} rows, as in row {row}" + (f" ({value!r})" if value else "")
            raise InputError(
                f"column {column!r}: {what}; correct it or name another column with --{_option(column, rules)}"
            )


def _option(column: str, rules: Rules) -> str:
    return "demand" if column == rules.roles.demand else "date" if column == rules.roles.date else "id"
