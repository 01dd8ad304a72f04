"""`python -m halocline` is the command `halocline`."""

from halocline.cli.main import main

main()
