"""``python -m sidewise.cli``."""

from sidewise.cli import main

main()
