"""The command `halocline`: command lines, and what they show in a terminal."""
