"""`python -m eval`."""

import sys

if __name__ == "__main__":
    try:
        from eval.cli import main
    except KeyboardInterrupt:  # to load all modules takes a second
        sys.exit(130)
    main()
