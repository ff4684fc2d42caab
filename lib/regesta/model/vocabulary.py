"""The words that tables and declarations hold."""

from __future__ import annotations

from typing import Final, Literal

Mode = Literal["event", "interval", "snapshot"]
RemovalMeaning = Literal["withdrawn", "ended", "no_information"]
Polarity = Literal["asserts", "ends", "retracts"]
Precision = Literal["year", "month", "day", "minute", "second", "microsecond"]
Cardinality = Literal["one", "one_subject", "one_to_one", "many"]
FactKind = Literal["state", "event"]
MissingStart = Literal["unknown", "said"]

DISPUTED: Final = "disputed"
BREAKS_SIGNATURE: Final = "breaks signature"
"""Flags of facts: told but not believed; between labels that the ontology does not name."""

CONTRADICTS: Final = "contradicts"
DOES_NOT_CONTRADICT: Final = "does not contradict"
SET_ASIDE: Final = "set aside"
"""Verdicts on two facts; the flag of one that does not count, being of too large a group."""

SAME: Final = "same"
NOT_THE_SAME: Final = "not the same"
NO_WORD: Final = "no word"
"""What was said of two profiles: one entity, two; what was said before is taken back."""

PERSON: Final = "person"
MODEL: Final = "model"
"""Who decided."""

LOCAL: Final = "local"
"""The extractor that reads texts by rules; rows say which one made them."""

STEPS: Final = ("ingest", "extract", "resolve", "timeline", "communities", "publish")
