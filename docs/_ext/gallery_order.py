"""The order of the gallery: what planners ask first, what readers of the paper ask last."""

from sphinx_gallery.sorting import _SortKey

FIRST = (
    "week",
    "how_many_days",
    "days_that_count",
    "bakery",
    "ugly_file",
    "levels",
    "packs",
    "lead_time",
    "stockouts",
    "budget",
    "gloves",
    "service",
    "distance",
    "drift",
    "what_it_rests_on",
    "wrong",
    "learning_curve",
    "optimal",
    "own_policy",
    "worst_case",
    "weights",
    "tangent",
)


class ByNeed(_SortKey):
    """Sort examples as above; others come in the middle, by name."""

    def __call__(self, filename: str) -> tuple[int, str]:
        """Position, then name."""
        name = filename.removeprefix("plot_").removesuffix(".py")
        return FIRST.index(name) if name in FIRST else len(FIRST) // 2, name
