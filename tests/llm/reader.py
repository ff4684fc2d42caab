"""A model of few words: it reads "X RELATION Y since DATE" sentences, and does so faithfully."""

from __future__ import annotations

import json
import re

from chat_server import shown_text

SENTENCE = re.compile(
    r"(?P<subject>[A-Z]\w+(?: [A-Z]\w+)?) (?P<verb>works at|is owned by|has left) "
    r"(?P<object>[A-Z]\w+(?: [A-Z]\w+)?)(?: since (?P<since>\d{4}-\d\d-\d\d))?\."
)
RELATIONS = {"works at": "WORKS_AT", "is owned by": "OWNED_BY", "has left": "WORKS_AT"}
LABELS = {"works at": ("Person", "Account"), "is owned by": ("Account", "Person")}


def read_faithfully(body):
    """Return the answer to a request as JSON."""
    entities, facts = {}, []
    for found in SENTENCE.finditer(shown_text(body)):
        verb = found["verb"]
        labels = LABELS.get(verb, ("Person", "Account"))
        entities |= {found["subject"]: labels[0], found["object"]: labels[1]}
        facts.append(
            {
                "subject": found["subject"],
                "relation": RELATIONS[verb],
                "object": found["object"],
                "value": None,
                "sentence": found[0],
                "quote": found[0],
                "polarity": "ends" if verb == "has left" else "asserts",
                "temporary": False,
                "valid_from": found["since"],
                "valid_until": None,
                "dated_by": found["since"] and f"since {found['since']}",
            }
        )
    named = [{"name": name, "label": label} for name, label in entities.items()]
    return json.dumps({"entities": named, "facts": facts})
