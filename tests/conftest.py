"""For all tests: what hypothesis tries is the same in every run; `explore` tries something new.

HYPOTHESIS_PROFILE=explore make test
"""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
