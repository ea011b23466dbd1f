"""``python -m xl_tco`` is the command ``xl-tco``."""

from xl_tco.cli import main

if __name__ == "__main__":
    main()
