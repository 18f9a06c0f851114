"""The assumptions behind a guarantee, in words."""

FOR_ALL = "One forecast"  # how the basis of one model for all items begins
OF_SUPPORT = (
    "The support of an item ends at the largest demand of its history; with fewer than 30 rows at least where demands "
    "of other items at its size end, but for the few items that are unlike all others. Where all its demands are 0, "
    "it ends at 1 at least, or where those of other items end, which is a guess. Where the level of a target is "
    "clearly above all levels of the past, that end is brought there from the highest of them."
)
MEANING = {
    "given": (
        "Dissimilarities as given: guarantees hold if no Kolmogorov distance is larger, and if they were chosen "
        "without looking at the demands that are weighed."
    ),
    "learned": (
        "Dissimilarities learned from the very demands that are weighed: values that work, not bounds. Guarantees hold "
        "if no Kolmogorov distance is larger and learning from these demands did no harm; 'split' and 'certified' "
        "learn from others."
    ),
    "cautious": (
        "Dissimilarities at upper confidence limits of their scales (at most ten times those of 'auto'), from "
        "distances between groups of the very demands that are weighed: guarantees hold where these are large enough "
        "and learning from these demands did no harm."
    ),
    "too few": (
        "Too few rows to estimate scales: dissimilarities, {apart}, are ten times those of 'auto'. Guarantees hold "
        "if no Kolmogorov distance is larger and learning from these demands did no harm."
    ),
    "alike": (
        "No forecast would clearly have paid: all contexts count as alike, but for a drift where there is a time. "
        "Guarantees hold if they are."
    ),
    "split": (
        "Dissimilarities learned from {learned:,} {rows} that are not weighed: the values that worked there, not "
        "bounds. Guarantees hold if no Kolmogorov distance is larger."
    ),
    "certified": (
        "Dissimilarities certified: limits of the Kolmogorov distances between groups ({groups}), from {learned:,} "
        "{rows} that are not weighed, which hold together with probability {confidence:g}; the price of the other case "
        "is included. Guarantees hold if demands are independent and those of one group{moved} have one "
        "distribution{ignored}."
    ),
}

SUPPORTED = (
    "The default policy never orders beyond the past demands that count for it, and the guarantee is that of the rule "
    "so restricted: it may be above the regret without data."
)

BROUGHT = {
    "here": "Past demand is brought to the target by {pieces}, learned from the very demands it moves.",
    "leaning": "The level of the target leans towards what trees learned from the same demands say of its quantile.",
    "older": "Past demand is brought to the target by {pieces}, learned from {learned:,} rows that are not weighed.",
    "difference": (
        "Past demand is brought to the target by adding the difference of the forecasts in {name!r}, which must have "
        "been made without looking at the demands that are weighed; dissimilarities are those of demand less forecast."
    ),
    "column": (
        "Past demand is brought to the target by the forecasts in {name!r}, which must have been made without looking "
        "at the demands that are weighed."
    ),
}
