"""Names that only texts give: with the one entity of the records that bears them, or nowhere."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from regesta.resolve.clusters import cluster
from regesta.resolve.forest import Profile
from regesta.resolve.links import NOWHERE, linked


def link(name, *keys, founded_at=0):
    return Profile(name, founded_at, "Person", keys, is_link=True)


def leads(*profiles):
    return {name: led.founder for name, led in linked(profiles, cluster(profiles)).items()}


def test_a_link_goes_to_the_only_bearer_of_its_name():
    """It founds nothing, even if it is the oldest, and joins nobody."""
    ann = Profile("ann", 5, "Person", ("4 ann",))
    links = [link("text", "4 ann"), link("other", "4 bob")]
    assert cluster([ann, *links]) == {"ann": "ann"}
    assert leads(ann, *links) == {"text": "ann", "other": NOWHERE}


def test_a_link_goes_nowhere_between_namesakes():
    namesakes = [Profile(name, 1, "Person", ("4 ann", f"1 no:{name}")) for name in ("one", "two")]
    assert leads(*namesakes, link("text", "4 ann")) == {"text": NOWHERE}
    shared = [replace(one, keys=("1 mail", "4 ann")) for one in namesakes]
    assert leads(*shared, link("text", "4 ann")) == {"text": "one"}


def test_a_link_goes_to_whom_a_former_name_led():
    """The record that bore the name was replaced by one with another name."""
    former = Profile("old", 1, "Account", ("1 no", "4 acme"), ended_at=3)
    current = Profile("new", 3, "Account", ("1 no", "4 apex"))
    assert leads(former, current, link("text", "4 acme")) == {"text": "old"}
    assert leads(former, link("text", "4 acme")) == {"text": NOWHERE}


def test_a_link_is_known_since_its_entity_bears_the_name():
    """The account was founded on day 1 and renamed on day 7."""
    former = Profile("old", 1, "Account", ("1 no", "4 acme"), ended_at=7)
    current = Profile("new", 7, "Account", ("1 no", "4 apex"))
    given_profiles = [former, current, link("early", "4 acme"), link("late", "4 apex")]
    assert linked(given_profiles, cluster(given_profiles)) == {
        "early": ("old", 1),
        "late": ("old", 7),
    }


def test_names_alone_join_no_profiles_of_records():
    pair = [Profile(name, 1, "Person", ("4 ann",)) for name in ("one", "two")]
    assert cluster(pair) == {"one": "one", "two": "two"}


RECORDS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["1 x", "1 y", "1 z"]), st.booleans()),
    min_size=1,
    max_size=7,
)


@given(RECORDS, st.data())
def test_where_a_link_leads_depends_on_the_records_not_on_when_they_came(records, data):
    """Records with a name and a number, some of which were replaced; in any order of arrival."""

    def arrived(order):
        return [
            Profile(
                f"r{number}",
                order.index(number),
                "Person",
                (records[number][1], f"4 {records[number][0]}"),
                ended_at=len(records) if records[number][2] else None,
            )
            for number in range(len(records))
        ] + [link(f"t{name}", f"4 {name}") for name in "abc"]

    def together(order):
        """The records of the entity that each name leads to."""
        profiles = arrived(order)
        founders = cluster(profiles)
        return {
            name: {one for one, founder in founders.items() if founder == led.founder}
            for name, led in linked(profiles, founders).items()
        }

    numbers = list(range(len(records)))
    assert together(data.draw(st.permutations(numbers))) == together(numbers)
