"""What rules ask about several facts at once: what an install gets and from where, what an image brings, how something is compiled or imported."""
