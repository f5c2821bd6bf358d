"""What holds for every test: no window is opened, and a run can be repeated."""

import os

from hypothesis import settings

# Before anything imports NumPy: on a busy machine BLAS threads that wait for each other cost more than they bring.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Before anything imports matplotlib: figures are drawn into files and memory only.
os.environ["MPLBACKEND"] = "Agg"

# The same examples in every run, so that a red test stays red; a first call may compile, so no single one is timed.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
