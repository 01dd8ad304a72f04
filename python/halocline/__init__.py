"""The command line of Halocline: check, run, compare and report communication schemes."""

__version__ = "0.1.0"
