"""Lists of words for the guard. Pure."""

from typing import Final


def words(text: str) -> frozenset[str]:
    """Read a list of words from a text."""
    return frozenset(text.split())


FILLING: Final = words(
    """a an the this that these those its their our your his her it them they he she we you i and or
    nor but so if when while until unless after before because since as than then to of in on at by
    for from with without into onto over under up down out off back away again first second last
    next also only just even still too very more most less least all any each every both some other
    others another same one ones two three new old oldest newest whole full right now once yet here
    there what which who whom whose where why how is are was were be been being am do does did done
    has have had having can could may might must should shall will would not never no none cannot
    way time hand long large big small early late good bad high low such own much many few several
    yourself itself themselves either neither whether about between through during instead rather
    need needs needed use used using run runs running let make makes made go goes get gets got put
    take takes keep keeps try see look check wait later soon ahead always often quickly simply
    right-away afterwards everything anything something nothing somebody anybody nobody everybody
    immediately directly already"""
)
"""Words that name nothing: no object of an action is known by one of them."""

TELLING: Final = words(
    """way time hand early late good bad need needs needed use used using run runs running make
    makes made go goes get gets got put take takes keep keeps try see look check wait"""
)
"""Words of `FILLING` by which sentences are compared all the same."""
