"""What was measured, for people: HTML pages that open offline, and the words beside the figures."""
