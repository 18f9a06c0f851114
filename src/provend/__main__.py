"""``python -m provend``: the command line."""

from provend.cli import main

main()
