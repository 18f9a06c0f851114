"""Ten weeks of two items, as a file that a planner sends to the web app."""

from __future__ import annotations

from datetime import date, timedelta

DAYS = 70
START = date(2026, 1, 5)
SALES = [
    (START + timedelta(days=day), item, base + (day * 7 + 3 * len(item)) % 11 + 6 * ((START.weekday() + day) % 7 == 5))
    for item, base in (("bread", 40), ("cake", 9))
    for day in range(DAYS)
]
CSV = "date,item,demand\n" + "".join(f"{day},{item},{demand}\n" for day, item, demand in SALES)


def send(page, text, name="sales.csv"):
    page.locator("#file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})
