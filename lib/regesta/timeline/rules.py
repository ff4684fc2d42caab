"""The timeline function at one known time: statements to periods, by rules 1 to 8."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from regesta.timeline.claims import Claim, Gathered, Triple, counted, gather
from regesta.timeline.ends import end_claims
from regesta.timeline.legs import bind, dispute, legs_of, whole
from regesta.timeline.ontology import Ontology
from regesta.timeline.periods import happenings, join, spans_of
from regesta.timeline.precedence import Cover, clip, covers
from regesta.timeline.statement import Period, Statement
from regesta.timeline.succession import succeed


def believed(statements: Sequence[Statement], ontology: Ontology) -> list[Period]:
    """All periods that these statements give, all of them counting at one known time.

    The statements may be of one conflict key or of several, in any order; known spans are not
    looked at. Gives believed periods and, flagged, disputed ones, sorted by subject, relation,
    object and start. At an instant a triple is either believed, or disputed, or neither; no two
    rivals are believed at one instant. The legs of a fact over more than two entities are in it
    together.
    """
    counting = whole(statements, counted(statements))
    gathered = gather(counting, ontology)
    end_claims(gathered)
    rivalling = _rivalling(gathered)
    succeed(rivalling)
    legs = legs_of(counting, gathered)
    dispute(legs)
    given_way = covers([claim for claim in rivalling if not claim.disputed])
    bind(legs, given_way)
    return [
        period
        for _, triple in sorted(gathered.triples.items())
        for period in _periods(triple, given_way.get(triple, ()))
    ]


def _rivalling(gathered: Gathered) -> list[Claim]:
    claims = [
        claim for triple in gathered.triples.values() if triple.slots for claim in triple.claims
    ]
    claims.sort(key=attrgetter("order"))
    return claims


def _periods(triple: Triple, given_way: Sequence[Cover]) -> Iterable[Period]:
    if triple.tellings:
        return happenings(triple)
    claims = [claim for claim in triple.claims if not claim.disputed]
    periods = join(triple, clip(claims, given_way) if given_way else claims, disputed=False)
    if len(claims) == len(triple.claims):
        return periods
    disputed = [claim for claim in triple.claims if claim.disputed]
    rest = join(triple, clip(disputed, spans_of(periods)), disputed=True)
    return sorted([*periods, *rest], key=attrgetter("start"))
