"""The web app: decide, explore, backtest and the paper in a browser on this machine, and nowhere else."""

from provend.web._app import create_app
from provend.web._serve import serve

__all__ = ["create_app", "serve"]
