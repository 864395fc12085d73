"""``python -m thinpipe``."""

from thinpipe.cli import main

main()
