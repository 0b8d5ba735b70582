"""What a language model's server refuses, as one word for the journal and a sentence for doctor."""

import openai

OPTIONAL = frozenset({"stream_options", "temperature"})
"""Parameters that a server may refuse and an answer does without."""
HINTS = {
    "unreachable": "It cannot be reached: check NIGHTLAMP_LLM_BASE_URL, and that it runs.",
    "deadline": "It did not reply in time: check NIGHTLAMP_LLM_BASE_URL, and that it runs.",
    "key": "It refuses the key: correct NIGHTLAMP_LLM_API_KEY.",
    "model": "It knows no list of models at this address: NIGHTLAMP_LLM_BASE_URL mostly ends "
    "with /v1.",
    "redirect": "It leads to another address, which is not followed: set NIGHTLAMP_LLM_BASE_URL "
    "to that one.",
    "garbled": "What answers there speaks another language: check NIGHTLAMP_LLM_BASE_URL.",
}
_BY_STATUS = {401: "key", 403: "key", 404: "model", 408: "deadline", 413: "too_long", 429: "rate"}
_TOO_LONG = ("context", "too long", "too large", "maximum", "exceed")


def reason_of(error: openai.APIError) -> str:
    """Return the word for a fault; the server's own text stays here, it may repeat the prompt."""
    if isinstance(error, openai.APITimeoutError):
        return "deadline"
    if isinstance(error, openai.APIConnectionError):
        return "unreachable"
    if not isinstance(error, openai.APIStatusError):
        return "server"
    status = error.status_code
    if status in {400, 422} and any(word in str(error.message).lower() for word in _TOO_LONG):
        return "too_long"
    if 300 <= status < 400:
        return "redirect"
    return _BY_STATUS.get(status, "server" if status >= 500 else "refused")
