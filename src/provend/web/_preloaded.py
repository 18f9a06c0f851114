"""What every worker needs, imported once, before they are forked."""

import provend.backtesting
import provend.datasets
import provend.estimators
import provend.paper
import provend.planning
import provend.plots
import provend.tables  # noqa: F401
