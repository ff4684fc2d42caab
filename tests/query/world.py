"""A chain of people, small enough to walk by hand.

    ann --KNOWS-- bob --KNOWS-- cy --KNOWS-- dan        eve (LIKES chess, a literal)
     m1            m2,m3         m4 (all told by mails)   m5

m1 also tells that ann LIKES fox (a literal). Everybody but eve belongs to the community "chain".
"""

from __future__ import annotations

import regesta.query
from publish import tiny, writing

DAY = "2022-01-%02d"
KNOWS = (("ann", "bob", 1, ("m1",)), ("bob", "cy", 2, ("m2", "m3")), ("cy", "dan", 4, ("m4",)))


def rows(group="g"):
    """Return the rows of every table; ids are the names."""
    facts, evidence = [], []
    for one, other, day, mails in KNOWS:
        text = f"{one} knows {other}"
        told = (f"f-{one}", f"e-{one}", "KNOWS", f"e-{other}", text)
        add(facts, evidence, told, DAY % day, mails, group)
    for one, what, day, mail in (("ann", "fox", 1, "m1"), ("eve", "chess", 5, "m5")):
        told = (f"l-{one}", f"e-{one}", "LIKES", None, f"{one} likes {what}")
        add(facts, evidence, told, DAY % day, (mail,), group, value=what)
    people = ("ann", "bob", "cy", "dan", "eve")
    empty = {name: [] for name in tiny.tables()}
    return empty | {
        "entities": [entity(each, group) for each in people],
        "facts": facts,
        "fact_evidence": evidence,
        "episodes": [tiny.episode(f"m{n}", MAILS[n - 1], group=group, at=DAY % n) for n in NUMBERS],
        "communities": [
            community("chain", "dan and friends", group),
            community("lone", "x", group),
        ],
        "community_members": [member(each, "chain", group) for each in people[:4]]
        + [member("eve", "lone", group)],
    }


NUMBERS = range(1, 6)
MAILS = ("ann writes", "bob writes", "bob repeats", "cy writes", "eve writes")


def entity(name, group, **more):
    label = "Robot" if name == "dan" else "Person"
    return tiny.entity(f"e-{name}", name, group=group, created=DAY % 1, label=label, **more)


def add(facts, evidence, told, day, mails, group, **more):
    facts.append(tiny.fact(*told, group=group, created=DAY % 1, valid_at=day, **more))
    for mail in mails:
        citation = (told[0], day, f"s-{told[0]}-{mail}", mail)
        evidence.append(tiny.evidence(*citation, group=group, created=DAY % 1))


def community(name, words, group, **more):
    return {
        "row_id": f"{name}@1",
        "community_id": name,
        "group_id": group,
        "level": 0,
        "name": name,
        "summary": words,
        "key_terms": [],
        "size": 1,
        "created_at": DAY % 1,
        **more,
    }


def member(name, where, group, **more):
    return {
        "row_id": f"{where}@{name}",
        "entity_id": f"e-{name}",
        "community_id": where,
        "group_id": group,
        "created_at": DAY % 1,
        **more,
    }


def opened(root, tables=None):
    """Publish rows and open the snapshot."""
    writing.write_snapshot(root, tables or rows())
    return regesta.query.open(root)


def ids(hits):
    return [hit.id for hit in hits]
