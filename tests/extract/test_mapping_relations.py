"""What a mapping makes of the names of relations and of the labels that they join."""

from __future__ import annotations

import pytest

from extract.mapped import extract
from regesta.ontology import Ontology

OWNER = {
    "account": {"label": "Account", "name": "name"},
    "owner": {"label": "Person", "name": "owner.name"},
}
EMPLOYMENT = Ontology.model_validate(
    {
        "relations": {
            "EMPLOYED_BY": {
                "phrase": "is employed by",
                "synonyms": ["WORKS_FOR"],
                "inverse": "EMPLOYS",
                "subjects": ["Person"],
                "objects": ["Account"],
            }
        }
    }
)


@pytest.mark.parametrize(
    ("relation", "subject", "target", "told", "breaks"),
    [
        ("WORKS_FOR", "owner", {"object": "account"}, ("owner", "account"), False),
        ("EMPLOYS", "account", {"object": "owner"}, ("owner", "account"), False),
        ("EMPLOYS", "owner", {"object": "account"}, ("account", "owner"), True),
        ("WORKS_FOR", "owner", {"value": "owner.name"}, ("owner", None), True),
    ],
)
def test_names_of_a_relation_are_one_and_a_broken_signature_is_told(
    relation, subject, target, told, breaks
):
    _, mentions, (said,) = extract(
        {"name": "Acme", "owner": {"name": "Ann"}},
        ontology=EMPLOYMENT,
        entities=OWNER,
        statements=[{"subject": subject, "relation": relation, **target}],
    )
    ids = {None: None, **{mention.label: mention.profile_id for mention in mentions}}
    ends = {"owner": ids["Person"], "account": ids["Account"], None: None}
    assert said.relation == "EMPLOYED_BY"
    assert (said.subject, said.object) == tuple(ends[each] for each in told)
    assert said.breaks_signature is breaks


def test_an_end_told_from_the_other_side_without_an_object_keeps_its_name():
    """Whom Acme employs no longer can't be told of those employed, who are not named."""
    _, _, (said,) = extract(
        {"name": "Acme"},
        ontology=EMPLOYMENT,
        entities=OWNER,
        statements=[{"subject": "account", "relation": "EMPLOYS", "polarity": "ends"}],
    )
    assert (said.relation, said.polarity, said.object) == ("EMPLOYS", "ends", None)
