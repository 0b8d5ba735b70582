"""What of a written answer may be shown: the rules that hold whatever a model says. Pure."""

from core.guard.judging import MORE_STEPS as MORE_STEPS
from core.guard.judging import NO_ANSWER as NO_ANSWER
from core.guard.judging import Dropped as Dropped
from core.guard.judging import Guarded as Guarded
from core.guard.judging import Sentence as Sentence
from core.guard.judging import Source as Source
from core.guard.judging import guarded as guarded
from core.guard.judging import read_ahead as read_ahead
from core.guard.sentence import Rule as Rule
