"""What was measured, for people: HTML pages that open offline, and the words beside the figures."""

__all__ = [
    "advice",
    "comparison",
    "convergence",
    "curves",
    "facts",
    "forecast",
    "notes",
    "overview",
    "page",
    "pictures",
    "placement",
    "plots",
    "points",
    "roofline",
    "screenshot",
    "series",
    "timeline",
    "validation",
    "variation",
]
