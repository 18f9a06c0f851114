"""The level of demand in a context, and past demand brought from one context to another."""

from provend.levels._brought import AsTheyAre, Brought, Demands, Level
from provend.levels._cost import best_power
from provend.levels._cut_off import learn_from_sales
from provend.levels._forecast import Forecast
from provend.levels._leaning import leaning
from provend.levels._learning import learn_forecast, learn_roughly
from provend.levels._other_years import OtherYears
from provend.levels._power import Power
from provend.levels._ridge import Ridge
from provend.levels._step import SHORTEST as SHORTEST_STEP
from provend.levels._step import explained, jumps, lasting, latest_step

__all__ = [
    "SHORTEST_STEP",
    "AsTheyAre",
    "Brought",
    "Demands",
    "Forecast",
    "Level",
    "OtherYears",
    "Power",
    "Ridge",
    "best_power",
    "explained",
    "jumps",
    "lasting",
    "latest_step",
    "leaning",
    "learn_forecast",
    "learn_from_sales",
    "learn_roughly",
]
