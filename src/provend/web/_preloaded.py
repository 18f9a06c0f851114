"""What every worker needs, imported once before they are forked."""

import provend.backtesting
import provend.datasets
import provend.estimators
import provend.paper
import provend.planning
import provend.plots
import provend.tables  # noqa: F401
from provend.web._child import Progress


def ready(progress: Progress) -> None:
    """Do nothing but be there."""
