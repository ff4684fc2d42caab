"""Where names lead that only texts give, of labels whose entities records name: pure rules.

Such a name (`Profile.is_link`) founds nothing and joins nobody. It is put with the one entity that
bears it, known from when that entity bore it, and nowhere if there are none or several.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from regesta.resolve.clusters import LINKING
from regesta.resolve.forest import Profile

NOWHERE: Final = "nowhere"
"""Stands for a founding profile where there is none."""
IDENTIFYING: Final = "1"
"""Begins the keys of identifiers (`profiles.IDENTIFIER`)."""


class Link(NamedTuple):
    """The founding profile of the entity, and since when it bears the name; NOWHERE, None."""

    founder: str
    since: int | None


def linked(profiles: Iterable[Profile], founders: Mapping[str, str]) -> dict[str, Link]:
    """Return where each link among the profiles leads, by profile id.

    `founders` are those of the other profiles (`clusters.cluster`); an entity of which no profile
    counts bears nothing.
    """
    given = list(profiles)
    counting = {founders[one.profile_id] for one in given if not one.is_link and _counts(one)}
    bearing: dict[str, dict[str, int]] = defaultdict(dict)
    for one in given:
        founder = founders.get(one.profile_id)
        for key in one.keys if founder in counting else ():
            if founder is not None and key.startswith((IDENTIFYING, LINKING)):
                since = bearing[key].get(founder, one.founded_at)
                bearing[key][founder] = min(since, one.founded_at)
    return {one.profile_id: _link(one, bearing) for one in given if one.is_link}


def _counts(profile: Profile) -> bool:
    return profile.ended_at is None


def _link(profile: Profile, bearing: Mapping[str, Mapping[str, int]]) -> Link:
    found = [item for key in profile.keys for item in bearing.get(key, {}).items()]
    if len({founder for founder, _ in found}) != 1:
        return Link(NOWHERE, None)
    return Link(found[0][0], min(since for _, since in found))
