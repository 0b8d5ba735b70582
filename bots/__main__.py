"""`python -m bots` is `nightlamp`."""

import sys


def main() -> None:
    """Run `nightlamp`; Ctrl-C while its modules are still being loaded ends it quietly."""
    try:
        from bots.cli import main as nightlamp
    except KeyboardInterrupt:
        sys.exit(130)
    nightlamp()


if __name__ == "__main__":
    main()
