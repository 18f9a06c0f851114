"""Numbers as people type them: a comma before decimals is understood, what could be two numbers is asked for."""

from __future__ import annotations

import re

from provend._errors import InputError

SIGNS = re.compile(r"[+-]?(?:\d[\d.,]*|[.,]\d+)", re.ASCII)
PLAIN = re.compile(r"[+-]?\d*(?:\.(?:\d{0,2}|\d{4,}))?", re.ASCII)  # not even three decimals: nothing to ask


def amount(text: str, option: str) -> str:
    """A number with a decimal point, by the rules for files; any other text, such as a column's name, as it is."""
    if not SIGNS.fullmatch(text.strip()) or PLAIN.fullmatch(text.strip()):
        return text
    from provend.tables import DECIMALS, read_number

    found = {sign: number for sign in DECIMALS if (number := read_number(text, sign)) is not None}
    if len({*found.values()}) > 1:
        plain = " or ".join(f"{number:g}" if number == int(number) else f"{text}0" for number in found.values())
        raise InputError(
            f"{option} {text}: its sign may stand before decimals or thousands; write {plain.replace(',', '.')}"
        )
    if [*found] != [","]:
        return text.replace(",", "") if found else text
    return text.replace(".", "").replace(",", ".")
