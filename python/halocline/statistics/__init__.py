"""What samples allow to be said: intervals of medians and ratios, and which schemes differ."""
