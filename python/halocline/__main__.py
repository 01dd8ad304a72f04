"""`python -m halocline` is the command `halocline`."""

from halocline.cli import main

main()
