"""For all tests: no setting comes from the environment, and hypothesis tries the same in every run.

`explore` has it try something new:

HYPOTHESIS_PROFILE=explore make test
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "same")
OF_TESTS = {"NIGHTLAMP_REQUIRE_LLAMA"}

for variable in [one for one in os.environ if one.startswith("NIGHTLAMP_")]:
    if variable not in OF_TESTS:
        del os.environ[variable]  # the settings of whoever runs the tests

for name in ("same", "explore"):
    settings.register_profile(
        name,
        derandomize=name == "same",
        deadline=None,  # a machine with much else to do is no fault
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile(PROFILE)
if PROFILE == "same":
    # Among what it tries are the constants of our modules that are loaded by then: those depend
    # on which tests this process ran before.
    providers.is_local_module_file = lambda path: False  # type: ignore[assignment]
