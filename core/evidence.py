"""When to answer, when to say "not sure", when to refuse. Pure.

Never decided on a fused rank score, which is high for whatever comes first: decided on a logistic
regression over signals of the retrieval, cut at two points that were fitted on labelled questions
(docs/retrieval.md). While search is by keywords alone, on the share of the question's words that
the page has.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.outcomes import Answer, Cutoffs, Evidence, Finding, Refusal, WeakAnswer

KEYWORD_CUTOFFS = Cutoffs(weak=0.45, answer=0.8)
"""By keywords alone: shares of the question's idf weight that the first result's page has."""
EXACT_CONFIDENCE = 0.9
"""What an exact alert name or identifier is worth, whatever the distance."""
SHORT_QUESTION = 3
"""Tokens up to which a page that has them all is never refused."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of the signals and the two cut-offs, fitted for one fingerprint.

    `source` says on what and when they were fitted; `fitted` is False where they were not fitted
    for the index at hand.
    """

    weights: Mapping[str, float]
    intercept: float
    cutoffs: Cutoffs
    source: str
    fitted: bool = True

    def confidence(self, signals: Mapping[str, float]) -> float:
        """Return the probability, 0 to 1, that the first results hold the answer.

        Raises:
            KeyError: a signal has a weight and no figure; taken for 0 it would decide wrongly.
        """
        z = self.intercept + sum(w * signals[name] for name, w in self.weights.items())
        return 1 / (1 + math.exp(-max(min(z, 60.0), -60.0)))


def decide(finding: Finding, calibration: Calibration) -> Answer | WeakAnswer | Refusal:
    """Return the outcome that the evidence allows, with the confidence and what it was cut at."""
    cutoffs = calibration.cutoffs if finding.gate.dense else KEYWORD_CUTOFFS
    confidence = _confidence(finding, calibration) if finding.results else 0.0
    evidence = Evidence(
        confidence=confidence,
        cutoffs=cutoffs,
        distance=nearest_distance(finding),
        signals=dict(finding.signals),
        gate=finding.gate,
        timing=finding.timing,
    )
    if finding.results and confidence >= cutoffs.answer:
        return Answer(finding.results, evidence)
    if finding.results and (confidence >= cutoffs.weak or _short_and_known(finding)):
        return WeakAnswer(finding.results, evidence)
    return Refusal(finding.results, evidence)


def nearest_distance(finding: Finding) -> float | None:
    """Return the best raw distance among all that was found; None while dense search is closed."""
    return 1 - finding.signals["cos"] if finding.gate.dense and finding.results else None


def _confidence(finding: Finding, calibration: Calibration) -> float:
    if finding.gate.dense:
        confidence = calibration.confidence(finding.signals)
    else:
        confidence = finding.signals["dcover"]
    return max(confidence, EXACT_CONFIDENCE) if finding.exact else confidence


def _short_and_known(finding: Finding) -> bool:
    tokens = finding.signals["tokens"]
    return 0 < tokens <= SHORT_QUESTION and finding.signals["dcover"] >= 1.0 - 1e-9
