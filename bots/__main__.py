"""`python -m bots` is `nightlamp`."""

from bots.cli import main

main()
