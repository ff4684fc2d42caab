"""A model of few words: it reads "X RELATION Y since DATE" sentences, step by step if asked so.

Asked for entities alone it misses the last one and invents another, for the reflexion to find.
"""

from __future__ import annotations

import json
import re

from chat_server import shown_text

SENTENCE = re.compile(
    r"(?P<subject>[A-Z]\w+(?: [A-Z]\w+)?) (?P<verb>works at|is owned by|has left) "
    r"(?P<object>[A-Z]\w+(?: [A-Z]\w+)?)(?: since (?P<since>\d{4}-\d\d-\d\d))?\."
)
RELATIONS = {"works at": "WORKS_AT", "is owned by": "OWNED_BY", "has left": "WORKS_AT"}
INVENTED = {"name": "The day", "label": "Account"}


def read_faithfully(body):
    """Return the answer to a request as JSON, in the form that it asks for."""
    asked = body["response_format"]["json_schema"]["schema"]["properties"]
    if "key_terms" in asked:  # a community
        return json.dumps({"name": "Work", "summary": shown_text(body), "key_terms": ["work"]})
    sentences = list(SENTENCE.finditer(shown_text(body)))
    whole = {"entities": entities(sentences), "facts": [*map(fact, sentences)]}
    if set(asked) == {"entities"}:
        whole["entities"] = [*whole["entities"][:-1], INVENTED]
    if set(asked) == {"facts"}:
        whole["facts"] = [undated(each) for each in whole["facts"]]
    whole |= {"missed": whole["entities"][-1:], "invented": [INVENTED["name"]]}
    whole["dates"] = [
        {"fact": number, **{name: fact(found)[name] for name in DATES}}
        for number, found in enumerate(sentences, start=1)
        if found["since"]
    ]
    return json.dumps({name: whole[name] for name in asked})


DATES = ("valid_from", "valid_until", "dated_by")


def entities(sentences):
    """The entities of sentences, in order."""
    named = {}
    for found in sentences:
        is_owner = found["verb"] == "is owned by"
        labels = ("Account", "Person") if is_owner else ("Person", "Account")
        named |= {found["subject"]: labels[0], found["object"]: labels[1]}
    return [{"name": name, "label": label} for name, label in named.items()]


def fact(found):
    """The fact that a sentence states."""
    return {
        "subject": found["subject"],
        "relation": RELATIONS[found["verb"]],
        "object": found["object"],
        "value": None,
        "sentence": found[0],
        "quote": found[0],
        "polarity": "ends" if found["verb"] == "has left" else "asserts",
        "temporary": False,
        "others": [],
        "valid_from": found["since"],
        "valid_until": None,
        "dated_by": found["since"] and f"since {found['since']}",
    }


def undated(told):
    """A fact without its dates."""
    return {name: value for name, value in told.items() if name not in DATES}
