"""Words that stand in tables of results and mean something."""

# The end of a metric's name when it is taken on the chunks that a protocol can tell apart, and not on the bins.
ON_CHUNKS = "_on_chunks"
# The end of one that is taken on sixteen equal parts of the domain, which everything that is tried can tell apart.
ON_SIXTEEN = "_on_16"
# The accounting of what has none: it is the same whichever the others have.
NO_ACCOUNTING = "none"
# The estimator that a protocol brings along.
OWN_ESTIMATOR = "own"
